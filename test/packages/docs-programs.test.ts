import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { blocksOf, readDocument, withTexts, type Block } from '../support/markdown.ts';
import { makeSandbox, ROOT, type Sandbox } from '../support/sandbox.ts';

const PAGES = ['library.md', 'testing.md'];

/** A folder for each page, with its files and programs, compiled. */
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = makeSandbox({ types: true });
  sandbox.write('node_modules/.keep', '');
  symlinkSync(ROOT, join(sandbox.folder, 'node_modules', 'gwconf'));
  symlinkSync(join(ROOT, 'node_modules', '@types'), join(sandbox.folder, 'node_modules', '@types'));
  for (const name of PAGES) {
    for (const block of blocksOf(readDocument(`docs/reference/${name}`))) {
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

// `npx vitest run test/packages/docs-programs.test.ts -u` writes them anew.
it.each(PAGES)('docs/reference/%s has programs that compile, and what they print', async (name) => {
  const page = readDocument(`docs/reference/${name}`);
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
  await expect(withTexts(page, printed)).toMatchFileSnapshot(join(ROOT, 'docs', 'reference', name));
});

function valueIn({ words }: Block, key: string): string | undefined {
  return words.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1);
}
