import { addTo, groupBy } from '../../model/collect.ts';
import { axisOf } from '../../model/resource.ts';
import type { Action } from '../../plan/change/change.ts';
import { onOneLine } from '../escape.ts';
import { type TextOptions, wrap } from './layout.ts';
import type { ChangeRecord } from '../../outcome/change-record.ts';
import type { LazyList } from '../../outcome/lazy.ts';
import { CAUSE_MEANINGS, CAUSE_TITLES, splitByCause } from '../page/causes.ts';
import { FEWEST_FOLDED, signOf } from '../page/changes.ts';
import { editsOf } from '../page/edits.ts';
import type { Changes, Consequences } from '../page/page.ts';
import { renderChange, renderEdit, renderSign } from './change-text.ts';
import { formatCount, listSome } from '../../model/text/list.ts';
import { countPrincipals, type Consequence } from '../page/principals.ts';
import { wordCounts } from '../../plan/change/plan.ts';

/** Up to this many changes are shown without headings. */
const MOST_WITHOUT_HEADINGS = 50;
/** Up to this many created objects are shown with their values, and up to this many deleted ones. */
const MOST_WITH_VALUES = 50;
/** Up to this many are shown one by one. */
const MOST_SHOWN = 1000;
/** Up to this many are held in memory, to sort them under headings. */
const MOST_SORTED = 10_000;

/** The changes of a plan; where it is known who caused them, by cause. */
export function* renderChanges({ list, hasCauses }: Changes, options: TextOptions): Generator<string> {
  yield* hasCauses ? renderByCause(list, options) : renderList(list, options);
  if (list.length > 0 || hasCauses) yield '\n';
}

/** Of the changes of others, so many have a line each. */
const MOST_OF_OTHERS = 20;

/** The changes of this branch; then those of others, a line for each unless `--detail` asks for more. */
function* renderByCause(changes: LazyList<ChangeRecord>, options: TextOptions): Generator<string> {
  const { paint, detail } = options;
  const { own, others } = splitByCause(changes);
  yield paint.bold(own.length === 0 ? 'Nothing by this branch.\n' : 'By this branch:\n');
  yield* renderList(own, options);
  for (const [cause, theirs] of others) {
    yield `\n${paint.bold(CAUSE_TITLES[cause])} ${paint.dim(`(${CAUSE_MEANINGS[cause]}):`)}\n`;
    if (detail === undefined) yield* renderNames(theirs, options);
    else yield* renderList(theirs, options);
  }
  if (detail === undefined && others.length > 0)
    yield `\n${paint.dim('--detail fields shows what is not by this branch with its fields, too.')}\n`;
}

function* renderNames(changes: LazyList<ChangeRecord>, { paint }: TextOptions): Generator<string> {
  let left = MOST_OF_OTHERS;
  for (const { action, address } of changes) {
    if (left === 0) break;
    left -= 1;
    yield `  ${renderSign(signOf(action), paint)} ${onOneLine(address)}\n`;
  }
  const more = changes.length - MOST_OF_OTHERS;
  if (more > 0) yield `  and ${more} more\n`;
}

/** Changes, as `--detail` says or as fits their number. */
function* renderList(changes: LazyList<ChangeRecord>, options: TextOptions): Generator<string> {
  const { detail } = options;
  const { length } = changes;
  if (length === 0) return;
  if (detail === 'summary' || (detail === undefined && length > MOST_SHOWN)) {
    yield* renderSummary(changes, options);
    return;
  }
  const withValues = actionsWithValues(changes, detail);
  const folds = detail !== 'full';
  if (length > MOST_SORTED)
    for (const change of changes) yield renderChange(change, options, withValues.has(change.action));
  else if (length <= MOST_WITHOUT_HEADINGS) yield* renderFolded([...changes], options, withValues, folds);
  else {
    let isFirst = true;
    for (const [title, group] of groupBy(changes, groupOf)) {
      yield `${isFirst ? '' : '\n'}${options.paint.bold(`${title}: ${countsOf(group)}`)}\n`;
      isFirst = false;
      yield* renderFolded(group, options, withValues, folds);
    }
  }
  if (detail === undefined && withValues.size < VALUED.length)
    yield `\n${options.paint.dim(`--detail full shows the fields of what is ${withoutValues(withValues)}.`)}\n`;
}

/** What is shown whole, because there is nothing to compare it with. */
const VALUED = ['create', 'delete'] as const;

/** The actions whose objects are shown with their values. */
function actionsWithValues(
  changes: LazyList<ChangeRecord>,
  detail: TextOptions['detail'],
): ReadonlySet<Action> {
  if (detail === 'full') return new Set(VALUED);
  if (detail !== undefined) return new Set();
  const counts = { create: 0, update: 0, replace: 0, delete: 0 };
  for (const { action } of changes) counts[action] += 1;
  return new Set(VALUED.filter((action) => counts[action] <= MOST_WITH_VALUES));
}

function withoutValues(withValues: ReadonlySet<Action>): string {
  const others = VALUED.filter((action) => !withValues.has(action));
  return others.map((action) => `${action}d`).join(' and ');
}

function* renderFolded(
  changes: readonly ChangeRecord[],
  options: TextOptions,
  withValues: ReadonlySet<Action>,
  folds: boolean,
): Generator<string> {
  const equal = folds ? equalUpdates(changes) : new Map<ChangeRecord, readonly ChangeRecord[]>();
  for (const change of changes) {
    const group = equal.get(change);
    if (group === undefined) yield renderChange(change, options, withValues.has(change.action));
    else if (group[0] === change) yield renderEqual(group, options);
  }
}

