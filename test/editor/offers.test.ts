import fc from '../support/fast-check.ts';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { printText } from '../../src/editor/offers.ts';

it('a text stays what it is in braces, in brackets and in quotes', () => {
  const text = fc.oneof(
    fc.string(),
    fc.stringMatching(/^[\w,[\]{}:#'"\\ .-]+$/),
    fc.constantFrom(
      'a, b',
      'x}',
      '[1]',
      "it's",
      'orders\\.v1',
      'Interceptor/a@vCluster=b,username=c',
      'a\nb',
      '1',
    ),
  );
  fc.assert(
    fc.property(text, fc.constantFrom('', '"', "'"), (text, quote) => {
      fc.pre(quote !== "'" || !/[\n\r]/.test(text)); // single quotes know no escapes
      const written = `${quote}${printText(text, quote)}${quote}`;
      expect(parse(`{ a: ${written}, b: [${written} ] }`)).toEqual({ a: text, b: [text] });
    }),
  );
});
