import type { SecretVariable } from '../../declare/declared.ts';
import { onOneLine } from '../../report/escape.ts';
import { formatCount } from '../../report/phrases.ts';
import { tableOf } from './table.ts';

/** The names of variables for secrets, each with the place that it is for. */
export function renderVariables(variables: readonly SecretVariable[]): string {
  return tableOf(variables.map(rowOf));
}

function rowOf({ name, value, at: [first, ...others] }: SecretVariable): readonly [string, string] {
  const more = others.length === 0 ? '' : `, and ${formatCount(others.length, 'other place')}`;
  const unknown = value === undefined ? ' (its value is not known)' : '';
  return [name, onOneLine(`${first?.address ?? ''} ${first?.path ?? ''}${more}${unknown}`)];
}
