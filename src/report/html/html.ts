import { compareNaturally } from '../../model/text/natural-order.ts';
import { addTo } from '../../model/collect.ts';
import { inPieces } from '../../model/json/pieces.ts';
import type { ProblemRecord } from '../../outcome/problem-record.ts';
import { code, escapeHtml, link, text, type LinkTo } from '../markup.ts';
import { arrange } from '../page/arrange.ts';
import { listSome } from '../../model/text/list.ts';
import { countPrincipals, type Consequence } from '../page/principals.ts';
import type { Consequences, Note, Notes, Page, Section, Table, Total } from '../page/page.ts';
import { renderGraph } from './graph.ts';
import { SCRIPT, STYLE } from './assets.ts';
import { block, renderEntry } from './entries.ts';

export type HtmlOptions = {
  /** The name of the program and its version: `gwconf 1.2.3`. */
  readonly tool: string;
  readonly made?: Made | undefined;
  readonly linkTo?: LinkTo | undefined;
};

/** When a page was made, of what, and by which command. */
export type Made = {
  /** `2026-03-01` */
  readonly day: string;
  readonly commit?: string | undefined;
  /** Without secrets. */
  readonly command?: string | undefined;
};

/** SHA-256 of the style and the script: nothing else may run in the page, and nothing may be loaded. */
export const HASHES = {
  style: 'sha256-O5fn9HVSLHkkuWkzPrafVhspDIsseOYaHG0iQW6m1Zw=',
  script: 'sha256-TlvdVXfLwxnJhmyqCForZQXMbO6uaXlywZqS8XDAWTg=',
};

/** A page as one HTML file that loads nothing. In pieces, because it can be long. */
export function renderHtml(page: Page, options: HtmlOptions): Iterable<string> {
  return inPieces(partsOf(page, options));
}

function* partsOf(page: Page, options: HtmlOptions): Generator<string> {
  const { sections, steps, parts } = arrange(page);
  yield `${head(page)}<body><main>\n`;
  yield `<header class="tone ${page.tone}"><h1>${text(page.title)}</h1>${facts(page, options)}</header>\n`;
  yield list(
    'Problems',
    page.problems.map((one) => problem(one, options)),
  );
  const isShort = sections.reduce((sum, { count }) => sum + count, 0) <= MOST_OPEN;
  yield* renderBlocks(page, { ...options, isShort, filters: filters(sections, page, isShort), place: '' });
  if (steps !== undefined) yield renderGraph(steps);
  for (const [at, part] of parts.entries()) {
    yield `<section class="part"><h2>${text(part.title)}</h2>\n`;
    yield* renderBlocks(part, { ...options, isShort: false, filters: '', place: `-${at + 1}` });
    yield '</section>\n';
  }
  yield totals(page, sections);
  yield `</main><script>${SCRIPT}</script></body></html>\n`;
}

type BlockOptions = HtmlOptions & {
  readonly isShort: boolean;
  /** What stands before the sections. */
  readonly filters: string;
  /** What makes the names of its sections different from those of other parts. */
  readonly place: string;
};

function* renderBlocks(page: Pick<Page, 'blocks'>, options: BlockOptions): Generator<string> {
  const { boxes, sections, tables, effects } = arrange(page);
  const { isShort, place } = options;
  for (const box of boxes)
    yield list(
      box.title,
      box.block === 'notes'
        ? box.notes.map((one) => noteItem(one, box.style, options))
        : box.consequences.map(consequenceItem),
      box.block === 'notes' ? paste(box) : '',
    );
  yield options.filters;
  const asShown = { isShort, linkTo: options.linkTo, below: belowChange(besideChanges(effects)) };
  for (const section of sections) {
    const [open, close] = folded(section);
    yield `<section class="objects ${idOf(section)}" id="${idOf(section)}${place}">${open}\n`;
    yield '<div class="entries" role="list">\n';
    for (const entry of section.entries) yield renderEntry(entry, section, asShown);
    yield `</div>${close}</section>\n`;
  }
  for (const one of tables) yield table(one);
  for (const one of effects) yield effectList(one);
}

/** Up to this many objects are all open; of more, those that deserve a look. */
const MOST_OPEN = 20;

