import fc from '../../support/fast-check.ts';
import { type Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { onOneLine } from '../../../src/report/escape.ts';
import { code as htmlCode } from '../../../src/report/markup.ts';
import { BITBUCKET, codeSpan, fenced, GITHUB, prose, bytesOf } from '../../../src/report/markdown/prose.ts';
import { renderMarkdown } from '../../../src/report/markdown/markdown.ts';
import type { Block, Entry, Page } from '../../../src/report/page/page.ts';
import type { Consequence } from '../../../src/report/page/principals.ts';
import { NASTY } from '../hostile.ts';
import { orAll } from '../../support/soak.ts';
import { tokensOf } from '../../support/markdown.ts';

/** What an author may write to be shown as something else, to call people, or to link somewhere. */
const TRICKS = [
  NASTY,
  '@everyone',
  'see #12 and GH-34, org/repo#5',
  'commit 1234567deadbeef, deadbeef1',
  'https://evil.example www.evil.example a@evil.example',
  '[click](https://evil.example) ![x](y) <img src=x onerror=alert(1)> <!-- hidden',
  '`code` ``more`` ```',
  '*`*\\\\|',
  '| a | b |',
  '</code></summary></details><script>alert(1)</script>',
  '**bold** _em_ ~~gone~~ # heading',
  '- list\n> quote\n\n# heading',
  '12',
  '1. list',
  '1) list',
  '[!NOTE]',
  '\\` \\[ \\',
  'a‮b\u200bc',
];
const trick = fc.oneof(
  fc.constantFrom(...TRICKS),
  fc.string({
    unit: fc.constantFrom(
      '`',
      '@',
      '#',
      '<',
      '>',
      '|',
      '[',
      ']',
      '(',
      ')',
      '*',
      '_',
      '\\',
      ' ',
      'a',
      '1',
      '.',
      '\n',
      ':',
      '&',
      '!',
      '?',
    ),
  }),
);

const INLINE = ['paragraph', 'text', 'codespan', 'escape', 'space'];

describe('text in Markdown', () => {
  it('is only words and code, whatever it is', () => {
    fc.assert(
      fc.property(trick, (text) => {
        const tokens = [`x ${prose(text)}`, prose(text), prose(`${text}.`)].flatMap(tokensOf);
        expect(tokens.map(({ type }) => type).filter((type) => !INLINE.includes(type))).toEqual([]);
        const words = tokens.flatMap((token) => (token.type === 'text' ? [token.raw] : []));
        for (const word of words) expect(word).not.toMatch(/[@#<>[\]*_`|\\]|:\/\/|www\.|\b[\da-f]{7,}\b/i);
      }),
    );
  });

  it('keeps the marks of the sentence out of code', () => {
    expect(prose('Did you mean a-b? Or (spec/x), c_d.')).toBe('Did you mean `a-b`? Or (`spec/x`), `c_d`.');
  });

  it('is the same text when it is code', () => {
    fc.assert(
      fc.property(trick, (text) => {
        fc.pre(text.trim() !== '' && onOneLine(text) === text); // what is escaped is another text
        const [first, ...others] = tokensOf(codeSpan(text)).filter(({ type }) => type === 'codespan');
        expect(others).toEqual([]);
        expect((first as Tokens.Codespan).text.trim()).toBe(text.trim());
      }),
    );
  });

  it('cannot end a block of lines', () => {
    fc.assert(
      fc.property(fc.array(trick), (lines) => {
        const safe = lines.map((line) => `+ ${line.replaceAll('\n', ' ')}`);
        expect(tokensOf(fenced(safe)).map(({ type }) => type)).toEqual(['code']);
      }),
    );
  });

  it('cannot leave HTML code', () => {
    fc.assert(
      fc.property(trick, (text) => {
        expect(htmlCode(text)).toMatch(/^<code>[^<>]*<\/code>$/);
      }),
    );
  });
});

function entry(name: string, fields: number, isRisky = false): Entry {
  const lines = Array.from({ length: fields }, (_, at) => ({
    sign: '+' as const,
    text: `field${at}: value`,
  }));
  return { names: [name], notes: [], isRisky, lines: () => lines };
}

function page(parts: Partial<Page>): Page {
  const empty = { facts: [], problems: [], blocks: [], closing: '', ending: undefined };
  return { title: 'Plan: 3 to create', tone: 'review', totals: () => ({ rows: [] }), ...empty, ...parts };
}

function section(title: string, sign: '+' | '-' | '~', count: number, entries: readonly Entry[]): Block {
  return { block: 'section', title, sign, count, entries };
}

function risks(...names: readonly string[]): Block {
  const notes = names.map((name) => ({ name, text: 'applies to everyone' }));
  return { block: 'notes', title: 'Risks', noun: 'risk', notes, style: 'marked' };
}

function happens(title: string, consequences: readonly Consequence[]): Block {
  return {
    block: 'consequences',
    title,
    weight: title === 'Protection gaps' ? 'loss' : 'effect',
    consequences,
  };
}

/** What happens to two principals, in these words. */
function consequenceOf(text: string): Consequence {
  return { count: 2, text, names: [text, text], notes: [text], lines: [] };
}

function manyObjects(count: number, fields: number): Page {
  const created = Array.from({ length: count }, (_, at) =>
    entry(`AliasTopic/created-${at}`, fields, at === count - 1),
  );
  const deleted = [entry('AliasTopic/gone', fields)];
  return page({
    problems: [{ code: 'no-plan', severity: 'error', message: 'something is wrong' }],
    blocks: [
      risks('AliasTopic/gone'),
      section('Delete', '-', 1, deleted),
      section('Create', '+', count, created),
    ],
    totals: () => ({
      rows: [
        { kind: 'AliasTopic', virtualCluster: 'prod', counts: { Create: count } },
        { kind: 'AliasTopic', virtualCluster: undefined, counts: { Delete: 1 } },
      ],
    }),
    closing: '7 unchanged',
  });
}

/** More than a limit of a million bytes has room for. */
const MANY = orAll(15_000, 50_000);

describe('a page as Markdown', () => {
  it.each([
    [3, 65_536, GITHUB],
    [400, 65_536, GITHUB],
    [MANY, 65_536, GITHUB],
    [MANY, 32_000, BITBUCKET],
    [MANY, 1_000_000, GITHUB],
  ])('of %d objects fits %d bytes, with what matters most', (count, limit, dialect) => {
    const text = renderMarkdown(manyObjects(count, 20), { limit, dialect });
    expect(bytesOf(text)).toBeLessThanOrEqual(limit);
    expect(text).toContain('`no-plan`');
    expect(text).toContain('`AliasTopic/gone`');
    expect(text).toContain(`AliasTopic/created-${count - 1}`);
    expect(text).toContain(`| \`AliasTopic\` | \`prod\` |  | ${count} |`);
    expect(text).toContain('7 unchanged.');
    const isWhole = bytesOf(text) < limit / 2;
    expect(text.includes('There is no room here')).toBe(!isWhole);
  });

  it('uses most of the bytes when there is more to show', () => {
    const text = renderMarkdown(manyObjects(5_000, 20), { limit: 65_536, dialect: GITHUB });
    expect(bytesOf(text)).toBeGreaterThan(60_000);
  });

  it('fits with ten thousand problems, kinds or names in one entry', () => {
    const names = Array.from(
      { length: 10_000 },
      (_, at) => `Interceptor/${'n'.repeat(100)}-${at}@vCluster=v${at}`,
    );
    const [first = '', ...others] = names;
    const text = renderMarkdown(
      page({
        problems: names.map((name) => ({
          code: 'x',
          severity: 'error',
          message: `${name} is wrong`,
          hint: 'mend it',
        })),
        blocks: [
          happens('Protection gaps', names.map(consequenceOf)),
          risks(...names),
          section('Update', '~', 10_000, [{ ...entry(first, 2), names: [first, ...others] }]),
          happens('Affected clients', names.map(consequenceOf)),
          { block: 'table', title: 'Numbers', titles: ['Name'], rows: names.map((name) => [name]) },
        ],
        totals: () => ({
          rows: names.map((kind) => ({ kind, virtualCluster: kind, counts: { Update: 1 } })),
        }),
      }),
      { limit: 32_000, dialect: GITHUB },
    );
    expect(bytesOf(text)).toBeLessThanOrEqual(32_000);
    expect(text).toMatch(/and \d+ more problems/);
    expect(text).toMatch(/and \d+ more risks/);
    expect(text).toMatch(/and \d+ more groups/);
    expect(text).toMatch(/and other effects on \d{5} clients/);
    expect(text.match(/and \d+ more rows/g)).toHaveLength(2);
  });

  it('is only words and code, whatever happens to whom', () => {
    fc.assert(
      fc.property(trick, (text) => {
        const told = [{ ...consequenceOf(text), lines: [{ sign: '+' as const, text }] }];
        const notes = [{ name: text, path: text, text }];
        const marked = renderMarkdown(
          page({
            blocks: [
              happens('Protection gaps', told),
              happens('Effects', told),
              { block: 'notes', title: 'Not checked', noun: 'note', notes, style: 'terms' },
              { block: 'table', title: 'Numbers', titles: ['Name'], rows: [[text, text]] },
            ],
          }),
          { limit: 32_000, dialect: BITBUCKET },
        );
        const types = new Set(tokensOf(marked).map(({ type }) => type));
        for (const known of [...INLINE, 'heading', 'list', 'list_item', 'blockquote', 'strong', 'table'])
          types.delete(known);
        expect([...types]).toEqual([]);
      }),
    );
  });

  it('of many parts has room for what stands first in one of them, wherever that is', () => {
    const names = (at: number): readonly string[] =>
      Array.from({ length: 9 }, (_, of) => `topic-${at}-${of}`);
    const part = (title: string, ...blocks: readonly Block[]): Block => ({ block: 'part', title, blocks });
    const others = Array.from({ length: 400 }, (_, at) =>
      part(
        `e${at}`,
        section(
          'Create',
          '+',
          9,
          names(at).map((name) => entry(name, 3)),
        ),
      ),
    );
    for (const at of [0, 200, 400]) {
      const blocks = others.toSpliced(at, 0, part('prod', risks('Interceptor/mask '.repeat(12).trim())));
      const text = renderMarkdown(page({ blocks }), { limit: 32_000, dialect: BITBUCKET });
      expect(text).toContain('### prod\n\n> **Risks**\n> \n> - `Interceptor/mask Interceptor/mask ');
      expect(text).toMatch(/and \d+ more parts, for which there is no room/);
      expect(bytesOf(text)).toBeLessThanOrEqual(32_000);
    }
  });

  it('has no HTML and no boxes where Bitbucket shows it', () => {
    const text = renderMarkdown(manyObjects(3, 2), { limit: 32_000, dialect: BITBUCKET });
    expect(text).not.toMatch(/<\w|\[!/);
    expect(tokensOf(text).filter(({ type }) => type === 'code')).toHaveLength(4);
  });

  it('has a red box for errors and a yellow one for warnings', () => {
    const boxOf = (severity: 'error' | 'warning'): string | undefined => {
      const problems = [{ code: 'x', severity, message: 'something is wrong' }];
      return /\[!(\w+)\]/.exec(renderMarkdown(page({ problems }), { limit: 32_000, dialect: GITHUB }))?.[1];
    };
    expect([boxOf('error'), boxOf('warning')]).toEqual(['CAUTION', 'WARNING']);
  });

  it('links each place of which the address is known', () => {
    const at = { file: 'a b/[x](y).yaml', line: 3, column: 1 };
    const text = renderMarkdown(
      page({
        blocks: [section('Create', '+', 1, [{ ...entry('Thing/a', 0), at }])],
      }),
      { limit: 32_000, dialect: GITHUB, linkTo: ({ line }) => `https://forge.example/x#L${line}` },
    );
    const links = tokensOf(text).filter((token): token is Tokens.Link => token.type === 'link');
    expect(links.map(({ href, text: shown }) => [href, shown])).toEqual([
      ['https://forge.example/x#L3', '`a b/[x](y).yaml:3`'],
    ]);
  });
});
