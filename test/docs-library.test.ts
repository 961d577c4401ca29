import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { blocksOf, readDocument, withRows, withTexts, type Block } from './support/markdown.ts';
import { makeSandbox, ROOT } from './support/sandbox.ts';

const page = readDocument('docs/library.md');
const HEAD = '| Group | Functions and values | Types |';

// `npx vitest run test/docs-library.test.ts -u` writes it anew.
it('docs/library.md has programs that compile, what they print, and every export', async () => {
  const sandbox = makeSandbox();
  onTestFinished(() => sandbox.remove());
  sandbox.write('node_modules/.keep', '');
  symlinkSync(ROOT, join(sandbox.folder, 'node_modules', 'gwconf'));
  symlinkSync(join(ROOT, 'node_modules', '@types'), join(sandbox.folder, 'node_modules', '@types'));
  const blocks = blocksOf(page);
  for (const block of blocks) {
    const name = valueIn(block, 'file') ?? valueIn(block, 'program');
    if (name !== undefined) sandbox.write(name, block.text);
  }
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  const compiled = await sandbox.bash(
    `node ${tsc} --strict --module nodenext --target es2023 --types node *.mts`,
  );
  expect(compiled.code, compiled.stdout).toBe(0);
  const printed = new Map<Block, string>();
  for (const [at, block] of blocks.entries()) {
    const program = valueIn(block, 'program');
    const output = blocks[at + 1];
    if (program === undefined || output === undefined) continue;
    const { code, stdout, stderr } = await sandbox.bash(`node ${program.replace('.mts', '.mjs')}`);
    expect([code, stderr]).toEqual([0, '']);
    printed.set(output, stdout);
  }
  const written = withRows(withTexts(page, printed), HEAD, exportRows());
  await expect(written).toMatchFileSnapshot(join(ROOT, 'docs', 'library.md'));
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
