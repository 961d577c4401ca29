import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf, readDocument, withRows, withTexts, type Block } from './support/markdown.ts';
import { makeSandbox, ROOT, type Sandbox } from './support/sandbox.ts';

const PAGES = ['library.md', 'testing.md'];
const HEAD = '| Group | Functions and values | Types |';

/** A folder for each page, with its files and programs, compiled. */
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = makeSandbox();
  sandbox.write('node_modules/.keep', '');
  symlinkSync(ROOT, join(sandbox.folder, 'node_modules', 'gwconf'));
  symlinkSync(join(ROOT, 'node_modules', '@types'), join(sandbox.folder, 'node_modules', '@types'));
  for (const name of PAGES) {
    for (const block of blocksOf(readDocument(`docs/${name}`))) {
      const file = valueIn(block, 'file') ?? valueIn(block, 'program');
      if (file !== undefined) sandbox.write(join(name, file), block.text);
    }
  }
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const compiled = await sandbox.bash(
    `node ${tsc} --strict --module nodenext --target es2023 --types node */*.mts`,
  );
  expect(compiled.code, compiled.stdout).toBe(0);
});
afterAll(() => sandbox.remove());

// `npx vitest run test/docs-library.test.ts -u` writes them anew.
it.each(PAGES)('docs/%s has programs that compile, what they print, and every export', async (name) => {
  const page = readDocument(`docs/${name}`);
  const blocks = blocksOf(page);
  const printed = new Map<Block, string>();
  for (const [at, block] of blocks.entries()) {
    const program = valueIn(block, 'program');
    const output = blocks[at + 1];
    if (program === undefined || output === undefined) continue;
    const { code, stdout, stderr } = await sandbox.bash(
      `cd ${name} && node ${program.replace('.mts', '.mjs')}`,
    );
    expect([code, stderr]).toEqual([0, '']);
    printed.set(output, stdout);
  }
  const told = withTexts(page, printed);
  const written = told.includes(HEAD) ? withRows(told, HEAD, exportRows()) : told;
  await expect(written).toMatchFileSnapshot(join(ROOT, 'docs', name));
});

function valueIn({ words }: Block, key: string): string | undefined {
  return words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1);
}

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
