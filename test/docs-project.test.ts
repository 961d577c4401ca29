import { expect, it } from 'vitest';
import { valueAt, type JsonObject } from '../src/model/json/json.ts';
import { projectSchema } from '../src/schema/project/project-schema.ts';
import { readDocument, rowsOf } from './support/markdown.ts';

const page = readDocument('docs/reference/project.md');

it('docs/reference/project.md names every key of an environment', () => {
  const rows = rowsOf(page, '| Key of an environment | What it says |').map((row) => /`(\w+)/.exec(row)?.[1]);
  const keys = valueAt(projectSchema, '/properties/environments/additionalProperties/properties');
  expect(rows).toEqual(Object.keys(keys as JsonObject));
});
