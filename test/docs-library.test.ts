import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDocument, withRows } from './support/markdown.ts';
import { ROOT } from './support/sandbox.ts';

const HEAD = '| Group | Functions and values | Types |';

// `npx vitest run test/docs-library.test.ts -u` writes them anew.
it('docs/reference/library.md has every export', async () => {
  const page = withRows(readDocument('docs/reference/library.md'), HEAD, exportRows());
  await expect(page).toMatchFileSnapshot(join(ROOT, 'docs', 'reference', 'library.md'));
});

/** A row for each group of src/index.ts, which begins with a line of comment. */
function exportRows(): readonly string[] {
  const facade = readFileSync(join(ROOT, 'src', 'index.ts'), 'utf8');
  const [, ...groups] = facade.split(/^\/\/ (?=[A-Z])/m);
  return groups.map((group) => {
    const [title = ''] = group.split('\n', 1);
    const namesOf = (opening: string): string =>
      [...group.matchAll(new RegExp(`^export ${opening}\\{([^}]*)\\}`, 'gm'))]
        .flatMap(([, names = '']) => names.split(','))
        .map((name) => name.trim().replace(/.* as /, ''))
        .sort((one, other) => one.localeCompare(other, 'en'))
        .map((name) => `\`${name}\``)
        .join(', ');
    return `| ${title} | ${namesOf('')} | ${namesOf('type ')} |`;
  });
}
