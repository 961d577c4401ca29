import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forTerminal } from '../../src/report/escape.ts';
import { jsonText } from '../../src/report/json-text.ts';
import { json } from '../support/arbitraries.ts';

describe('a report as JSON', () => {
  it('is what JSON.stringify makes of it, whatever is in it', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^\w+$/), fc.oneof(json, fc.array(json))), (report) => {
        expect([...jsonText(report)].join('')).toBe(forTerminal(`${JSON.stringify(report, null, 2)}\n`));
      }),
    );
  });

  it('leaves out what has no value', () => {
    expect([...jsonText({ one: undefined, two: [] })]).toEqual(['{\n  "two": []\n}\n']);
  });

  it('comes in pieces when it is long', () => {
    const changes = Array.from({ length: 1_000 }, (_, at) => ({
      address: `AliasTopic/${'x'.repeat(300)}-${at}`,
    }));
    const pieces = [...jsonText({ changes })];
    expect(pieces.length).toBeGreaterThan(3);
    expect(JSON.parse(pieces.join(''))).toEqual({ changes });
  });
});
