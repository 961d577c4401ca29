import { addAll } from '../../model/collect.ts';
import { parsePointer, type Json, type Pointer, isScalar } from '../../model/json/json.ts';
import type { FieldDifference } from '../../model/field-difference.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import type { SecretStatus } from '../../plan/change/change.ts';
import { escapedLines, forTerminal, onOneLine } from '../escape.ts';
import { causeHeading } from './causes.ts';
import type { ChangeRecord, FieldRecord } from '../../outcome/change-record.ts';
import { renderEntry, yamlLines, isMultiline } from './yaml-lines.ts';
import { printJson } from '../../model/json/json-text.ts';
import { cutWithLength } from '../../model/text/list.ts';

/** What is to be shown of a field, or of all fields of an object that one side does not have. */
export type Edit =
  | {
      readonly edit: 'field';
      readonly field: FieldDifference;
      /** Of a secret, whose values are not shown. */
      readonly status?: SecretStatus | undefined;
      /** Who caused it, where that is another than of the field before. */
      readonly heading?: string | undefined;
    }
  | { readonly edit: 'values'; readonly sign: '+' | '-'; readonly fields: readonly FieldRecord[] }
  /** What files say, and what is live; absent where it is not set. */
  | {
      readonly edit: 'drift';
      readonly path: Pointer;
      readonly declared?: Json | undefined;
      readonly live?: Json | undefined;
      /** Who moved, where that is another than of the field before. */
      readonly heading?: string | undefined;
    }
  /** A secret that is not the same on both sides. */
  | { readonly edit: 'secret'; readonly path: Pointer };

/** A line of a comparison; `!` is a secret, whose values are not shown. */
export type DiffLine = { readonly sign: '+' | '-' | '!' | ' '; readonly text: string };

/** How much is shown of long values. */
type Options = { readonly detail?: 'summary' | 'fields' | 'full' | undefined };

/** What a change does to the fields of its object. */
export function editsOf({ action, fields, secrets }: ChangeRecord): readonly Edit[] {
  if (action === 'update' || action === 'replace')
    return fields.map((field, at) => ({
      edit: 'field',
      field,
      status: secrets?.[field.path],
      heading: causeHeading(fields, at),
    }));
  return [{ edit: 'values', sign: action === 'create' ? '+' : '-', fields }];
}

/** Edits as removed and added lines, safe for terminals. */
export function linesOfEdits(edits: readonly Edit[]): readonly DiffLine[] {
  const [first, ...others] = edits;
  return first !== undefined && others.length === 0 ? linesOfEdit(first) : edits.flatMap(linesOfEdit);
}

function linesOfEdit(one: Edit): readonly DiffLine[] {
  switch (one.edit) {
    case 'field':
      return [...headingLines(one.heading), ...linesOfField(one.field, one.status)];
    case 'values':
      return linesOfValues(one);
    case 'drift': {
      const [declared, live] = formatSides(one);
      return [
        ...headingLines(one.heading),
        { sign: '-', text: `declared ${onOneLine(one.path)}: ${declared}` },
        { sign: '+', text: `live     ${onOneLine(one.path)}: ${live}` },
      ];
    }
    case 'secret':
      return [{ sign: '!', text: `${onOneLine(one.path)}: ${HIDDEN}, different` }];
    default:
      return one satisfies never;
  }
}

/** A list is added to, since there may be 100,000 objects with all their fields. */
function linesOfValues({ sign, fields }: Extract<Edit, { edit: 'values' }>): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  for (let at = 0; at < fields.length; at += 1) {
    const field = fields[at];
    if (field === undefined) continue;
    const heading = causeHeading(fields, at);
    if (heading !== undefined) addAll(lines, headingLines(heading));
    for (const text of yamlOfField(field)) lines.push({ sign, text: cutLine(text) });
  }
  return lines;
}

/** What files say of a field, and what is live. */
export function formatSides({
  declared,
  live,
}: Extract<Edit, { edit: 'drift' }>): readonly [declared: string, live: string] {
  const [from, to] = formatValues(declared ?? null, live ?? null);
  return [declared === undefined ? 'not set' : from, live === undefined ? 'not set' : to];
}

