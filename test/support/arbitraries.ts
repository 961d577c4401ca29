import fc from './fast-check.ts';
import type { Json } from '../../src/model/json/json.ts';

/** Keys that mean something to a pointer, a pattern or an object. */
export const key = fc.oneof(
  fc.constantFrom(
    'name',
    '__proto__',
    'constructor',
    'toString',
    'sasl.mechanism',
    'a/b',
    'm~n',
    '*',
    '**',
    '0',
  ),
  fc.string({ maxLength: 4 }),
);

const scalar = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.constantFrom('', 'x', 'true', '1', '.a'),
  fc.string({ maxLength: 5 }),
);

/** Any text, of any character. The unit 'binary' of fast-check knows the same ones, but takes most of a second to begin with. */
export const anyText = (constraints: { readonly maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...constraints, unit: character });

const character = fc
  .nat(0x10ffff)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map(
    (code) => String.fromCodePoint(code),
    (text) => {
      const [code, ...more] = Array.from(String(text), (one) => one.codePointAt(0));
      if (code === undefined || more.length > 0) throw new Error('this is not one character');
      return code;
    },
  );

/** Any JSON value, with nasty keys. */
export const json: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    objectOf(tie('value')),
  ),
})).value;

/** A map of such keys; own properties only, `__proto__` too. */
export function objectOf(values: fc.Arbitrary<Json>): fc.Arbitrary<{ readonly [key: string]: Json }> {
  return fc.array(fc.tuple(key, values), { maxLength: 5 }).map((entries) => Object.fromEntries(entries));
}