/** The changes that share their edits with enough others, each with all of them. */
function equalUpdates(changes: readonly ChangeRecord[]): ReadonlyMap<ChangeRecord, readonly ChangeRecord[]> {
  const byEdits = new Map<string, ChangeRecord[]>();
  for (const change of changes) {
    const { action, kind, fields, secrets, reason } = change;
    if (action === 'update')
      addTo(byEdits, JSON.stringify([groupOf(change), kind, fields, secrets, reason]), change);
  }
  const found = new Map<ChangeRecord, readonly ChangeRecord[]>();
  for (const group of byEdits.values())
    if (group.length >= FEWEST_FOLDED) for (const change of group) found.set(change, group);
  return found;
}

function renderEqual(group: readonly ChangeRecord[], options: TextOptions): string {
  const [first] = group;
  if (first === undefined) return '';
  const { paint, width } = options;
  const reason = first.reason === undefined ? '' : `  ${onOneLine(first.reason)}`;
  const names = group.map(({ address }) => onOneLine(address.slice(address.indexOf('/') + 1))).join(', ');
  return [
    `  ${renderSign(signOf('update'), paint)} ${formatCount(group.length, first.kind)} with the same changes${reason}\n`,
    ...editsOf(first).map((edit) => renderEdit(edit, options)),
    ...wrap(names, width === undefined ? undefined : width - 6, 0).map(
      (line) => `      ${paint.dim(line)}\n`,
    ),
  ].join('');
}

/** The most objects that a summary names. */
const MOST_NAMES = 100;

/** Counts by kind and virtual cluster; what is deleted or replaced has a name. */
function* renderSummary(changes: Iterable<ChangeRecord>, { paint }: TextOptions): Generator<string> {
  const groups = new Map<string, Record<Action, number>>();
  const gone: ChangeRecord[] = [];
  let more = 0;
  for (const change of changes) {
    if (change.step !== undefined) continue;
    const title = groupOf(change);
    const counts = groups.get(title) ?? { create: 0, update: 0, replace: 0, delete: 0 };
    counts[change.action] += 1;
    groups.set(title, counts);
    if (change.action !== 'delete' && change.action !== 'replace') continue;
    if (gone.length < MOST_NAMES) gone.push(change);
    else more += 1;
  }
  for (const [title, counts] of groups) yield `  ${title}: ${wordCounts(counts)}\n`;
  if (gone.length > 0) yield `\n${paint.bold('Deleted or replaced:')}\n`;
  for (const change of gone)
    yield `  ${renderSign(signOf(change.action), paint)} ${onOneLine(change.address)}\n`;
  if (more > 0) yield `  and ${more} more\n`;
  yield `\n${paint.dim('--detail fields shows each object, --detail full all their fields.')}\n`;
}

/** The kind of an object and its virtual cluster, where it is in one. */
function groupOf({ kind, address }: ChangeRecord): string {
  const vCluster = axisOf(address, 'vCluster');
  const where = vCluster === undefined ? '' : ` in virtual cluster ${vCluster}`;
  return onOneLine(`${kind}${where}`);
}

function countsOf(changes: readonly ChangeRecord[]): string {
  const counts = { create: 0, update: 0, replace: 0, delete: 0 };
  for (const { action, step } of changes) if (step === undefined) counts[action] += 1;
  return wordCounts(counts);
}

/** Up to this many groups of principals are shown, and of each up to so many principals. */
const MOST_GROUPS = 20;
const MOST_LISTED = 5;
/** The same with `--detail full`. */
const MOST_IN_FULL = 1000;

/** What happens to principals; nothing if nothing does. */
export function* renderConsequences(
  { title, weight, consequences }: Consequences,
  options: TextOptions,
): Generator<string> {
  if (consequences.length === 0) return;
  const { paint, detail } = options;
  const sign = weight === 'loss' ? paint.red('!') : paint.yellow('~');
  const shown = consequences.slice(0, detail === 'full' ? MOST_IN_FULL : MOST_GROUPS);
  const others = consequences.slice(shown.length);
  const more =
    others.length === 0
      ? ''
      : `  and ${formatCount(others.length, 'more group')} of ${formatCount(countPrincipals(others), 'client')}; -o json lists all\n`;
  yield `${paint.bold(`${title}:`)}\n${shown.map((one) => renderOne(one, sign, options)).join('')}${more}\n`;
}

function renderOne({ text, names, notes, lines }: Consequence, sign: string, options: TextOptions): string {
  const { paint, width, detail } = options;
  const mostNames = detail === 'full' ? MOST_IN_FULL : MOST_LISTED;
  const isListed = names.length > 1 && detail !== 'summary';
  const fill = (line: string): readonly string[] =>
    wrap(onOneLine(line), width === undefined ? undefined : width - 6, 0);
  const below = [
    ...(isListed ? fill(listSome(names, mostNames)).map(paint.dim) : []),
    ...notes.flatMap(fill),
    ...(detail === 'summary' ? [] : lines.flatMap(({ sign: mark, text: line }) => fill(`${mark} ${line}`))),
  ];
  return [`  ${sign} ${fill(text).join('\n    ')}`, ...below.map((line) => `      ${line}`)]
    .map((line) => `${line}\n`)
    .join('');
}
