import type { Io } from '../io.ts';
import type { RunLine } from '../given.ts';

/** A page of the documentation, or a schema, as a resource; `job` names the prompt that a guide is. */
export type PageResource = {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
  readonly job?: string;
};

const DOCS = 'gwconf://docs/';

/** The schemas, by what `gwconf schema` calls them. */
const SCHEMAS = ['', 'Project', 'Test'];

/** Those that the index of the documentation links to, and the schemas. */
export async function listPages(io: Io): Promise<readonly PageResource[]> {
  const index = await io.readPage('README.md');
  const links = [
    ...index.matchAll(/\[([^[\]]+)\]\(((?:guides|reference|explained)\/[\w-]+\.md|problems\.md)\)/g),
  ];
  const titles = new Map(links.map(([, title = '', path = '']) => [path, title]));
  return [
    ...Array.from(titles, ([path, title]): PageResource => {
      const [, job] = /^guides\/([\w-]+)\.md$/.exec(path) ?? [];
      const page = { uri: `${DOCS}${path}`, name: path, title, mimeType: 'text/markdown' };
      return job === undefined ? page : { ...page, job };
    }),
    ...SCHEMAS.map((kind): PageResource => {
      const name = kind === '' ? 'resources' : kind;
      const title = kind === '' ? 'JSON Schema of all resources' : `JSON Schema of ${kind}`;
      return { uri: `gwconf://schema/${name}`, name: `schema ${name}`, title, mimeType: 'application/json' };
    }),
  ];
}

/** The text of a resource. Throws for one that is not listed. */
export async function readResource(
  io: Io,
  uri: string,
  runLine: RunLine,
): Promise<{ readonly mimeType: string; readonly text: string }> {
  const page = (await listPages(io)).find((one) => one.uri === uri);
  if (page === undefined) throw new Error(`there is no resource ${uri}`);
  const { mimeType } = page;
  if (uri.startsWith(DOCS)) return { mimeType, text: await io.readPage(page.name) };
  const out: string[] = [];
  const kind = SCHEMAS.find((one) => one !== '' && uri.endsWith(`/${one}`));
  await runLine(['schema', ...(kind === undefined ? [] : [kind])], { ...io, out: (text) => out.push(text) });
  return { mimeType, text: out.join('') };
}

/** A job of the guides, as a prompt. Throws for one that there is not. */
export async function readJob(io: Io, name: string): Promise<string> {
  const page = (await listPages(io)).find(({ job }) => job === name);
  if (page === undefined) throw new Error(`there is no prompt ${name}`);
  const guide = await io.readPage(page.name);
  return `Do this job in the project of this folder: ${page.title}. Use the tools of gwconf to look and to check. Leave gwconf apply, and whatever else writes to a gateway, to a person: say which command to run. This is the guide:\n\n${guide}`;
}
