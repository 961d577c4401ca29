import { formatCount } from '../../model/text/list.ts';
import { inPieces } from '../../model/json/pieces.ts';
import { groupBy } from '../../model/collect.ts';
import type { Position } from '../../model/problem.ts';
import { onOneLine } from '../escape.ts';
import { type Paint, type TextOptions, wrap } from './layout.ts';
import { alignColumns } from '../phrases.ts';
import type {
  Block,
  Cases,
  Checks,
  Fact,
  Groups,
  Ledger,
  LedgerLine,
  Losses,
  Notes,
  Page,
  Part,
  Runs,
  Section,
  Table,
} from '../page/page.ts';
import { renderChanges, renderConsequences } from './changes-text.ts';
import { renderEdit, renderSign } from './change-text.ts';
import { renderTable } from './table.ts';

/** A text for a terminal, which is read from its end: problems are told between the two parts. */
export type Parted = {
  /** In pieces: it may be long. */
  readonly body: Iterable<string>;
  /** The last line, with what came of it and the totals; empty if there is none. */
  readonly end: string;
};

/** A page for a terminal: what it is about and its blocks, and last what came of it. */
export function partPage({ facts, blocks, ending }: Page, options: TextOptions): Parted {
  return { body: inPieces(bodyOf(facts, blocks, options)), end: renderEnding(ending, options.paint) };
}

function* bodyOf(facts: readonly Fact[], blocks: readonly Block[], options: TextOptions): Generator<string> {
  const head = renderFacts(facts, options.paint);
  if (head !== '') yield `${head}\n`;
  for (const block of blocks) yield* renderBlock(block, options);
}

function renderEnding(ending: Page['ending'], paint: Paint): string {
  if (ending === undefined) return '';
  const { headline, rest } = ending;
  return `${headline === '' ? '' : paint.bold(onOneLine(headline))}${onOneLine(rest)}\n`;
}

/** Both parts, one after the other. */
export function* joinParts({ body, end }: Parted): Generator<string> {
  yield* body;
  if (end !== '') yield end;
}

/** The lines of facts; empty if no fact has one. */
function renderFacts(facts: readonly Fact[], paint: Paint): string {
  const lines: string[] = [];
  let main: string[] = [];
  const end = (): void => {
    if (main.length > 0) lines.push(paint.bold(main.join('\n')));
    main = [];
  };
  for (const { line, isAside = false } of facts) {
    if (line === undefined) continue;
    if (isAside) end();
    (isAside ? lines : main).push(onOneLine(line));
  }
  end();
  return lines.map((line) => `${line}\n`).join('');
}

type Sort = Block['block'];
type Of<S extends Sort> = Extract<Block, { readonly block: S }>;

const RENDERERS: { readonly [S in Sort]: (block: Of<S>, options: TextOptions) => Iterable<string> } = {
  notes: renderNotes,
  losses: renderLosses,
  consequences: renderConsequences,
  changes: renderChanges,
  ledger: renderLedger,
  runs: renderRuns,
  cases: renderCases,
  groups: renderGroups,
  section: renderSection,
  table: renderTableBlock,
  checks: renderChecks,
  part: renderPart,
};

function renderBlock<S extends Sort>(block: Of<S>, options: TextOptions): Iterable<string> {
  return RENDERERS[block.block](block, options);
}

/** A part of which a terminal has told everything has no title, either. */
function* renderPart({ title, blocks }: Part, options: TextOptions): Generator<string> {
  const { paint, width } = options;
  let head = `${paint.bold(wrap(`=== ${onOneLine(title)}`, width, 4).join('\n'))}\n`;
  for (const block of blocks)
    for (const text of renderBlock(block, options)) {
      yield `${head}${text}`;
      head = '';
    }
}

const MOST_NAMES = 20;

