import type { Page, Tone, Total } from '../page/page.ts';
import type { ProblemRecord } from '../../outcome/problem-record.ts';
import { Budget, bytesOf } from './budget.ts';
import { renderEffects, renderFate } from './fates.ts';
import { renderSections } from './sections.ts';
import { renderPlace, type MarkdownOptions } from './place.ts';
import { codeCell, codeSpan, prose } from './prose.ts';

/**
 * A page as Markdown of limited size. Title, totals, problems, losses and risks are always there; of the rest, the names of objects
 * come before their fields, and the riskiest first; effects take an eighth at most. The text says how much it leaves out.
 */
export function renderMarkdown(page: Page, options: MarkdownOptions): string {
  const head = `### ${TONES[page.tone]} ${prose(page.title)}\n\n${renderFacts(page)}`;
  const foot = renderTotals(page, new Budget(options.limit / 10));
  const lists = new Budget((options.limit - bytesOf(head) - bytesOf(foot)) / 4);
  const problems = renderList(
    inOrder(page.problems).map((one) => renderProblem(one, options)),
    'problem',
    lists,
  );
  const losses = (page.losses ?? []).map(({ title, fates }) =>
    renderBox('CAUTION', title, renderList(fates.map(renderFate), 'group', lists), options),
  );
  const risks = renderList(
    page.risks.map(({ name, text }) => `- ${codeSpan(name)} ${prose(clip(text))}\n`),
    'risk',
    lists,
  );
  const hasErrors = page.problems.some(({ severity }) => severity === 'error');
  const top = [
    head,
    renderBox(hasErrors ? 'CAUTION' : 'WARNING', 'Problems', problems, options),
    ...losses,
    renderBox('WARNING', 'Risks', risks, options),
  ].join('');
  const room = options.limit - bytesOf(top) - bytesOf(foot);
  const effects = page.effects === undefined ? '' : renderEffects(page.effects, new Budget(room / 8));
  const budget = new Budget(room - bytesOf(effects));
  return `${top}${renderSections(page.sections, budget, options)}${effects}${foot}`;
}

const TONES: Readonly<Record<Tone, string>> = { calm: '✅', review: '📝', warning: '⚠', alarm: '🛑' };

function renderFacts({ facts, next }: Page): string {
  const parts = facts.map(
    ({ label, text, isCode }) => `${label} ${isCode ? codeSpan(clip(text)) : prose(clip(text))}`,
  );
  const line = parts.length === 0 ? '' : `${parts.join(' · ')}\n\n`;
  return next === undefined ? line : `${line}${prose(next)}\n\n`;
}

/** In a box, since nobody may overlook it. */
function renderBox(
  sort: 'CAUTION' | 'WARNING',
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
  const cure = hint === undefined ? '' : `. ${prose(sentence(hint))}.`;
  return `- **${severity}** ${codeSpan(code)}: ${prose(clip(message))}${place}${cure}\n`;
}

/** A text that takes no more room than a few sentences. */
function clip(text: string): string {
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

const LONGEST = 1000;

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** As many lines as the budget has room for, and how many there are besides. */
function renderList(lines: readonly string[], noun: string, budget: Budget): string {
  const shown: string[] = [];
  for (const line of lines) {
    if (!budget.take(`> ${line}`)) break;
    shown.push(line);
  }
  const left = lines.length - shown.length;
  return `${shown.join('')}${left === 0 ? '' : `- and ${left} more ${noun}${left === 1 ? '' : 's'}\n`}`;
}

/** With more rows, virtual clusters are added up. */
const MOST_ROWS = 40;

function renderTotals({ totals, sections, closing }: Page, budget: Budget): string {
  const line = closing === '' ? '' : `${prose(closing)}.\n`;
  const rows = totals.length > MOST_ROWS ? addUp(totals) : totals;
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
  const lines = [head, rule, ...cells].map((row) => `| ${row.join(' | ')} |\n`);
  const shown = lines.filter((row) => budget.take(row));
  const left = lines.length - shown.length;
  return `#### Totals\n\n${shown.join('')}${left === 0 ? '' : `\nand ${left} more rows\n`}\n${line}`;
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
