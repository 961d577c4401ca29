import { parsePointer, type Json } from '../../model/json/json.ts';
import type { FieldChange } from '../../plan/diff/diff.ts';
import { HIDDEN } from '../../plan/secrets/redact.ts';
import type { SecretStatus } from '../../plan/change/plan.ts';
import { onOneLine } from '../escape.ts';
import { causeHeading } from './causes.ts';
import type { ChangeRecord, FieldRecord } from '../../outcome/change-record.ts';
import { renderEntry, yamlLines } from './yaml-lines.ts';

/** A line of a comparison, safe for terminals; `!` is a secret, whose values are not shown. */
export type Line = { readonly sign: '+' | '-' | '!' | ' '; readonly text: string };

/** Whether long values are shown whole. */
export type LineOptions = { readonly detail?: 'summary' | 'fields' | 'full' | undefined };

/** What a change does to the fields of its object, as removed and added lines. */
export function linesOf(
  { action, fields, secrets }: ChangeRecord,
  options: LineOptions = {},
): readonly Line[] {
  if (action === 'update' || action === 'replace')
    return fields.flatMap((field, at) => [
      ...headingLine(fields, at),
      ...linesOfField(field, secrets?.[field.path], options),
    ]);
  return fields.some(({ cause }) => cause !== undefined)
    ? fields.flatMap((field, at) => [...headingLine(fields, at), ...valueLines([field], action, options)])
    : valueLines(fields, action, options);
}

function headingLine(fields: readonly FieldRecord[], at: number): readonly Line[] {
  const heading = causeHeading(fields, at);
  return heading === undefined ? [] : [{ sign: ' ', text: `# ${heading}` }];
}

/** The fields of a created or deleted object, as YAML. */
function valueLines(
  fields: readonly FieldChange[],
  action: 'create' | 'delete',
  options: LineOptions,
): readonly Line[] {
  return signed(action === 'create' ? '+' : '-', yamlOfFields(fields), options);
}

/** The values of fields as lines of YAML, each under the last part of its place. */
export function yamlOfFields(fields: readonly FieldChange[]): readonly string[] {
  return fields.flatMap((field) => {
    const value = field.op === 'remove' ? field.before : field.after;
    return renderEntry(parsePointer(field.path).at(-1) ?? '', value);
  });
}

export function linesOfField(
  field: FieldChange,
  status: SecretStatus | undefined,
  options: LineOptions,
): readonly Line[] {
  const path = onOneLine(field.path);
  switch (field.op) {
    case 'add':
      return linesOfValue('+', path, field.after, options);
    case 'remove':
      return linesOfValue('-', path, field.before, options);
    case 'set': {
      const { before, after } = field;
      if (status !== undefined) return [{ sign: '!', text: `${path}: ${HIDDEN}, ${STATUSES[status]}` }];
      if (isMultiline(before) && isMultiline(after))
        return [{ sign: ' ', text: `${path}:` }, ...deeper(diffTexts(before.split('\n'), after.split('\n')))];
      if (isNested(before) && isNested(after))
        return [{ sign: ' ', text: `${path}:` }, ...deeper(diffTexts(yamlLines(before), yamlLines(after)))];
      const [from, to] = formatValues(before, after, options);
      return [
        { sign: '-', text: `${path}: ${from}` },
        { sign: '+', text: `${path}: ${to}` },
      ];
    }
    default:
      return field satisfies never;
  }
}

export const STATUSES: Readonly<Record<SecretStatus, string>> = {
  changed: 'changed',
  same: 'unchanged',
  'cannot-tell': 'unknown whether it changed',
};

function linesOfValue(sign: '+' | '-', path: string, value: Json, options: LineOptions): readonly Line[] {
  if (!isNested(value)) return signed(sign, [`${path}: ${onOneLine(JSON.stringify(value))}`], options);
  return [{ sign, text: `${path}:` }, ...deeper(signed(sign, yamlLines(value), options))];
}

function signed(sign: '+' | '-', lines: readonly string[], options: LineOptions): readonly Line[] {
  return lines.map((text) => ({ sign, text: cutLine(text, options) }));
}

function deeper(lines: readonly Line[]): readonly Line[] {
  return lines.map(({ sign, text }) => ({ sign, text: `  ${text}` }));
}

/** The lines that differ, with one line of context before and after. */
export function diffTexts(from: readonly string[], to: readonly string[]): readonly Line[] {
  let head = 0;
  while (head < Math.min(from.length, to.length) && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(from.length, to.length) - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const line = (sign: Line['sign']) => (text: string) => ({ sign, text: onOneLine(text) });
  return [
    ...(head > 0 ? [line(' ')(from[head - 1] ?? '')] : []),
    ...from.slice(head, from.length - tail).map(line('-')),
    ...to.slice(head, to.length - tail).map(line('+')),
    ...(tail > 0 ? [line(' ')(from[from.length - tail] ?? '')] : []),
  ];
}

export function isNested(value: Json): boolean {
  return typeof value === 'object' && value !== null;
}

export function isMultiline(value: Json): value is string {
  return typeof value === 'string' && value.includes('\n');
}

/** Of longer values only the part that differs is shown. */
const LONGEST_VALUE = 160;
/** What is shown before and after that part. */
const CONTEXT = 40;
/** Without `--detail full`, the most that is shown of a value, or of a line of it. */
const LONGEST_LINE = 2000;

/** Two values that differ, with all that differs: what reviewers do not see may be what an author hides. */
export function formatValues(one: Json, other: Json, options: LineOptions = {}): readonly [string, string] {
  const [from, to] = [JSON.stringify(one), JSON.stringify(other)];
  const most = Math.min(from.length, to.length);
  let head = 0;
  while (head < most && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < most - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const format = (text: string): string => {
    if (options.detail === 'full' || text.length <= LONGEST_VALUE) return onOneLine(text);
    const [start, end] = [Math.max(0, head - CONTEXT), Math.min(text.length, text.length - tail + CONTEXT)];
    const part = `${start > 0 ? '… ' : ''}${text.slice(start, end)}`;
    return onOneLine(
      end < text.length ? `${cutLine(part, options)} … (${text.length} characters)` : cutLine(part, options),
    );
  };
  return [format(from), format(to)];
}

export function cutLine(text: string, { detail }: LineOptions): string {
  return detail !== 'full' && text.length > LONGEST_LINE
    ? `${text.slice(0, LONGEST_LINE)}… (${text.length} characters)`
    : text;
}
