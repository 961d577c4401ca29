import { onOneLine } from '../escape.ts';
import { groupEffects } from '../page/effects.ts';
import { groupExposures } from '../page/exposures.ts';
import { countPrincipals, type Fate } from '../page/fates.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import type { PlanReport } from '../../outcome/plan.ts';
import { listSome } from '../page/principals.ts';
import { formatCount } from './phrases.ts';
import type { TextOptions } from './text-options.ts';
import { wrap } from './wrap.ts';

/** What principals lose: for good, then for some calls. */
export function* renderLosses(
  { exposures = [], changes }: Lazy<PlanReport>,
  options: TextOptions,
): Generator<string> {
  const { lasting, passing } = groupExposures(exposures, changes);
  yield renderFates('Lost protection:', lasting, options.paint.red('!'), options);
  yield renderFates('Exposures:', passing, options.paint.red('!'), options);
}

/** What changes for principals. */
export function renderEffects({ effects = [] }: Lazy<PlanReport>, options: TextOptions): string {
  return renderFates('Effects on principals:', groupEffects(effects), options.paint.yellow('~'), options);
}

/** Up to this many groups of principals are shown, and of each up to so many principals. */
const MOST_GROUPS = 20;
const MOST_NAMES = 5;
/** The same with `--detail full`. */
const MOST_IN_FULL = 1000;

function renderFates(title: string, fates: readonly Fate[], sign: string, options: TextOptions): string {
  if (fates.length === 0) return '';
  const { paint, detail } = options;
  const shown = fates.slice(0, detail === 'full' ? MOST_IN_FULL : MOST_GROUPS);
  const others = fates.slice(shown.length);
  const more =
    others.length === 0
      ? ''
      : `  and ${formatCount(others.length, 'more group')} of ${formatCount(countPrincipals(others), 'principal')}; -o json lists all\n`;
  return `${paint.bold(title)}\n${shown.map((fate) => renderFate(fate, sign, options)).join('')}${more}\n`;
}

function renderFate({ text, names, notes, lines }: Fate, sign: string, options: TextOptions): string {
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
