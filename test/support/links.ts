import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The targets of the links of a page, outside of its examples. */
export function linksOf(folder: string, page: string): readonly string[] {
  const text = readFileSync(join(folder, page), 'utf8')
    .replaceAll(/^```.*?^```$/gms, '')
    .replaceAll(/`[^`\n]+`/g, '`');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
}

/** Whether a link of a page is a valid URL, or a file of the folder with that heading. */
export function leads(folder: string, page: string, link: string): boolean {
  if (link.includes('://')) return URL.canParse(link);
  const [path = '', heading] = link.split('#');
  const target = path === '' ? join(folder, page) : join(folder, dirname(page), path);
  if (heading === undefined || !existsSync(target)) return existsSync(target);
  const headings = [...readFileSync(target, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
  return headings.includes(heading);
}
