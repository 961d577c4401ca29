import { formatCount } from '../../model/text/list.ts';
import type { ProblemRecord } from '../../outcome/problem-record.ts';
import { arrange } from '../page/arrange.ts';
import type { Note, Notes, Page, Part, Section, Table, Tone, Total } from '../page/page.ts';
import {
  Budget,
  bytesOf,
  clip,
  codeCell,
  codeSpan,
  fenced,
  type MarkdownOptions,
  prose,
  renderPlace,
} from './prose.ts';
import { mostTelling } from '../most-telling.ts';
import { renderConsequence, renderEffects, renderSections } from './sections.ts';
import { capitalise } from '../phrases.ts';

/**
 * A page as Markdown of limited size. Title, totals, problems, losses and risks are always there; of the rest, the names of objects
 * come before their fields, and the riskiest first; effects and tables take an eighth each at most. The text says how much it
 * leaves out.
 */
export function renderMarkdown(page: Page, options: MarkdownOptions): string {
  const { sections, parts } = arrange(page);
  const head = `### ${TONES[page.tone]} ${prose(page.title)}\n\n${renderFacts(page)}`;
  const foot = renderTotals(page, sections, new Budget(options.limit / 10));
  const problems: Box = {
    sort: page.problems.some(({ severity }) => severity === 'error') ? 'CAUTION' : 'WARNING',
    title: 'Problems',
    lines: mostTelling(page.problems).map((one) => renderProblem(one, options)),
    noun: 'problem',
  };
  const boxes = [problems, ...boxesOf(page, options)];
  const shares = shareOut(boxes, (options.limit - bytesOf(head) - bytesOf(foot)) / 4);
  const room = options.limit - bytesOf(foot);
  const text = renderBlocks(page, head, ofBoxes(boxes, shares), parts.length > 0 ? room / 2 : room, options);
  return `${text}${renderParts(parts, room - bytesOf(text), options)}${foot}`;
}

function boxesOf(page: Pick<Page, 'blocks'>, options: MarkdownOptions): readonly Box[] {
  return arrange(page).boxes.map((block): Box =>
    block.block === 'notes'
      ? {
          ...{ sort: block.isGood === true ? 'NOTE' : 'WARNING', title: block.title, noun: block.noun },
          lines: block.notes.map((note) => renderNote(note, block.style, options)),
          paste: renderPaste(block),
        }
      : {
          ...{ sort: block.weight === 'loss' ? 'CAUTION' : 'WARNING', title: block.title, noun: 'group' },
          lines: block.consequences.map(renderConsequence),
        },
  );
}

/** What stands first, each with its room, and the other blocks below it in the rest of so much room. */
function renderBlocks(
  page: Pick<Page, 'blocks'>,
  before: string,
  boxes: ReadonlyMap<Box, number>,
  all: number,
  options: MarkdownOptions,
): string {
  const { sections, tables, effects } = arrange(page);
  const lists = [...boxes].map(([box, share]) => renderBox(box, new Budget(share), options));
  const top = `${before}${lists.join('')}`;
  const room = all - bytesOf(top);
  const below = [
    ...tables.map((table) => renderTable(table, new Budget(room / 8))),
    ...effects.map((block) => renderEffects(block, new Budget(room / 8))),
  ].join('');
  const budget = new Budget(room - bytesOf(below));
  return `${top}${renderSections(sections, budget, options)}${below}`;
}

/**
 * Parts below each other: what stands first in them has half of the room, and each gets an equal share of what is left. Those where nothing
 * stands first are left out first.
 */
function renderParts(parts: readonly Part[], room: number, options: MarkdownOptions): string {
  const shown = new Map<Part, string>();
  const each = parts.map((part) => ({ part, boxes: boxesOf(part, options) }));
  const shares = shareOut(
    each.flatMap(({ boxes }) => boxes),
    room / 2,
  );
  const shareOf = (boxes: readonly Box[]): number =>
    boxes.reduce((sum, box) => sum + (shares.get(box) ?? 0), 0);
  let left = room - LEFT_OUT - shareOf([...shares.keys()]);
  const bare = each.filter(({ boxes }) => boxes.length === 0);
  for (const [at, { part, boxes }] of [...each.filter((one) => !bare.includes(one)), ...bare].entries()) {
    const own = shareOf(boxes);
    const before = `### ${prose(part.title)}\n\n`;
    const text = renderBlocks(
      part,
      before,
      ofBoxes(boxes, shares),
      own + left / (parts.length - at),
      options,
    );
    const besides = bytesOf(text) - own;
    if (besides > left) continue;
    shown.set(part, text);
    left -= besides;
  }
  const more = parts.length - shown.size;
  const rest = more === 0 ? '' : `and ${formatCount(more, 'more part')}, for which there is no room\n\n`;
  return `${parts.map((part) => shown.get(part) ?? '').join('')}${rest}`;
}

/** Room for the sentence on parts that are left out. */
const LEFT_OUT = 100;

const TONES: Readonly<Record<Tone, string>> = { calm: '✅', review: '📝', warning: '⚠', alarm: '🛑' };

function renderFacts({ facts, next, totals }: Page): string {
  const { touched } = totals();
  const parts = [...facts, ...(touched === undefined ? [] : [touched])].map(
    ({ label, text, isCode }) => `${label} ${isCode ? codeSpan(clip(text)) : prose(clip(text))}`,
  );
  const line = parts.length === 0 ? '' : `${parts.join(' · ')}\n\n`;
  return next === undefined ? line : `${line}${prose(next)}\n\n`;
}

/** A list in a box, since nobody may overlook it. */
type Box = {
  readonly sort: 'CAUTION' | 'WARNING' | 'NOTE';
  readonly title: string;
  readonly lines: readonly string[];
  readonly noun: string;
  /** What stands below, if there is room for it. */
  readonly paste?: string;
};

