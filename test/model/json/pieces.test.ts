import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { canonicalText } from '../../../src/model/json/json.ts';
import { canonicalPieces, jsonPieces } from '../../../src/model/json/pieces.ts';
import { forTerminal } from '../../../src/model/text/escape.ts';
import { json } from '../../support/arbitraries.ts';

const object = fc.dictionary(fc.string(), fc.oneof(json, fc.array(json)));
const long = Array.from({ length: 1_000 }, (_, at) => ({ address: `AliasTopic/${'x'.repeat(300)}-${at}` }));

/** A command to a build log is escaped in what is printed. */
const command = { '': [[{ '##[': '' }]] };

describe('an object as JSON in pieces', () => {
  it('is what JSON.stringify makes of it, whatever is in it, safe for build logs', () => {
    fc.assert(
      fc.property(object, (value) => {
        const text = [...jsonPieces(value)].join('');
        expect(text).toBe(forTerminal(`${JSON.stringify(value, null, 2)}\n`));
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { examples: [[command]] },
    );
  });

  it('has the same canonical text in pieces as in one', () => {
    fc.assert(
      fc.property(object, (value) => {
        expect([...canonicalPieces(value)].join('')).toBe(canonicalText(value));
      }),
    );
  });

  it('leaves out what has no value', () => {
    expect([...jsonPieces({ one: undefined, two: [] })]).toEqual(['{\n  "two": []\n}\n']);
    expect([...canonicalPieces({ one: undefined, two: [] })]).toEqual(['{"two":[]}']);
  });

  it.each([jsonPieces, canonicalPieces])('comes in pieces when it is long: %o', (pieces) => {
    const made = [...pieces({ long })];
    expect(made.length).toBeGreaterThan(3);
    expect(JSON.parse(made.join(''))).toEqual({ long });
  });
});