function* renderNotes(
  { title, notes, paste, style, isGood = false }: Notes,
  options: TextOptions,
): Generator<string> {
  const { paint, width } = options;
  if (style !== 'sentences') yield `${paint.bold(`${title}:`)}\n`;
  const shown = style === 'marked' ? notes.slice(0, MOST_NAMES) : notes;
  for (const { name, path, text: words, at } of shown) {
    const text = at === undefined ? words : `${words} (${at.file}:${at.line})`;
    const what = path === undefined ? name : `${path} of ${name ?? ''}`;
    const line = onOneLine(what === undefined ? text : `${what}${style === 'terms' ? ':' : ''} ${text}`);
    if (style === 'marked')
      yield `  ${isGood ? paint.green('✓') : paint.red('!')} ${wrap(line, width === undefined ? undefined : width - 4, 0).join('\n    ')}\n`;
    else yield style === 'terms' ? `  ${line}\n` : `${wrap(line, width, 2).join('\n')}\n`;
  }
  if (shown.length < notes.length) yield `  and ${notes.length - shown.length} more\n`;
  if (paste !== undefined) {
    yield `  ${paint.dim(onOneLine(`${paste.title}:`))}\n`;
    for (const line of paste.lines) yield `    ${onOneLine(line)}\n`;
  }
  yield '\n';
}

function* renderLosses({ losses, isTold = false }: Losses, { paint }: TextOptions): Generator<string> {
  if (isTold) return;
  for (const loss of losses) yield `  ${renderLoss(loss, paint)}\n`;
  yield '\n';
}

/** One line for what an undo does not restore. */
export function renderLoss({ address, leftOut, reason }: Losses['losses'][number], paint: Paint): string {
  const name = onOneLine(address);
  return leftOut
    ? `${paint.red('cannot be undone:')} ${name}: ${onOneLine(reason)}`
    : `${paint.yellow('cannot be undone completely:')} ${name} ${onOneLine(reason)}`;
}

function* renderLedger({ list, isTold, isApart }: Ledger, { paint }: TextOptions): Generator<string> {
  if (isTold) return;
  for (const line of list) yield `  ${renderLedgerLine(line, paint)}\n`;
  if (isApart) yield '\n';
}

/** One line for a change that has ended. */
export function renderLedgerLine({ sign, name, notes, state, why }: LedgerLine, paint: Paint): string {
  const [word, colour] = state;
  const about = onOneLine([name, ...notes].join('  '));
  return `${renderSign(sign, paint)} ${about}  ${paint[colour](word)}${onOneLine(why)}`;
}

function* renderRuns({ list }: Runs, { paint }: TextOptions): Generator<string> {
  const cells = alignColumns(
    list.map(({ name, day, state: [word], progress }) => [onOneLine(name), day, word, progress]),
  );
  for (const [at, { state, notes }] of list.entries()) {
    const [name = '', day = '', word = '', progress = ''] = cells[at] ?? [];
    yield `${name}  ${day}  ${paint[state[1]](word)}  ${[progress, ...notes.map(onOneLine)].join('  ')}\n`;
  }
}

function* renderCases({ list }: Cases, { paint }: TextOptions): Generator<string> {
  for (const { file, cases } of list) {
    yield `${paint.bold(onOneLine(file))}\n`;
    for (const { state, name, line } of cases)
      yield `  ${paint[state[1]](state[0])} ${onOneLine(name)}${paint.dim(`  :${line}`)}\n`;
    yield '\n';
  }
}

function* renderGroups({ list }: Groups, options: TextOptions): Generator<string> {
  const { paint, width } = options;
  const fill = (text: string): string => `${wrap(`  ${onOneLine(text)}`, width, 4).join('\n')}\n`;
  for (const { title, about = '', lines, table, note } of list) {
    yield `${paint.bold(wrap(onOneLine(title), width, 2).join('\n'))}${onOneLine(about)}\n`;
    for (const line of lines) yield fill(line);
    if (table !== undefined) yield* renderTable(table.titles, table.rows, options);
    if (note !== undefined) yield paint.dim(fill(note));
    yield '\n';
  }
}

function* renderSection(section: Section, options: TextOptions): Generator<string> {
  const { title, heading = title, fold } = section;
  if (fold === 'names') {
    yield* renderNames(`${heading}:`, section, options);
    return;
  }
  yield `${options.paint.bold(onOneLine(`${heading}:`))}\n`;
  yield* fold === 'notes' ? renderByNote(section) : renderObjects(section, options);
  yield '\n';
}

