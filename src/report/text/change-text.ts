import type { Json } from '../../model/json/json.ts';
import type { ChangeRecord } from '../../outcome/change-record.ts';
import type { SecretStatus } from '../../plan/change/change.ts';
import type { FieldDifference } from '../../model/field-difference.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { escapedLines, forTerminal, onOneLine } from '../escape.ts';
import { causeHeading } from '../page/causes.ts';
import { describeChange, signOf } from '../page/changes.ts';
import {
  cutLine,
  diffTexts,
  editsOf,
  formatSides,
  formatValues,
  isNested,
  STATUSES,
  yamlOfField,
  type Edit,
} from '../page/edits.ts';
import type { Sign } from '../page/page.ts';
import { yamlLines, isMultiline } from '../page/yaml-lines.ts';
import { type Paint, type TextOptions, wrap } from './layout.ts';
import { printJson } from '../../model/json/json-text.ts';

/** The object and its place, then its fields; those of a created or deleted object only `withValues`. */
export function renderChange(change: ChangeRecord, options: TextOptions, withValues: boolean): string {
  const edits = editsOf(change)
    .filter(({ edit }) => withValues || edit !== 'values')
    .map((edit) => renderEdit(edit, options));
  return `${renderHead(change, options)}${edits.join('')}`;
}

function renderHead(change: ChangeRecord, { paint, width }: TextOptions): string {
  const { action, address, at } = change;
  const place = at === undefined ? [] : [`${at.file}:${at.line}`];
  const parts = [address, ...describeChange(change), ...place].map(onOneLine);
  const rows = fillRows(parts, width);
  const last = place.map(onOneLine)[0];
  const text = rows
    .map((row, index) =>
      index === rows.length - 1 && last !== undefined && row.endsWith(last)
        ? `${row.slice(0, row.length - last.length)}${paint.dim(last)}`
        : row,
    )
    .join('\n      ');
  return `  ${renderSign(signOf(action), paint)} ${text}\n`;
}

const COLOURS: Readonly<Record<Sign, keyof Paint>> = {
  '+': 'green',
  '-': 'red',
  '~': 'yellow',
  '±': 'red',
  '!': 'red',
  '?': 'yellow',
  '✓': 'green',
};

export function renderSign(sign: Sign, paint: Paint): string {
  return paint[COLOURS[sign]](sign);
}

/** Parts of a line with two blanks between them, on as many lines as the width needs. */
function fillRows(parts: readonly string[], width = Infinity): readonly string[] {
  const rows: string[] = [];
  for (const part of parts) {
    const row = rows.at(-1);
    if (row === undefined || row.length + part.length + 8 > width) rows.push(part);
    else rows[rows.length - 1] = `${row}  ${part}`;
  }
  return rows.flatMap((row) => wrap(row, width - 6, 0));
}

/** Without `--detail full`, no more lines of an object are shown. */
const MOST_LINES = 200;

/** The fields of a created or deleted object, as YAML. */
function renderValues({ sign, fields }: Extract<Edit, { edit: 'values' }>, options: TextOptions): string {
  const lines = fields.flatMap((field, at) => {
    const heading = causeHeading(fields, at);
    return [...(heading === undefined ? [] : [`# ${heading}`]), ...yamlOfField(field)];
  });
  const shown = options.detail === 'full' ? lines : lines.slice(0, MOST_LINES);
  const more = lines.length - shown.length;
  const rest = more === 0 ? '' : `      and ${more} more lines; --detail full shows them\n`;
  return `${signed(shown, sign, 6, options)}${rest}`;
}

/** Lines with a sign before each, wrapped to the width. */
function signed(lines: readonly string[], sign: '+' | '-', indent: number, options: TextOptions): string {
  const { paint, width } = options;
  const colour = sign === '+' ? paint.green : paint.red;
  return lines
    .flatMap((line) =>
      wrap(cutLine(line, options), width === undefined ? undefined : width - indent - 2, depthOf(line) + 4),
    )
    .map((line) => `${' '.repeat(indent)}${colour(sign)} ${line}\n`)
    .join('');
}

function depthOf(line: string): number {
  return line.length - line.trimStart().length;
}

/** What differs, below its object. */
export function renderEdit(one: Edit, options: TextOptions): string {
  const { paint } = options;
  switch (one.edit) {
    case 'field': {
      return `${renderHeading(one.heading, options)}${renderField(one.field, one.status, options)}`;
    }
    case 'values':
      return renderValues(one, options);
    case 'drift': {
      const [declared, live] = formatSides(one);
      return `${renderHeading(one.heading, options)}      ${onOneLine(one.path)}: declared ${declared}, live ${live}\n`;
    }
    case 'secret':
      return `      ${paint.yellow('~')} ${onOneLine(one.path)}: ${HIDDEN}, different\n`;
    default:
      return one satisfies never;
  }
}

function renderHeading(heading: string | undefined, { paint }: TextOptions): string {
  return heading === undefined ? '' : `      ${paint.dim(`${heading}:`)}\n`;
}

function renderField(field: FieldDifference, status: SecretStatus | undefined, options: TextOptions): string {
  const { paint } = options;
  const path = onOneLine(field.path);
  switch (field.op) {
    case 'add':
      return `      ${paint.green('+')} ${path}:${renderAlone(field.after, '+', path, options)}`;
    case 'remove':
      return `      ${paint.red('-')} ${path}:${renderAlone(field.before, '-', path, options)}`;
    case 'set': {
      const head = `      ${paint.yellow('~')} ${path}:`;
      const arrow = paint.dim('→');
      if (status !== undefined) return `${head} ${HIDDEN} ${arrow} ${HIDDEN}, ${STATUSES[status]}\n`;
      const { before, after } = field;
      if (isMultiline(before) && isMultiline(after))
        return `${head}\n${renderTextDiff(escapedLines(before), escapedLines(after), paint)}`;
      const [from, to] = formatValues(before, after, options);
      if (isNested(before) && isNested(after) && path.length + from.length + to.length > SHORT)
        return `${head}\n${renderTextDiff(yamlLines(before), yamlLines(after), paint)}`;
      return path.length + from.length + to.length + 12 > (options.width ?? Infinity)
        ? `${head}\n          ${paint.red('-')} ${from}\n          ${paint.green('+')} ${to}\n`
        : `${head} ${from} ${arrow} ${to}\n`;
    }
    default:
      return field satisfies never;
  }
}

/** The longest two nested values that are printed on one line. */
const SHORT = 100;

/** A value behind its path, or below it. */
function renderAlone(value: Json, sign: '+' | '-', path: string, options: TextOptions): string {
  const text = forTerminal(cutLine(printJson(value), options));
  return isNested(value) && path.length + text.length > SHORT
    ? `\n${signed(yamlLines(value), sign, 10, options)}`
    : ` ${text}\n`;
}

/** The lines that differ, with one line of context before and after. */
function renderTextDiff(from: readonly string[], to: readonly string[], paint: Paint): string {
  const colours = { '-': paint.red, '+': paint.green, '!': paint.yellow, ' ': paint.dim };
  return diffTexts(from, to)
    .map(({ sign, text }) => `          ${colours[sign](`${sign} ${text}`)}\n`)
    .join('');
}
