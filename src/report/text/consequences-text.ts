import { onOneLine } from '../escape.ts';
import { countPrincipals, type Consequence } from '../page/consequence.ts';
import type { Consequences } from '../page/page.ts';
import { listSome } from '../page/principals.ts';
import { formatCount } from '../phrases.ts';
import { type TextOptions, wrap } from './layout.ts';

/** Up to this many groups of principals are shown, and of each up to so many principals. */
const MOST_GROUPS = 20;
const MOST_NAMES = 5;
/** The same with `--detail full`. */
const MOST_IN_FULL = 1000;

/** What happens to principals; empty if nothing does. */
export function renderConsequences(
  { title, isLoss, consequences }: Consequences,
  options: TextOptions,
): string {
  if (consequences.length === 0) return '';
  const { paint, detail } = options;
  const sign = isLoss ? paint.red('!') : paint.yellow('~');
  const shown = consequences.slice(0, detail === 'full' ? MOST_IN_FULL : MOST_GROUPS);
  const others = consequences.slice(shown.length);
  const more =
    others.length === 0
      ? ''
      : `  and ${formatCount(others.length, 'more group')} of ${formatCount(countPrincipals(others), 'principal')}; -o json lists all\n`;
  return `${paint.bold(`${title}:`)}\n${shown.map((one) => renderOne(one, sign, options)).join('')}${more}\n`;
}

function renderOne({ text, names, notes, lines }: Consequence, sign: string, options: TextOptions): string {
  const { paint, width, detail } = options;
  const mostNames = detail === 'full' ? MOST_IN_FULL : MOST_NAMES;
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
