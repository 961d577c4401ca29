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
  const turns = new Map<string, number>();
  const ranked = problems.map((problem) => {
    const { severity, code, message } = problem;
    const isFirst = FIRST.has(code) || message.startsWith(BY_BASE);
    const rank = 2 * (RANKS[severity] ?? 0) + (isFirst ? 0 : 1);
    // Of rules that a branch loosens, each sort of rule is one.
    const rule = code === 'loosened-rule' ? /: (\w+)/.exec(message)?.[1] : '';
    const sort = `${rank} ${isPolicy(code) ? 'policy' : code} ${rule}`;
    const turn = turns.get(sort) ?? 0;
    turns.set(sort, turn + 1);
    return { problem, rank, turn };
  });
  return ranked
    .sort((one, other) => one.rank - other.rank || (ranked.length > FEW ? one.turn - other.turn : 0))
    .map(({ problem }) => problem);
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
