import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { blocksOf, pagesOfDocs, readDocument } from './support/markdown.ts';
import { runDocument } from './support/run-document.ts';
import { makeSandbox, ROOT } from './support/sandbox.ts';

/** Its examples are not steps of one walk; another test runs them. */
const PROBLEMS = 'docs/problems.md';

const pages = pagesOfDocs()
  .filter((path) => path !== PROBLEMS)
  .filter((path) => blocksOf(readDocument(path)).some(({ words }) => words.includes('run')));

// `npx vitest run test/docs-pages.test.ts -u` writes them anew.
it.each(pages)('%s shows what its commands print', async (path) => {
  const sandbox = makeSandbox({ inProcess: true });
  onTestFinished(() => sandbox.remove());
  sandbox.copy('examples', 'examples');
  const told = await runDocument(readDocument(path), sandbox);
  await expect(told).toMatchFileSnapshot(join(ROOT, path));
});
