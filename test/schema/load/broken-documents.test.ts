import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { isList, isObject, type Json } from '../../../src/model/json/json.ts';
import { checkWorld } from '../../../src/plan/checks/checks.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { load } from '../../../src/schema/load/load.ts';

/** A value of each JSON type, and lists of two. */
const OTHERS: readonly Json[] = [null, true, 7, 'x', [], {}, ['x'], [{}]];

/** The value with one node dropped, renamed or replaced, for each node and each way. */
function* brokenForms(value: Json): Generator<Json> {
  yield* OTHERS;
  if (isList(value)) {
    for (const [at, item] of value.entries()) {
      yield value.toSpliced(at, 1);
      for (const broken of brokenForms(item)) yield value.with(at, broken);
    }
  } else if (isObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      const { [key]: _, ...rest } = value;
      yield rest;
      yield { ...rest, [`${key}x`]: child };
      for (const broken of brokenForms(child)) yield { ...value, [key]: broken };
    }
  }
}

/** Loads the document as `validate` does. */
function expectTold(document: Json): void {
  const text = JSON.stringify(document);
  const files = [{ path: 'in.json', text, named: true }];
  const found = load(files, catalog, () => undefined);
  checkWorld({ desired: found.value, ...found, rules: {}, kinds: catalog.kinds });
  const told = found.problems.length + found.value.size + found.removals.length;
  if (told === 0 && !isEmptyRemoval(document)) throw new Error(`neither a problem nor a resource: ${text}`);
}

/** It is valid, and names nothing that is to go. */
function isEmptyRemoval(document: Json): boolean {
  return isObject(document) && document['kind'] === 'Removal';
}

const folder = fileURLToPath(new URL('../../../../shared/corpus', import.meta.url));

describe('a document with one node dropped, renamed or of another type', () => {
  const examples = [...catalog.kinds.values(), ...catalog.ownKinds.values()].map((kind) => kind.example);

  it.each(examples)('is a resource or has a problem: $kind', (example) => {
    for (const broken of brokenForms(example)) expectTold(broken);
  });

  it.skipIf(!existsSync(folder))('is a resource or has a problem: the corpus', () => {
    const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.ya?ml$/.test(path))
      .map((path) => readFileSync(join(folder, path), 'utf8'));
    const documents = new Map(
      texts.flatMap((text) =>
        parseAllDocuments(text, { logLevel: 'silent' }).flatMap((document) => {
          if (document.errors.length > 0) return [];
          const value = document.toJS() as Json;
          return isObject(value) && 'kind' in value ? [[JSON.stringify(value), value] as const] : [];
        }),
      ),
    );
    expect(documents.size).toBeGreaterThan(50);
    for (const document of documents.values()) {
      for (const broken of brokenForms(document)) expectTold(broken);
    }
  });
});
