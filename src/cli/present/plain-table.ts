import { formatCount } from '../../model/text/list.ts';
import type { SecretVariable } from '../../declare/declared.ts';
import { largestOf } from '../../model/collect.ts';
import { onOneLine } from '../../report/escape.ts';
import { wrap } from '../../report/text/layout.ts';
import type { Explanation } from '../../workflow/explain-problem.ts';
import { UsageError } from '../io.ts';

/** Rows of a name and a text, indented, in two columns. */
export function tableOf(rows: readonly (readonly [string, string])[]): string {
  const width = largestOf(rows.map(([name]) => name.length));
  return rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}\n`).join('');
}

/** What `gwconf COMMAND NAME` prints. Throws a UsageError for a name that is none of these `sorts`. */
export function textOfFound(found: Explanation, command: 'explain' | 'template', sorts: string): string {
  if ('text' in found) return found.text;
  if ('choices' in found) {
    const lines = found.choices.map((label) => `  gwconf ${command} ${label}\n`);
    return `Different fields have this name:\n${lines.join('')}`;
  }
  const { unknown, within, near } = found;
  const what = within === undefined ? `there is no ${sorts} ${unknown}` : `${within} has no field ${unknown}`;
  const cure = near === undefined ? `gwconf ${command} lists all names` : `did you mean ${near}?`;
  throw new UsageError(`${what}; ${cure}`);
}

/** Wraps lines at the width of the terminal; those of a table continue under their last column. */
export function wrapLines(text: string, columns: number | undefined): string {
  if (columns === undefined) return text;
  return text
    .split('\n')
    .flatMap((line) => wrap(line, columns, indentOf(line, columns)))
    .join('\n');
}

function indentOf(line: string, columns: number): number {
  const start = /^.*\S {2,}(?=\S)/.exec(line)?.[0].length ?? 0;
  return start > 0 && start < columns - 20
    ? start
    : (/^ *(?:- )?/.exec(line)?.[0].length ?? 0) + (start > 0 ? 4 : 0);
}

/** The names of variables for secrets, each with the place that it is for. */
export function renderVariables(variables: readonly SecretVariable[]): string {
  return tableOf(variables.map(rowOf));
}

function rowOf({ name, value, at: [first, ...others] }: SecretVariable): readonly [string, string] {
  const more = others.length === 0 ? '' : `, and ${formatCount(others.length, 'other place')}`;
  const unknown = value === undefined ? ' (its value is not known)' : '';
  return [name, onOneLine(`${first?.address ?? ''} ${first?.path ?? ''}${more}${unknown}`)];
}
