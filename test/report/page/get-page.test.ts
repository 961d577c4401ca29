import fc from '../../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { identify } from '../../../src/model/identity.ts';
import { NO_PAINT } from '../../../src/report/text/layout.ts';
import { tableOfResources } from '../../../src/report/page/get-page.ts';
import { renderTableBlock } from '../../../src/report/text/text.ts';
import { cutToWidth, widthOf } from '../../../src/report/text/table.ts';
import { kindOf, resource } from '../../support/kinds.ts';

function tableOf(names: readonly string[], width?: number): readonly string[] {
  const kind = kindOf('Interceptor');
  const spec = { pluginClass: `com.example.${'Own'.repeat(5)}`, priority: 7, config: {} };
  const resources = names.map((name) => {
    const one = resource('Interceptor', { name }, spec);
    return { address: identify(kind, one), show: () => one };
  });
  const table = tableOfResources({ kind, resources });
  const [, ...lines] = [...renderTableBlock(table, { paint: NO_PAINT, width })]
    .join('')
    .trimEnd()
    .split('\n');
  return lines;
}

describe('a table of resources', () => {
  it('is as wide as the terminal at most, whatever the names are', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.string({ unit: 'grapheme', minLength: 1 }), fc.string({ minLength: 200 })), {
          minLength: 1,
        }),
        fc.integer({ min: 20, max: 200 }),
        (names, width) => {
          const lines = tableOf(names, width);
          expect(lines).toHaveLength(names.length + 1);
          for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  it('has its columns below each other, behind letters that take two, and behind marks that take none', () => {
    const lines = tableOf(['注文-topic', 'e\u0301te\u0301', 'orders']);
    const columns = lines.slice(1).map((line) => widthOf(line.slice(0, line.indexOf('vCluster='))));
    expect(new Set(columns).size).toBe(1);
  });

  it('cuts what is long on a terminal only, and one long name does not make every row long', () => {
    const long = 'x'.repeat(10_000);
    expect(tableOf([long, 'short'], 80)[1]).toMatch(/^ {2}x+… {2}vCluster=passth/);
    const [, first = '', second = ''] = tableOf([long, 'short']);
    expect(first).toContain(long);
    expect(second.length).toBeLessThan(200);
  });
});

describe('cutToWidth', () => {
  it.each([
    ['abcdef', 6, 'abcdef'],
    ['abcdef', 5, 'abcd…'],
    ['注文注文', 8, '注文注文'],
    ['注文注文', 7, '注文注…'],
    ['注文注文', 6, '注文…'],
    ['abc', 1, '…'],
  ])('%s in %i columns', (text, most, cut) => expect(cutToWidth(text, most)).toBe(cut));
});