/** The effects by the objects whose changes cause them. */
function besideChanges(effects: readonly Consequences[]): ReadonlyMap<string, readonly Consequence[]> {
  const found = new Map<string, Consequence[]>();
  for (const { consequences } of effects)
    for (const one of consequences) for (const cause of one.causes ?? []) addTo(found, cause, one);
  return found;
}

function belowChange(beside: ReadonlyMap<string, readonly Consequence[]>) {
  return (name: string): string => {
    const effects = beside.get(name) ?? [];
    return effects.length === 0 ? '' : `<ul class="effects">${effectItems(effects, MOST_BESIDE)}</ul>`;
  };
}

/** What stands before and behind the objects of a section. */
function folded({ title, count, aside }: Section): readonly [open: string, close: string] {
  const heading = `<h2>${text(title)} (${count})</h2>`;
  if (aside === undefined) return [heading, ''];
  return [`<details><summary>${heading} <span class="note">${text(aside)}</span></summary>`, '</details>'];
}

function head({ title }: Page): string {
  const policy = `default-src 'none'; style-src '${HASHES.style}'; script-src '${HASHES.script}'; base-uri 'none'; form-action 'none'`;
  return [
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width,initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    `<title>${text(title)}</title><style>${STYLE}</style></head>\n`,
  ].join('\n');
}

function facts({ facts: all, next, totals: count }: Page, { tool, made }: HtmlOptions): string {
  const { touched } = count();
  const by = made === undefined ? tool : `${made.day} by ${tool}`;
  const isOf = made?.commit === undefined ? '' : `, of commit ${made.commit}`;
  const about = [
    ...all,
    ...(touched === undefined ? [] : [touched]),
    { label: made === undefined ? 'Made by' : 'Made', text: `${by}${isOf}`, isCode: false },
    ...(made?.command === undefined ? [] : [{ label: 'Command', text: made.command, isCode: true }]),
  ];
  const rows = about.map(
    ({ label, text: words, isCode }) =>
      `<dt>${text(label)}</dt><dd>${isCode ? code(words) : text(words)}</dd>`,
  );
  return `${rows.length === 0 ? '' : `<dl>${rows.join('')}</dl>`}${next === undefined ? '' : `<p>${text(next)}</p>`}`;
}

function list(title: string, lines: readonly string[], below = ''): string {
  if (lines.length === 0) return '';
  const items = lines.map((line) => `<li>${line}</li>\n`).join('');
  return `<section class="box ${title.toLowerCase().replaceAll(' ', '-')}"><h2>${title} (${lines.length})</h2><ul>\n${items}</ul>${below}</section>\n`;
}

/** Text for a file. */
function paste({ paste: wanted }: Notes): string {
  if (wanted === undefined) return '';
  const lines = wanted.lines.map((line) => `<span>${escapeHtml(line)}</span>`);
  return `<p class="note">${text(wanted.title)}:</p><pre>${lines.join('')}</pre>`;
}

/** A sentence, or a term and what it means. */
function noteItem(
  { name, path, text: words, parts = [words], at }: Note,
  style: Notes['style'],
  { linkTo }: HtmlOptions,
): string {
  const what = [
    ...(path === undefined ? [] : [`${code(path)} of`]),
    ...(name === undefined ? [] : [code(name)]),
  ];
  const who = what.length === 0 ? '' : `${what.join(' ')}${style === 'terms' ? ':' : ''} `;
  const all = parts.map((part) => (typeof part === 'string' ? text(part) : code(part.code)));
  return `${who}${all.join(' ')}${at === undefined ? '' : ` ${link(at, linkTo)}`}`;
}

function problem(
  { severity, code: name, message, hint, file, line, column = 1 }: ProblemRecord,
  { linkTo }: HtmlOptions,
): string {
  const at = file === undefined || line === undefined ? undefined : { file, line, column };
  const place = at === undefined ? '' : ` ${link(at, linkTo)}`;
  const cure = hint === undefined ? '' : `<br><span class="note">${text(hint)}</span>`;
  return `<b>${text(severity)}</b> ${code(name)}: ${text(message)}${place}${cure}`;
}

