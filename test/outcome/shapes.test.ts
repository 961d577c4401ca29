import { Ajv } from 'ajv';
import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { findFault } from '../../src/model/check.ts';
import { publish } from '../../src/model/compile-shape.ts';
import type { Json } from '../../src/model/json/json.ts';
import { checks } from '../../src/outcome/checks.ts';
import { SHAPES } from '../../src/outcome/shapes/published.ts';
import { factsOf, outcomesOf, type ShapeName } from '../support/outcomes.ts';

const ajv = new Ajv({
  allErrors: true,
  formats: { 'date-time': (text: string) => !isNaN(Date.parse(text)) },
});
const NAMES = Object.keys(SHAPES) as ShapeName[]; // its own keys

describe.each(NAMES)('outcomes made of the shape %s', (name) => {
  const fits = ajv.compile(publish(SHAPES[name]));

  it('fit it, with facts that can be told apart', () => {
    fc.assert(
      fc.property(outcomesOf(name), (outcome) => {
        expect(fits(outcome), JSON.stringify(fits.errors)).toBe(true);
        const numbers = [...factsOf(outcome)].flatMap(({ value }) =>
          typeof value === 'number' && value > 100 ? [value] : [],
        );
        expect(new Set(numbers).size).toBe(numbers.length);
      }),
      { numRuns: 20 },
    );
  });
});

describe('what is read back', () => {
  it.each(Object.entries(checks))(
    '%s: the first field that is not as it should be is named',
    (format, check) => {
      const name = NAMES.find((one) => `gwconf/${one}@1` === format) ?? expect.fail(format);
      fc.assert(
        fc.property(outcomesOf(name), (outcome) => {
          expect(findFault(check(), outcome)).toBeUndefined();
          expect(findFault(check(), { ...outcome, later: [1] })).toBeUndefined();
          for (const key of Object.keys(outcome)) {
            const broken: Json = { ...outcome, [key]: -1 };
            expect(findFault(check(), broken)).toBe(`/${key}`);
          }
        }),
        { numRuns: 20 },
      );
    },
  );
});
