import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { forTerminal } from '../../../src/report/escape.ts';
import { jsonPieces } from '../../../src/model/json/pieces.ts';
import { json } from '../../support/arbitraries.ts';

describe('a report as JSON', () => {
  it('is what JSON.stringify prints, escaped for a terminal', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^\w+$/), fc.oneof(json, fc.array(json))), (report) => {
        expect([...jsonPieces(report)].join('')).toBe(forTerminal(`${JSON.stringify(report, null, 2)}\n`));
      }),
    );
  });

  it('comes in pieces when it is long', () => {
    const changes = Array.from({ length: 1_000 }, (_, at) => `AliasTopic/${'x'.repeat(300)}-${at}`);
    expect([...jsonPieces({ changes })].length).toBeGreaterThan(3);
  });
});
