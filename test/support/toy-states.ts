import fc from './fast-check.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Toys } from './toy-kinds.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

/** Things that hang on each other without rings and share no key, as a gateway would have them. */
export const toys: fc.Arbitrary<Toys> = fc
  .tuple(
    fc.shuffledSubarray(NAMES),
    fc.shuffledSubarray(['k1', 'k2', 'k3', 'k4', 'k5', 'k6'], { minLength: 6 }),
    fc.array(
      fc.record({
        needs: fc.array(fc.nat(5), { maxLength: 3 }),
        hasKey: fc.boolean(),
        born: fc.constantFrom(undefined, undefined, 1, 2),
        note: fc.constantFrom(1, 2),
      }),
      { minLength: 6, maxLength: 6 },
    ),
  )
  .map(([names, keys, specs]) =>
    Object.fromEntries(
      names.map((name, at): [string, JsonObject] => {
        const { needs = [], hasKey = false, born, note = 1 } = specs[at] ?? {};
        const earlier = [...new Set(needs.filter((need) => need < at))].map((need) => names[need] ?? '');
        return [
          `Thing/${name}`,
          {
            note,
            needs: earlier,
            ...(hasKey ? { key: keys[at] ?? '' } : {}),
            ...(born === undefined ? {} : { born }),
          },
        ];
      }),
    ),
  );
