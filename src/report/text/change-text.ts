import type { Loss, SecretStatus } from '../../plan/change/plan.ts';
import type { Json } from '../../model/json/json.ts';
import type { FieldChange } from '../../plan/diff/diff.ts';
import { HIDDEN } from '../../plan/secrets/redact.ts';
import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';
import type { ChangeRecord } from '../view/change-record.ts';
import { renderPlace, renderSymbol } from './phrases.ts';

/** One line for the object, and one for each field that an update or a replace changes. */
export function renderChange(change: ChangeRecord, paint: Paint): string {
  const { action, address, at, fields, secrets, reason, because } = change;
  const notes = [
    onOneLine(address),
    ...describeMove(change),
    ...(reason === undefined ? [] : [onOneLine(reason)]),
    ...(because === undefined
      ? []
      : [`deleted and recreated: ${because.join(', ')} cannot be changed in place`]),
  ];
  const line = `  ${renderSymbol(action, paint)} ${notes.join('  ')}${renderPlace(at, paint)}\n`;
  if (action === 'create' || action === 'delete') return line;
  return `${line}${fields.map((field) => renderField(field, secrets?.[field.path], paint)).join('')}`;
}

function describeMove({ movedFrom, movedTo, removal }: ChangeRecord): readonly string[] {
  if (movedFrom !== undefined) return [`moved from ${onOneLine(movedFrom)}`];
  if (removal === undefined) return [];
  const what = movedTo === undefined ? 'removed' : `moved to ${onOneLine(movedTo)}`;
  return [`${what}: ${onOneLine(removal)}`];
}

const STATUSES: Readonly<Record<SecretStatus, string>> = {
  changed: 'changed',
  same: 'unchanged',
  'cannot-tell': 'unknown whether it changed',
};

function renderField(field: FieldChange, status: SecretStatus | undefined, paint: Paint): string {
  const path = onOneLine(field.path);
  switch (field.op) {
    case 'add':
      return `      ${paint.green('+')} ${path}: ${formatValue(field.after)}\n`;
    case 'remove':
      return `      ${paint.red('-')} ${path}: ${formatValue(field.before)}\n`;
    case 'set': {
      const head = `      ${paint.yellow('~')} ${path}:`;
      const arrow = paint.dim('→');
      if (status !== undefined) return `${head} ${HIDDEN} ${arrow} ${HIDDEN}, ${STATUSES[status]}\n`;
      const { before, after } = field;
      return isMultiline(before) && isMultiline(after)
        ? `${head}\n${renderTextDiff(before, after, paint)}`
        : `${head} ${formatValue(before)} ${arrow} ${formatValue(after)}\n`;
    }
    default:
      return field satisfies never;
  }
}

const LONGEST_VALUE = 160;

export function formatValue(value: Json): string {
  const text = JSON.stringify(value);
  return onOneLine(
    text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}… (${text.length} characters)` : text,
  );
}

function isMultiline(value: Json): value is string {
  return typeof value === 'string' && value.includes('\n');
}

/** The lines that differ, with one line of context before and after. */
function renderTextDiff(before: string, after: string, paint: Paint): string {
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

/** One line for what an undo does not restore. */
export function renderLoss({ address, leftOut, reason }: Loss, paint: Paint): string {
  const name = onOneLine(address);
  return leftOut
    ? `${paint.red('cannot be undone:')} ${name}: ${onOneLine(reason)}`
    : `${paint.yellow('cannot be undone completely:')} ${name} ${onOneLine(reason)}`;
}
