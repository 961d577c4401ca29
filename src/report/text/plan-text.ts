import type { Limited } from '../../model/rules.ts';
import type { Json } from '../../model/json/json.ts';
import type { FieldChange } from '../../plan/diff/field-change.ts';
import {
  isNarrowed,
  type Action,
  type Change,
  type Counts,
  type SecretStatus,
} from '../../plan/change/plan.ts';
import { limitText } from '../../plan/checks/limits.ts';
import { HIDDEN, type ShownPlan } from '../../plan/secrets/redact.ts';
import { onOneLine } from '../escape.ts';
import { lossText } from './loss-text.ts';
import type { Paint } from '../paint.ts';
import { inPieces } from '../../model/json/in-pieces.ts';

/** The plan for people: a line an object, under it the fields that differ, totals last. */
export function planText(plan: ShownPlan, paint: Paint): string {
  return [...partsOf(plan, paint)].join('');
}

/** The same in pieces, for plans that are long. */
export function planPieces(plan: ShownPlan, paint: Paint): Iterable<string> {
  return inPieces(partsOf(plan, paint));
}

function* partsOf(plan: ShownPlan, paint: Paint): Generator<string> {
  yield header(plan, paint);
  for (const change of plan.changes) yield changeText(change, paint);
  if (plan.changes.length > 0) yield '\n';
  const losses = (plan.undoes?.losses ?? []).map((loss) => `  ${lossText(loss, paint)}\n`);
  if (losses.length > 0) yield `${losses.join('')}\n`;
  const unclaimed = unclaimedText(plan, paint);
  if (unclaimed !== '') yield `${unclaimed}\n`;
  yield totals(plan, paint);
}

const SYMBOLS: Readonly<Record<Action, string>> = { create: '+', update: '~', replace: '±', delete: '-' };

export function symbolOf(action: Action, paint: Paint): string {
  const colour = { create: paint.green, update: paint.yellow, replace: paint.red, delete: paint.red }[action];
  return colour(SYMBOLS[action]);
}

export function header(
  { gateway, selection, prune, limits, unselected, undoes }: ShownPlan,
  paint: Paint,
): string {
  const globs = (name: string, list: readonly string[]): readonly string[] =>
    list.map((glob) => `${name} ${onOneLine(glob)}`);
  const narrowed = [...globs('--target', selection.target), ...globs('--exclude', selection.exclude)];
  const lines = [
    `Gateway ${onOneLine(gateway)}`,
    ...(undoes === undefined ? [] : [`Undo of run ${onOneLine(undoes.run)}`]),
    ...(narrowed.length === 0
      ? []
      : [`Narrowed by ${narrowed.join(' ')}: ${objects(unselected)} not looked at`]),
    ...(prune === undefined
      ? []
      : [`Prune deletes what is unclaimed within ${prune.map(onOneLine).join(', ')}`]),
    ...(limits === undefined ? [] : [`This run may ${limitsText(limits)}`]),
  ];
  return `${paint.bold(lines.join('\n'))}\n\n`;
}

function limitsText({ deletes, updates }: Limited): string {
  const each = [
    ...(deletes === undefined ? [] : [`delete ${limitText(deletes)}`]),
    ...(updates === undefined ? [] : [`update ${limitText(updates)}`]),
  ];
  return each.join(' and ');
}

function changeText(change: Change, paint: Paint): string {
  const place = change.at === undefined ? '' : paint.dim(`  ${onOneLine(change.at.file)}:${change.at.line}`);
  const reason = change.reason === undefined ? '' : `  ${onOneLine(change.reason)}`;
  const because =
    change.action === 'replace'
      ? `  deleted and created anew: ${change.because.join(', ')} cannot be changed in place`
      : '';
  const asked = askedText(change);
  const fields =
    'fields' in change
      ? change.fields.map((field) => fieldText(field, change.verdicts?.[field.path], paint)).join('')
      : '';
  return `  ${symbolOf(change.action, paint)} ${onOneLine(change.address)}${asked}${reason}${because}${place}\n${fields}`;
}

/** What files say of it by name: that it goes, and why; that it takes another one's place. */
function askedText(change: Change): string {
  if (change.action === 'create' && change.movedFrom !== undefined)
    return `  moved from ${onOneLine(change.movedFrom)}`;
  if (change.action !== 'delete' || change.removal === undefined) return '';
  const what = change.movedTo === undefined ? 'removed' : `moved to ${onOneLine(change.movedTo)}`;
  return `  ${what}: ${onOneLine(change.removal)}`;
}

