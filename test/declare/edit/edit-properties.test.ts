import fc from '../../support/fast-check.ts';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  canonicalText,
  childOf,
  isList,
  keysOf,
  type Json,
  type JsonObject,
} from '../../../src/model/json/json.ts';
import { editDocument } from '../../../src/declare/edit/edit-document.ts';
import {
  changeTree,
  handEdit,
  printTree,
  tree,
  valueOfNode,
  type Node,
} from '../../support/commented-yaml.ts';
import { orAll } from '../../support/soak.ts';

it('edits a text as a person would, and nothing else in it', () => {
  fc.assert(
    fc.property(
      tree,
      fc.array(handEdit, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      (start, edits, lineBreak, isEnded) => {
        const print = (node: Node): string => {
          // A comment above the first key would be about the document.
          const text = `kind: x\n${printTree(node)}`.replaceAll('\n', lineBreak);
          return isEnded ? text : text.replace(/\r?\n$/, '');
        };
        let before = start;
        for (const [at, edit] of edits.entries()) {
          const after = changeTree(before, edit, `new-${at}`);
          const wanted = { kind: 'x', ...(valueOfNode(after) as JsonObject) };
          const edited = editDocument(print(before), wanted, () => []);
          // Which of two equal items has gone cannot be seen, nor whether its quotes have.
          if ([before, after].some((one) => hasEqualItems(valueOfNode(one))))
            expect([parse(edited.text), edited.refused]).toEqual([wanted, []]);
          else expect(edited).toEqual({ text: print(after), refused: [] });
          before = after;
        }
      },
    ),
    { numRuns: orAll(120, 400) },
  );
});

function hasEqualItems(value: Json): boolean {
  if (isList(value) && new Set(value.map(canonicalText)).size < value.length) return true;
  return keysOf(value).some((key) => hasEqualItems(childOf(value, key)));
}
