import { describe, expect, it } from 'vitest';
import { diffTexts } from '../../../src/cli/present/line-diff.ts';
import { editDocument, readWritten } from '../../../src/declare/edit/edit-document.ts';
import { splitDocuments } from '../../../src/declare/edit/edit-file.ts';
import {
  changeAt,
  childOf,
  isList,
  isObject,
  joinPointer,
  keysOf,
  parsePointer,
  type Json,
  type Pointer,
} from '../../../src/model/json/json.ts';
import { yamlFiles } from '../../support/corpus.ts';
import { someOf } from '../../support/soak.ts';

/** The places of single values. */
function* leaves(value: Json, at: Pointer = ''): Generator<Pointer> {
  if (!isObject(value) && !isList(value)) yield at;
  for (const key of keysOf(value)) yield* leaves(childOf(value, key), joinPointer(at, key));
}

describe('a value of the corpus', () => {
  it.each(yamlFiles.map(({ name, text }) => [name, text] as const))(
    'can be set and removed alone: %s',
    (_, text) => {
      for (const { from, to } of splitDocuments(text) ?? []) {
        const source = text.slice(from, to);
        const value = readWritten(source);
        if (value === undefined) continue;
        for (const path of someOf(leaves(value), 7)) {
          const tokens = parsePointer(path);
          check(
            source,
            changeAt(value, tokens, () => 'another value'),
            path,
          );
          check(
            source,
            changeAt(value, tokens, () => undefined),
            path,
          );
        }
      }
    },
  );
});

function check(source: string, wanted: Json, path: Pointer): void {
  const { text, refused } = editDocument(source, wanted, () => []);
  if (refused.length > 0) {
    expect(refused.map(({ obstacle }) => obstacle)).not.toContain('layout');
    expect(text).toBe(source);
    return;
  }
  expect(readWritten(text)).toEqual(wanted);
  const lines = diffTexts(source, text).flatMap((hunk) => hunk.lines);
  expect(lines.filter((line) => line.startsWith('+')).length, path).toBeLessThanOrEqual(2);
}
