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
  const lists = new Budget((options.limit - bytesOf(head) - bytesOf(foot)) / 4);
  const problems = renderList(
    inOrder(page.problems).map((one) => renderProblem(one, options)),
    'problem',
    lists,
  );
  const hasErrors = page.problems.some(({ severity }) => severity === 'error');
  const top = `${head}${renderBox(hasErrors ? 'CAUTION' : 'WARNING', 'Problems', problems, options)}`;
  const room = options.limit - bytesOf(foot);
  const text = renderBlocks(page, { before: top, lists, room: parts.length > 0 ? room / 2 : room }, options);
  return `${text}${renderParts(parts, room - bytesOf(text), options)}${foot}`;
}

/** Blocks below what stands before them, in so much room; a part of it is for lists. */
function renderBlocks(
  page: Pick<Page, 'blocks'>,
  { before, lists, room: all }: { readonly before: string; readonly lists: Budget; readonly room: number },
  options: MarkdownOptions,
): string {
  const { boxes, sections, tables, effects } = arrange(page);
  const top = [
    before,
    ...boxes.map((block) =>
      block.block === 'notes'
        ? renderBox(
            block.isGood === true ? 'NOTE' : 'WARNING',
            block.title,
            renderList(
              block.notes.map((note) => renderNote(note, block.style, options)),
              block.noun,
              lists,
            ) + renderPaste(block, lists),
            options,
          )
        : renderBox(
            block.weight === 'loss' ? 'CAUTION' : 'WARNING',
            block.title,
            renderList(block.consequences.map(renderConsequence), 'group', lists),
            options,
          ),
    ),
  ].join('');
  const room = all - bytesOf(top);
  const below = [
    ...tables.map((table) => renderTable(table, new Budget(room / 8))),
    ...effects.map((block) => renderEffects(block, new Budget(room / 8))),
  ].join('');
  const budget = new Budget(room - bytesOf(below));
  return `${top}${renderSections(sections, budget, options)}${below}`;
}

/** Parts below each other: each gets an equal share of the room that is left, and what is left out is counted. */
function renderParts(parts: readonly Part[], room: number, options: MarkdownOptions): string {
  const shown: string[] = [];
  let left = room - LEFT_OUT;
  for (const [at, part] of parts.entries()) {
    const share = left / (parts.length - at);
    const before = `### ${prose(part.title)}\n\n`;
    const text = renderBlocks(part, { before, lists: new Budget(share / 4), room: share }, options);
    if (bytesOf(text) > left) {
      const more = parts.length - at;
      shown.push(`and ${more} more ${more === 1 ? 'part' : 'parts'}, for which there is no room\n\n`);
      break;
    }
    shown.push(text);
    left -= bytesOf(text);
  }
  return shown.join('');
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

/** In a box, since nobody may overlook it. */
function renderBox(
  sort: 'CAUTION' | 'WARNING' | 'NOTE',
  title: string,
  list: string,
  { dialect }: MarkdownOptions,
): string {
  if (list === '') return '';
  const head = dialect.hasAlerts ? `[!${sort}]\n**${title}**` : `**${title}**`;
  return `${`${head}\n\n${list}`.trimEnd().replace(/^/gm, '> ')}\n\n`;
}

const RANKS: Readonly<Record<string, number>> = { error: 0, warning: 1, info: 2 };

/** Errors before warnings. */
function inOrder(problems: readonly ProblemRecord[]): readonly ProblemRecord[] {
  return [...problems].sort((one, other) => (RANKS[one.severity] ?? 0) - (RANKS[other.severity] ?? 0));
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

/** A text for a file, if there is room for all of it. */
function renderPaste({ paste }: Notes, budget: Budget): string {
  if (paste === undefined) return '';
  const text = `\n${prose(capitalise(paste.title))}:\n\n${fenced(paste.lines, 'yaml')}`;
  return budget.take(text) ? text : '';
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