/** The room of each, of so much for all. The long ones share what the short ones leave: many problems hide no loss, nor the other way round. */
function shareOut(boxes: readonly Box[], room: number): ReadonlyMap<Box, number> {
  const needs = boxes.map((box) => {
    const { lines, paste = '' } = box;
    return { box, bytes: bytesOf(lines.map((line) => `> ${line}`).join('') + paste) };
  });
  const shares = new Map<Box, number>();
  let left = room;
  for (const [at, { box, bytes }] of needs.sort((one, other) => one.bytes - other.bytes).entries()) {
    const share = Math.min(bytes, left / (boxes.length - at));
    shares.set(box, share);
    left -= share;
  }
  return shares;
}

function ofBoxes(boxes: readonly Box[], shares: ReadonlyMap<Box, number>): ReadonlyMap<Box, number> {
  return new Map(boxes.map((box) => [box, shares.get(box) ?? 0]));
}

function renderBox(
  { sort, title, lines, noun, paste = '' }: Box,
  budget: Budget,
  { dialect }: MarkdownOptions,
): string {
  if (lines.length === 0) return '';
  const list = `${renderList(lines, noun, budget)}${budget.take(paste) ? paste : ''}`;
  const head = dialect.hasAlerts ? `[!${sort}]\n**${title}**` : `**${title}**`;
  return `${`${head}\n\n${list}`.trimEnd().replace(/^/gm, '> ')}\n\n`;
}

function renderProblem(
  { severity, code, message, hint, file, line, column = 1 }: ProblemRecord,
  options: MarkdownOptions,
): string {
  const place =
    file === undefined || line === undefined ? '' : ` (${renderPlace({ file, line, column }, options)})`;
  const cure = hint === undefined ? '' : `. ${prose(capitalise(hint))}${hint.endsWith('?') ? '' : '.'}`;
  return `- **${severity}** ${codeSpan(code)}: ${prose(clip(message))}${place}${cure}\n`;
}

/** A sentence, or a term and what it means. */
function renderNote(
  { name, path, text, parts = [text], at }: Note,
  style: Notes['style'],
  options: MarkdownOptions,
): string {
  const what = [
    ...(path === undefined ? [] : [codeSpan(path), 'of']),
    ...(name === undefined ? [] : [codeSpan(name)]),
  ];
  const who = what.length === 0 ? '' : `${what.join(' ')}${style === 'terms' ? ':' : ''} `;
  const words = parts.map((part) =>
    typeof part === 'string' ? prose(clip(part)) : codeSpan(clip(part.code)),
  );
  return `- ${who}${words.join(' ')}${at === undefined ? '' : ` (${renderPlace(at, options)})`}\n`;
}

/** A text for a file. */
function renderPaste({ paste }: Notes): string {
  return paste === undefined ? '' : `\n${prose(capitalise(paste.title))}:\n\n${fenced(paste.lines, 'yaml')}`;
}

/** As many lines as the budget has room for, and how many there are besides. */
function renderList(lines: readonly string[], noun: string, budget: Budget): string {
  const shown: string[] = [];
  for (const line of lines) {
    if (!budget.take(`> ${line}`)) break;
    shown.push(line);
  }
  const left = lines.length - shown.length;
  return `${shown.join('')}${left === 0 ? '' : `- and ${left} more ${noun}${left === 1 ? '' : noun.endsWith('s') ? 'es' : 's'}\n`}`;
}

/** With more rows, virtual clusters are added up. */
const MOST_ROWS = 40;

function renderTotals({ totals, closing }: Page, sections: readonly Section[], budget: Budget): string {
  const line = closing === '' ? '' : `${prose(closing)}.\n`;
  const all = totals().rows;
  const rows = all.length > MOST_ROWS ? addUp(all) : all;
  if (rows.length < 2) return line;
  const titles = sections.map(({ title }) => title);
  const clusters = rows.some(({ virtualCluster }) => virtualCluster !== undefined);
  const cells = rows.map(({ kind, virtualCluster, counts }) => [
    codeCell(kind),
    ...(clusters ? [virtualCluster === undefined ? '' : codeCell(virtualCluster)] : []),
    ...titles.map((title) => String(counts[title] ?? '')),
  ]);
  const head = ['Kind', ...(clusters ? ['Virtual cluster'] : []), ...titles];
  const rule = head.map((_, at) => (at < head.length - titles.length ? '---' : '--:'));
  return `#### Totals\n\n${renderRows([head, rule, ...cells], budget)}\n${line}`;
}

function renderTable({ title, titles, rows }: Table, budget: Budget): string {
  const cells = rows.map((row) => row.map(codeCell));
  return `#### ${title}\n\n${renderRows([titles, titles.map(() => '---'), ...cells], budget)}\n`;
}

/** As many rows as the budget has room for, and how many there are besides. */
function renderRows(rows: readonly (readonly string[])[], budget: Budget): string {
  const lines = rows.map((row) => `| ${row.join(' | ')} |\n`);
  const shown = lines.filter((row) => budget.take(row));
  const left = lines.length - shown.length;
  return `${shown.join('')}${left === 0 ? '' : `\nand ${left} more rows\n`}`;
}

/** The totals of each kind over all virtual clusters. */
function addUp(totals: readonly Total[]): readonly Total[] {
  const byKind = new Map<string, Record<string, number>>();
  for (const { kind, counts } of totals) {
    const sum = byKind.get(kind) ?? {};
    for (const [title, count] of Object.entries(counts)) sum[title] = (sum[title] ?? 0) + count;
    byKind.set(kind, sum);
  }
  return [...byKind].map(([kind, counts]) => ({ kind, virtualCluster: undefined, counts }));
}