const VERDICTS: Readonly<Record<SecretStatus, string>> = {
  changed: 'changed',
  same: 'the same',
  'cannot-tell': 'nobody can tell whether it changed',
};

function fieldText(field: FieldChange, verdict: SecretStatus | undefined, paint: Paint): string {
  const path = onOneLine(field.path);
  if (field.op === 'set' && verdict !== undefined)
    return `      ${paint.yellow('~')} ${path}: ${HIDDEN} ${paint.dim('→')} ${HIDDEN}, ${VERDICTS[verdict]}\n`;
  switch (field.op) {
    case 'add':
      return `      ${paint.green('+')} ${path}: ${valueText(field.after)}\n`;
    case 'remove':
      return `      ${paint.red('-')} ${path}: ${valueText(field.before)}\n`;
    case 'set':
      return isText(field.before) && isText(field.after)
        ? `      ${paint.yellow('~')} ${path}:\n${textDiff(field.before, field.after, paint)}`
        : `      ${paint.yellow('~')} ${path}: ${valueText(field.before)} ${paint.dim('→')} ${valueText(field.after)}\n`;
    default:
      return field satisfies never;
  }
}

const LONGEST_VALUE = 160;

export function valueText(value: Json): string {
  const text = JSON.stringify(value);
  return onOneLine(
    text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}… (${text.length} characters)` : text,
  );
}

function isText(value: Json): value is string {
  return typeof value === 'string' && value.includes('\n');
}

/** Texts of several lines: what begins and ends alike is left out. */
function textDiff(before: string, after: string, paint: Paint): string {
  const from = before.split('\n');
  const to = after.split('\n');
  let head = 0;
  while (head < Math.min(from.length, to.length) && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(from.length, to.length) - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const line = (sign: string, colour: (text: string) => string) => (text: string) =>
    `          ${colour(`${sign} ${onOneLine(text)}`)}\n`;
  return [
    ...(head > 0 ? [line(' ', paint.dim)(from[head - 1] ?? '')] : []),
    ...from.slice(head, from.length - tail).map(line('-', paint.red)),
    ...to.slice(head, to.length - tail).map(line('+', paint.green)),
    ...(tail > 0 ? [line(' ', paint.dim)(from[from.length - tail] ?? '')] : []),
  ].join('');
}

const MOST_NAMES = 20;

/** What is managed here and in no file: by name, as long as somebody would read it. */
function unclaimedText({ unclaimed }: ShownPlan, paint: Paint): string {
  if (unclaimed.length === 0) return '';
  const more = unclaimed.length - MOST_NAMES;
  const lines = [
    'Unclaimed (managed here, in no file); declare it, name it in a Removal, or delete it with --prune:',
    ...unclaimed.slice(0, MOST_NAMES).map((address) => `    ${onOneLine(address)}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
  return lines.map((line) => `${paint.dim(line)}\n`).join('');
}

function totals(plan: ShownPlan, paint: Paint): string {
  const { counts } = plan;
  const changing = counts.create + counts.update + counts.replace + counts.delete > 0;
  const alone = `${ignoredCount(plan)}${unclaimedCount(plan)}${unmanagedCount(plan)}`;
  if (changing)
    return `${paint.bold(`Plan: ${countsText(counts)}.`)} ${counts.unchanged} unchanged.${alone}\n`;
  return isNarrowed(plan)
    ? `${paint.bold(`Nothing to do for the ${objects(counts.unchanged)} looked at`)}; ${plan.unselected} not looked at.${alone}\n`
    : `${paint.bold('No changes.')} ${objects(counts.unchanged)} as declared.${alone}\n`;
}

function ignoredCount({ counts }: ShownPlan): string {
  return counts.ignored === 0 ? '' : ` ${counts.ignored} ignored.`;
}

function unclaimedCount({ counts }: ShownPlan): string {
  return counts.unclaimed === 0 ? '' : ` ${counts.unclaimed} unclaimed.`;
}

export function unmanagedCount({ counts: { unmanaged }, manages }: ShownPlan): string {
  if (unmanaged === 0) return '';
  if (manages === undefined) return ` ${objects(unmanaged)} on the gateway in no file, left alone.`;
  return unmanaged === 1 ? ' 1 other is not managed here.' : ` ${unmanaged} others are not managed here.`;
}

export function countsText(counts: Pick<Counts, Action>): string {
  return `${counts.create} to create, ${counts.update} to update, ${counts.replace} to replace, ${counts.delete} to delete`;
}

export function objects(count: number): string {
  return count === 1 ? '1 object' : `${count} objects`;
}
