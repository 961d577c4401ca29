import fc from '../support/fast-check.ts';
import { anyText } from '../support/arbitraries.ts';
import { describe, expect, it } from 'vitest';
import { forTerminal, onOneLine } from '../../src/report/escape.ts';

describe('text for a terminal', () => {
  it('keeps ordinary text', () => {
    const text = 'Zürich, Ελλάδα, 東京, 👩‍🚀? no: 🚀 → "ok" \\u001b';
    expect(forTerminal(text.replace('\u200d', ''))).toBe(text.replace('\u200d', ''));
    expect(forTerminal('a\tb\nc')).toBe('a\tb\nc');
  });

  it('escapes control, bidirectional and invisible characters', () => {
    expect(forTerminal('\u001b[31m\u0007\r\u009b\u202e\u2066\u200b\ufeff\u00ad')).toBe(
      '\\u001b[31m\\u0007\\u000d\\u009b\\u202e\\u2066\\u200b\\ufeff\\u00ad',
    );
  });

  it('contains none of them, for any text', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        expect(forTerminal(text)).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/,
        );
        expect(onOneLine(text)).not.toMatch(/[\n\t]/);
      }),
    );
  });

  it.each([
    ['::set-env name=a::b', '\\u003a:set-env name=a::b'],
    ['a\n \t::error::b', 'a\n \t\\u003a:error::b'],
    ['x ##vso[task.complete]', 'x \\u0023#vso[task.complete]'],
    ['##[add-mask]b', '\\u0023#[add-mask]b'],
    ['####teamcity[x]', '##\\u0023#teamcity[x]'],
  ])('gives no order to a build server: %j', (text, shown) => {
    expect(forTerminal(text)).toBe(shown);
  });

  it('leaves other characters alone', () => {
    for (const text of ['a::b', ':a', '## heading', 'x #1 [y]', '# [a]'])
      expect(forTerminal(text)).toBe(text);
  });

  it('keeps the meaning of JSON', () => {
    fc.assert(
      fc.property(anyText(), fc.constantFrom('', '##vso[a]', '\n::a::', '\\'), (text, more) => {
        const value = { [`${text}${more}`]: [`${more}${text}`] };
        expect(JSON.parse(forTerminal(JSON.stringify(value, null, 2)))).toEqual(value);
      }),
    );
  });

  it('can be kept on one line', () => {
    expect(onOneLine('a\nb\tc')).toBe('a\\nb\\tc');
  });
});
