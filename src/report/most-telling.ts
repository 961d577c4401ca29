import { oneOfEachFirst } from '../model/one-of-each.ts';
import { isPolicy, type ProblemCode } from '../model/problem-codes.ts';
import type { ProblemRecord } from '../outcome/problem-record.ts';
import { BY_BASE } from '../plan/causes/given-up.ts';

/** GitHub shows as many annotations of a step, and a comment has room for these. */
const FEW = 10;

/**
 * Problems where only the first ones may be shown: the severest, of these what a branch loses or gives up, and of more than a few, one of
 * each sort before the next one of any. A branch can have any number of others.
 */
export function mostTelling<T extends Pick<ProblemRecord, 'severity' | 'code' | 'message'>>(
  problems: readonly T[],
): readonly T[] {
  const ranked = problems.map((problem) => {
    const { severity, code, message } = problem;
    const isFirst = FIRST.has(code) || message.startsWith(BY_BASE);
    const rank = 2 * (RANKS[severity] ?? 0) + (isFirst ? 0 : 1);
    // Of rules that a branch loosens, each sort of rule is one.
    const rule = code === 'loosened-rule' ? /: (\w+)/.exec(message)?.[1] : '';
    return { problem, rank, sort: `${rank} ${isPolicy(code) ? 'policy' : code} ${rule}` };
  });
  return fewInTurn(ranked, ({ sort }) => sort)
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ problem }) => problem);
}

/** More than a few in turn. */
export function fewInTurn<T>(items: readonly T[], sortOf: (item: T) => string): readonly T[] {
  return items.length > FEW ? oneOfEachFirst(items, sortOf) : items;
}

const RANKS: Readonly<Record<string, number>> = { error: 0, warning: 1, info: 2 };

/** Of a loss, or of what a branch gives up. */
const FIRST: ReadonlySet<string> = new Set<ProblemCode>([
  'lost-protection',
  'weakened-protection',
  'taken-over-loss',
  'loosened-rule',
  'no-longer-declared',
  'unknown-causes',
]);