/** What the reader did not come for. */
function* renderNames(title: string, { entries }: Section, { paint }: TextOptions): Generator<string> {
  const names = Array.from(entries, ({ names: [name] }) => name);
  const more = names.length - MOST_NAMES;
  yield `${paint.dim(onOneLine(title))}\n`;
  for (const name of names.slice(0, MOST_NAMES)) yield `${paint.dim(`    ${onOneLine(name)}`)}\n`;
  if (more > 0) yield `${paint.dim(`    and ${more} more`)}\n`;
  yield '\n';
}

/** How many objects and fields have a note. */
function* renderByNote({ entries }: Section): Generator<string> {
  for (const [note, group] of groupBy(entries, ({ notes }) => notes.join('; '))) {
    const fields = group.reduce((sum, { edits = [] }) => sum + edits.length, 0);
    const what = [
      ...(fields === 0 ? [] : [`${formatCount(fields, 'field')} of`]),
      formatCount(group.length, 'object'),
    ].join(' ');
    yield `  ${what}: ${onOneLine(note)}\n`;
  }
}

function* renderObjects({ entries, sign: ofAll }: Section, options: TextOptions): Generator<string> {
  const { paint, detail } = options;
  for (const { names, sign = ofAll, at, also, notes, edits = [] } of entries) {
    const places = new Set([at, also].map((place) => renderPlace(place, paint)));
    yield `  ${renderSign(sign, paint)} ${paint.bold(onOneLine(names[0]))}${[...places].join('')}\n`;
    if (detail !== 'summary') for (const edit of edits) yield renderEdit(edit, options);
    for (const note of notes) yield paint.dim(`      ${onOneLine(note)}\n`);
  }
}

/** The file and line at the end of a line; empty for what is in no file. */
function renderPlace(at: Position | undefined, paint: Paint): string {
  return at === undefined ? '' : paint.dim(`  ${onOneLine(at.file)}:${at.line}`);
}

/** A table in its look on a terminal. */
export function* renderTableBlock(table: Table, options: TextOptions): Generator<string> {
  const { look = 'numbers', title, titles, rows, isTold = false } = table;
  const { paint } = options;
  if (look === 'hidden') return;
  if (look === 'lines') {
    for (const row of alignColumns(rows.map((one) => one.map(onOneLine))))
      yield `${row.join('  ').trimEnd()}\n`;
    return;
  }
  if (isTold) {
    yield '\n';
    return;
  }
  if (look === 'titled') yield `${paint.bold(title)}\n`;
  if (look === 'columns' || look === 'titled') yield* renderTable(titles, rows, options);
  else {
    const isTitled = look === 'numbers';
    if (isTitled) yield `${paint.bold(`${title}:`)}\n`;
    const cells = alignColumns(rows.map((row) => row.slice(0, -1).map(onOneLine)));
    for (const [at, row] of cells.entries())
      yield `${isTitled ? '  ' : ''}${row.join('  ')}  ${paint.dim(onOneLine(rows[at]?.at(-1) ?? ''))}\n`;
  }
  if (look !== 'terms') yield '\n';
}

/** A line for each, and below it what to do. The name of a check stands at its first. */
function* renderChecks({ list }: Checks, { paint, width }: TextOptions): Generator<string> {
  const cells = alignColumns(
    list.map(({ check, state }, at) => [list[at - 1]?.check === check ? '' : check, state[0]]),
  );
  for (const [at, { state, message, hint }] of list.entries()) {
    const [name = '', word = ''] = cells[at] ?? [];
    const indent = name.length + word.length + 4;
    const [first = '', ...rest] = wrap(`${' '.repeat(indent)}${onOneLine(message)}`, width, indent);
    yield `${name}  ${paint[state[1]](word)}  ${first.slice(indent)}\n`;
    const below =
      hint === undefined ? [] : wrap(`${' '.repeat(indent)}= ${onOneLine(hint)}`, width, indent + 2);
    for (const line of [...rest, ...below]) yield `${line}\n`;
  }
  yield '\n';
}