/** Of the principals with the same effect, only the first are named. */
const MOST_NAMES = 100;
/** With more groups of principals, the JSON report is the place to look. */
const MOST_GROUPS = 500;
/** The same beside one change. */
const MOST_BESIDE = 20;

function consequenceItem({ text: words, names, notes }: Consequence): string {
  const below = [...(names.length > 1 ? [listSome(names, MOST_NAMES)] : []), ...notes];
  return `${text(words)}${below.map((one) => `<br><span class="note">${text(one)}</span>`).join('')}`;
}

/** The effects that do not stand beside a change. */
function effectList({ title, consequences: all }: Consequences): string {
  const consequences = all.filter(({ causes = [] }) => causes.length === 0);
  const count = countPrincipals(consequences);
  return count === 0
    ? ''
    : `<section><h2>${title} (${count})</h2><ul>\n${effectItems(consequences, MOST_GROUPS)}</ul></section>\n`;
}

function effectItems(consequences: readonly Consequence[], most: number): string {
  const items = consequences
    .slice(0, most)
    .map((one) => `<li>${consequenceItem(one)}${block(one.lines)}</li>\n`)
    .join('');
  const left = countPrincipals(consequences.slice(most));
  return left === 0 ? items : `${items}<li>and other effects on ${left} clients</li>\n`;
}

function table({ title, titles, rows }: Table): string {
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${code(cell)}</td>`).join('')}</tr>\n`);
  return framed(title, titles.map((one) => `<th scope="col">${text(one)}</th>`).join(''), body.join(''));
}

function framed(title: string, columns: string, body: string): string {
  return `<section><h2>${title}</h2><div class="scroll" tabindex="0" role="region" aria-label="${title}"><table><thead><tr>${columns}</tr></thead><tbody>\n${body}</tbody></table></div></section>\n`;
}

/** Shown by the script, which makes it work. */
function filters(sections: readonly Section[], { totals: count }: Page, isOpen: boolean): string {
  if (sections.length === 0) return '';
  const all = count().rows;
  const kinds = [...new Set(all.map(({ kind }) => kind))].sort();
  const clusters = [...new Set(all.flatMap(({ virtualCluster }) => virtualCluster ?? []))].sort(
    compareNaturally,
  );
  const options = (values: readonly string[]): string =>
    ['<option value="">all</option>', ...values.map((one) => `<option>${text(one)}</option>`)].join('');
  const actions = sections.map(
    (section) =>
      `<label><input type="checkbox" name="action" value="${idOf(section)}" checked>${text(section.title)}</label>`,
  );
  return `<form hidden aria-label="Filter">
<label>Text<input type="search" name="text"></label>
<label>Kind<select name="kind">${options(kinds)}</select></label>
<label>Virtual cluster<select name="cluster">${options(clusters)}</select></label>
<fieldset><legend>Actions</legend>${actions.join('')}</fieldset>
<button type="reset">Show all</button> <button type="button" id="fold" data-open="${isOpen}">${isOpen ? 'Fold' : 'Unfold'} all</button>
<span id="shown" role="status" class="soft"></span>
</form>
`;
}

function totals({ totals: count, closing }: Page, sections: readonly Section[]): string {
  const { rows } = count();
  const last = closing === '' ? '' : `<p>${text(closing)}.</p>\n`;
  if (rows.length === 0) return last;
  const titles = sections.map(({ title }) => title);
  const numbers = ({ counts }: Total): string =>
    titles.map((title) => `<td class="n">${counts[title] ?? ''}</td>`).join('');
  const body = rows.map(
    (row) =>
      `<tr><td>${code(row.kind)}</td><td>${row.virtualCluster === undefined ? '' : code(row.virtualCluster)}</td>${numbers(row)}</tr>\n`,
  );
  const columns = titles.map((title) => `<th scope="col" class="n">${text(title)}</th>`).join('');
  const names = '<th scope="col">Kind</th><th scope="col">Virtual cluster</th>';
  return `${framed('Totals', `${names}${columns}`, body.join(''))}${last}`;
}

/** What identifies a section in the page. */
function idOf({ title }: Section): string {
  return title.toLowerCase().replace(/[^a-z]+/g, '-');
}
