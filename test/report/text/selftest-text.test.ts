import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { makePlan } from '../../../src/plan/make-plan.ts';
import { redact } from '../../../src/plan/secrets/redact.ts';
import { NO_PAINT } from '../../../src/report/text/layout.ts';
import { renderText } from '../../../src/report/formats.ts';
import { makeSelftestReport } from '../../../src/outcome/selftest.ts';
import { desiredOf, liveOf, toyKinds } from '../../support/toy-kinds.ts';

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJsaXZlIn0.c2lnbmF0dXJl';
const OTHER = JWT.replace('c2ln', 'b3Ro');
const live = liveOf({ 'Thing/a': { needs: ['b', 'a'], size: 1, note: JWT } });

function reportOf(declared: JsonObject): {
  readonly text: string;
  readonly result: string;
  readonly json: string;
} {
  const plan = makePlan(desiredOf({ 'Thing/a': declared }), live, toyKinds, { gateway: 'here' });
  const shown = redact(plan.value, toyKinds);
  const report = makeSelftestReport(shown, live, toyKinds, 'here', []);
  return {
    text: [...renderText(report, { paint: NO_PAINT })].join(''),
    result: report.result,
    json: JSON.stringify(report),
  };
}

describe('a selftest', () => {
  it('without differences shows what was normalised', () => {
    const { text, result } = reportOf({ needs: ['a', 'b'], size: 1, note: JWT });
    expect(result).toBe('no-differences');
    expect(text).toBe(
      [
        'Normalised before comparing:',
        '  Thing  order of a set  1  /spec/needs',
        '',
        'No differences: 1 object compared.',
        '',
      ].join('\n'),
    );
  });

  it('with differences shows their fields, and hides secrets', () => {
    const { text, result, json } = reportOf({ needs: ['a', 'b'], size: 2, note: OTHER });
    expect(result).toBe('differences');
    expect(text).toContain('A plan of the gateway against itself should be empty, but has:');
    expect(text).toContain('~ Thing/a');
    expect(text).toContain('~ /spec/size: 1 → 2');
    expect(text + json).not.toMatch(/eyJ/);
  });
});
