import { createHash } from 'node:crypto';
import fc from '../../support/fast-check.ts';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { describe, expect, it } from 'vitest';
import { renderHtml } from '../../../src/report/html/html.ts';
import { forOutput } from '../../../src/model/text/escape.ts';
import { TOOL } from '../hostile.ts';
import { pageWith, TRICKS } from './pages.ts';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

function htmlOf(names: readonly string[], count = 2): string {
  return forOutput([...renderHtml(pageWith(count, names), { tool: TOOL })].join(''));
}

function elementsOf(html: string): readonly Element[] {
  const found: Element[] = [];
  const walk = (node: Node): void => {
    if ('tagName' in node) found.push(node);
    if ('childNodes' in node) node.childNodes.forEach(walk);
  };
  walk(parse(html));
  return found;
}

function textOf(node: Node): string {
  if ('value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

/** The elements and their attributes, without what attributes and texts say. */
function shapeOf(html: string): ReadonlySet<string> {
  return new Set(
    elementsOf(html).map(({ tagName, attrs }) => `${tagName} ${attrs.map(({ name }) => name).join(' ')}`),
  );
}

describe('a page as HTML', () => {
  it('has no element and no attribute that a text brings', () => {
    const honest = shapeOf(htmlOf(['honest', 'names', 'only']));
    const text = fc.oneof(
      fc.constantFrom(...TRICKS),
      fc.string({
        unit: fc.constantFrom('<', '>', '"', "'", '&', '/', '=', ' ', 'a', ';', '#', '!', '-', '`'),
      }),
    );
    fc.assert(
      fc.property(fc.array(text, { minLength: 3, maxLength: 5 }), (names) => {
        expect([...shapeOf(htmlOf(names))].filter((shape) => !honest.has(shape))).toEqual([]);
      }),
    );
  });

  it('allows its own style and script and nothing else', () => {
    const elements = elementsOf(htmlOf(TRICKS));
    const contents = (tag: string): readonly string[] =>
      elements.filter(({ tagName }) => tagName === tag).map(textOf);
    const hashes = (tag: string): readonly string[] =>
      contents(tag).map((text) => `sha256-${createHash('sha256').update(text).digest('base64')}`);
    const policy = elements.find(({ attrs }) =>
      attrs.some(({ value }) => value === 'Content-Security-Policy'),
    );
    const [style, ...otherStyles] = hashes('style');
    const [script, ...otherScripts] = hashes('script');
    expect([...otherStyles, ...otherScripts]).toEqual([]);
    expect(policy?.attrs.find(({ name }) => name === 'content')?.value).toBe(
      `default-src 'none'; style-src '${style}'; script-src '${script}'; base-uri 'none'; form-action 'none'`,
    );
    expect(
      elements.flatMap(({ attrs }) =>
        attrs.filter(({ name }) => name.startsWith('on') || name === 'style' || name === 'src'),
      ),
    ).toEqual([]);
  });

  it('shows each object once, with its lines', () => {
    const items = elementsOf(htmlOf([], 40)).filter(
      ({ tagName, attrs }) => tagName === 'div' && attrs.some(({ name }) => name === 'data-k'),
    );
    expect(items).toHaveLength(80);
    expect(textOf(items[41] as Element)).toContain('AliasTopic/object-1@vCluster=stage');
    expect(textOf(items[41] as Element)).toContain('+ /spec/x: new 1');
  });
});
