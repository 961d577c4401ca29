import type { Json } from '../model/json.ts';
import { isNarrowed, type Action, type Change, type Counts, type FieldChange } from '../plan/plan.ts';
import type { ShownPlan } from '../plan/redact.ts';
import { onOneLine } from './escape.ts';
import type { Paint } from './paint.ts';

/** The plan for people: a line an object, under it the fields that differ, totals last. */
export function planText(plan: ShownPlan, paint: Paint): string {
  const body = plan.changes.map((change) => changeText(change, paint)).join('');
  return [header(plan, paint), body, body === '' ? '' : '\n', totals(plan, paint)].join('');
}

const SYMBOLS: Readonly<Record<Action, string>> = { create: '+', update: '~', replace: '±', delete: '-' };

export function symbolOf(action: Action, paint: Paint): string {
  const colour = { create: paint.green, update: paint.yellow, replace: paint.red, delete: paint.red }[action];
  return colour(SYMBOLS[action]);
}

function header({ gateway, selection, prune, unselected }: ShownPlan, paint: Paint): string {
  const globs = (name: string, list: readonly string[]): readonly string[] =>
    list.map((glob) => `${name} ${onOneLine(glob)}`);
  const narrowed = [...globs('--target', selection.target), ...globs('--exclude', selection.exclude)];
  const lines = [
    `Gateway ${onOneLine(gateway)}`,
    ...(narrowed.length === 0
      ? []
      : [`Narrowed by ${narrowed.join(' ')}: ${objects(unselected)} not looked at`]),
    ...(prune === undefined
      ? []
      : [`Prune deletes what no file mentions within ${prune.map(onOneLine).join(', ')}`]),
  ];
  return `${paint.bold(lines.join('\n'))}\n\n`;
}

function changeText(change: Change, paint: Paint): string {
  const place = change.at === undefined ? '' : paint.dim(`  ${onOneLine(change.at.file)}:${change.at.line}`);
  const reason = change.reason === undefined ? '' : `  ${onOneLine(change.reason)}`;
  const because =
    change.action === 'replace'
      ? `  deleted and created anew: ${change.because.join(', ')} cannot be changed in place`
      : '';
  const fields = 'fields' in change ? change.fields.map((field) => fieldText(field, paint)).join('') : '';
  return `  ${symbolOf(change.action, paint)} ${onOneLine(change.address)}${reason}${because}${place}\n${fields}`;
}

function fieldText(field: FieldChange, paint: Paint): string {
  const path = onOneLine(field.path);
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

function valueText(value: Json): string {
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

function totals(plan: ShownPlan, paint: Paint): string {
  const { counts } = plan;
  const changing = counts.create + counts.update + counts.replace + counts.delete > 0;
  const alone =
    counts.unmanaged === 0 ? '' : ` ${objects(counts.unmanaged)} on the gateway in no file, left alone.`;
  if (changing)
    return `${paint.bold(`Plan: ${countsText(counts)}.`)} ${counts.unchanged} unchanged.${alone}\n`;
  return isNarrowed(plan)
    ? `${paint.bold(`Nothing to do for the ${objects(counts.unchanged)} looked at`)}; ${plan.unselected} not looked at.${alone}\n`
    : `${paint.bold('No changes.')} ${objects(counts.unchanged)} as declared.${alone}\n`;
}

export function countsText(counts: Counts): string {
  return `${counts.create} to create, ${counts.update} to update, ${counts.replace} to replace, ${counts.delete} to delete`;
}

export function objects(count: number): string {
  return count === 1 ? '1 object' : `${count} objects`;
}
