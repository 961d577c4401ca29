import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { valueAt, type JsonObject } from '../src/model/json/json.ts';
import { projectSchema } from '../src/schema/project/project-schema.ts';
import { readDocument, rowsOf } from './support/markdown.ts';
import { runDocument } from './support/run-document.ts';
import { makeSandbox, ROOT } from './support/sandbox.ts';

const page = readDocument('docs/project.md');

// `npx vitest run test/docs-project.test.ts -u` writes it anew.
it('docs/project.md shows what its commands print', async () => {
  const sandbox = makeSandbox();
  onTestFinished(() => sandbox.remove());
  const told = await runDocument(page, sandbox);
  await expect(told).toMatchFileSnapshot(join(ROOT, 'docs', 'project.md'));
});

it('docs/project.md names every key of an environment', () => {
  const rows = rowsOf(page, '| Key of an environment | What it says |').map((row) => /`(\w+)/.exec(row)?.[1]);
  const keys = valueAt(projectSchema, '/properties/environments/additionalProperties/properties');
  expect(rows).toEqual(Object.keys(keys as JsonObject));
});