function headingLines(heading: string | undefined): readonly DiffLine[] {
  return heading === undefined ? [] : [{ sign: ' ', text: `# ${heading}` }];
}

/** The value of a field as lines of YAML, under the last part of its place. */
export function yamlOfField(field: FieldDifference): readonly string[] {
  const value = field.op === 'remove' ? field.before : field.after;
  return renderEntry(parsePointer(field.path).at(-1) ?? '', value);
}

function linesOfField(field: FieldDifference, status: SecretStatus | undefined): readonly DiffLine[] {
  const path = onOneLine(field.path);
  switch (field.op) {
    case 'add':
      return linesOfValue('+', path, field.after);
    case 'remove':
      return linesOfValue('-', path, field.before);
    case 'set': {
      const { before, after } = field;
      if (status !== undefined) return [{ sign: '!', text: `${path}: ${HIDDEN}, ${STATUSES[status]}` }];
      if (isMultiline(before) && isMultiline(after))
        return [
          { sign: ' ', text: `${path}:` },
          ...deeper(diffTexts(escapedLines(before), escapedLines(after))),
        ];
      if (isNested(before) && isNested(after))
        return [{ sign: ' ', text: `${path}:` }, ...deeper(diffTexts(yamlLines(before), yamlLines(after)))];
      const [from, to] = formatValues(before, after);
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
};

function linesOfValue(sign: '+' | '-', path: string, value: Json): readonly DiffLine[] {
  if (!isNested(value)) return signed(sign, [`${path}: ${forTerminal(printJson(value))}`]);
  return [{ sign, text: `${path}:` }, ...deeper(signed(sign, yamlLines(value)))];
}

function signed(sign: '+' | '-', lines: readonly string[]): readonly DiffLine[] {
  return lines.map((text) => ({ sign, text: cutLine(text) }));
}

function deeper(lines: readonly DiffLine[]): readonly DiffLine[] {
  return lines.map(({ sign, text }) => ({ sign, text: `  ${text}` }));
}

/** The lines that differ, with one line of context before and after. All are escaped already. */
export function diffTexts(from: readonly string[], to: readonly string[]): readonly DiffLine[] {
  let head = 0;
  while (head < Math.min(from.length, to.length) && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < Math.min(from.length, to.length) - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const line = (sign: DiffLine['sign']) => (text: string) => ({ sign, text });
  return [
    ...(head > 0 ? [line(' ')(from[head - 1] ?? '')] : []),
    ...from.slice(head, from.length - tail).map(line('-')),
    ...to.slice(head, to.length - tail).map(line('+')),
    ...(tail > 0 ? [line(' ')(from[from.length - tail] ?? '')] : []),
  ];
}

export function isNested(value: Json): boolean {
  return !isScalar(value);
}

/** Of longer values only the part that differs is shown. */
const LONGEST_VALUE = 160;
/** What is shown before and after that part. */
const CONTEXT = 40;
/** Without `--detail full`, the most that is shown of a value, or of a line of it. */
const LONGEST_LINE = 2000;

/** Two values that differ, with all that differs: what reviewers do not see may be what an author hides. */
export function formatValues(one: Json, other: Json, options: Options = {}): readonly [string, string] {
  const [from, to] = [printJson(one), printJson(other)];
  const most = Math.min(from.length, to.length);
  let head = 0;
  while (head < most && from[head] === to[head]) head += 1;
  let tail = 0;
  while (tail < most - head && from.at(-1 - tail) === to.at(-1 - tail)) tail += 1;
  const format = (text: string): string => {
    if (options.detail === 'full' || text.length <= LONGEST_VALUE) return forTerminal(text);
    const [start, end] = [Math.max(0, head - CONTEXT), Math.min(text.length, text.length - tail + CONTEXT)];
    const part = `${start > 0 ? '… ' : ''}${text.slice(start, end)}`;
    return forTerminal(
      end < text.length ? `${cutLine(part, options)} … (${text.length} characters)` : cutLine(part, options),
    );
  };
  return [format(from), format(to)];
}

export function cutLine(text: string, { detail }: Options = {}): string {
  return detail === 'full' ? text : cutWithLength(text, LONGEST_LINE);
}
