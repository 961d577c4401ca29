import { createHash } from 'node:crypto';
import fc from '../../support/fast-check.ts';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { describe, expect, it } from 'vitest';
import { renderHtml } from '../../../src/report/html/html.ts';
import { forOutput } from '../../../src/model/text/escape.ts';
import type { Block } from '../../../src/report/page/page.ts';
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

  it('opens everything of a short page, and of a long one what is deleted or deserves a look', () => {
    const openIn = (count: number): readonly boolean[] =>
      elementsOf(htmlOf([], count))
        .filter(({ tagName, parentNode }) => tagName === 'details' && isItem(parentNode))
        .map(({ attrs }) => attrs.some(({ name }) => name === 'open'));
    expect(openIn(5)).not.toContain(false);
    const long = openIn(30);
    expect(long.filter((isOpen) => isOpen)).toHaveLength(2); // the first of each sort is risky
    const page = pageWith(30);
    const deletes = { ...page, blocks: page.blocks.map(asDeletes) };
    expect([...renderHtml(deletes, { tool: TOOL })].join('').match(/<details open>/g)?.length).toBe(60);
  });

  it('shows effects beside the change that causes them, and only others in a list', () => {
    const cause = 'Interceptor/object-1@vCluster=stage';
    const effect = { count: 1, text: 'ann loses masking', names: ['ann'], notes: [], lines: [] };
    const other = { ...effect, text: 'bob gains audit' };
    const consequences = [{ ...effect, causes: [cause] }, other];
    const effects = { block: 'consequences', title: 'Effects', weight: 'effect', consequences } as const;
    const page = pageWith(3);
    const html = [...renderHtml({ ...page, blocks: [...page.blocks, effects] }, { tool: TOOL })].join('');
    expect(html.match(/ann loses masking/g)).toHaveLength(1);
    expect(html.slice(html.indexOf(cause), html.indexOf('</details>', html.indexOf(cause)))).toContain(
      'ann loses',
    );
    expect(html.slice(html.indexOf('<h2>Effects (1)</h2>'))).toContain('bob gains audit');
  });

  it('says when, of which commit and how it was made', () => {
    const made = { day: '2026-03-01', commit: 'abc', command: "gwconf plan -f '<b>'" };
    const text = textOf(parse([...renderHtml(pageWith(1), { tool: TOOL, made })].join('')));
    expect(text).toContain(`2026-03-01 by ${TOOL}, of commit abc`);
    expect(text).toContain("Commandgwconf plan -f '<b>'");
  });
});

function isItem(node: Node | null): boolean {
  return node !== null && 'attrs' in node && node.attrs.some(({ name }) => name === 'role');
}

function asDeletes(block: Block): Block {
  return block.block === 'changes'
    ? { ...block, sections: () => block.sections().map((one) => ({ ...one, sign: '-' as const })) }
    : block.block === 'section'
      ? { ...block, sign: '-' }
      : block;
}
