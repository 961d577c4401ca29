import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readDocument } from './support/markdown.ts';
import { runDocument } from './support/run-document.ts';
import { makeSandbox, ROOT } from './support/sandbox.ts';

// `npx vitest run test/docs-secrets.test.ts -u` writes it anew.
it('docs/secrets.md shows what its commands print', async () => {
  const sandbox = makeSandbox();
  onTestFinished(() => sandbox.remove());
  const told = await runDocument(readDocument('docs/secrets.md'), sandbox);
  await expect(told).toMatchFileSnapshot(join(ROOT, 'docs', 'secrets.md'));
});
