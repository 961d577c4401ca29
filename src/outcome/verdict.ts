import { hasErrors, isBlocked, type Problem } from '../model/problem.ts';

/** Exit codes: one table, and the help and docs/reference/output.md print it. */
export const EXIT = {
  ok: 0,
  failed: 1,
  pending: 2,
  blocked: 3,
  stale: 4,
  partial: 5,
  usage: 64,
  bug: 70,
  unwritten: 74,
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Every result of a command: the last word on stderr, in reports and in GITHUB_OUTPUT; and its exit code. */
export const RESULTS = {
  ok: EXIT.ok,
  valid: EXIT.ok,
  passed: EXIT.ok,
  applied: EXIT.ok,
  formatted: EXIT.ok,
  commented: EXIT.ok,
  unchanged: EXIT.ok,
  'no-changes': EXIT.ok,
  'no-drift': EXIT.ok,
  'no-differences': EXIT.ok,
  'no-gateway': EXIT.ok,
  changes: EXIT.ok,
  drift: EXIT.ok,
  differs: EXIT.ok,
  'not-converted': EXIT.ok,
  'v1-used': EXIT.ok,
  'v1-unused': EXIT.ok,
  covered: EXIT.ok,
  uncovered: EXIT.ok,
  error: EXIT.failed,
  failed: EXIT.failed,
  'tests-failed': EXIT.failed,
  differences: EXIT.failed,
  incomplete: EXIT.failed,
  'not-found': EXIT.failed,
  unformatted: EXIT.failed,
  expired: EXIT.failed,
  expiring: EXIT.failed,
  blocked: EXIT.blocked,
  stale: EXIT.stale,
  partial: EXIT.partial,
  'wrong-usage': EXIT.usage,
  bug: EXIT.bug,
  unwritten: EXIT.unwritten,
  interrupted: EXIT.interrupted,
} as const satisfies Readonly<Record<string, ExitCode>>;
export type Result = keyof typeof RESULTS;

/** Results that `--detailed-exitcode` tells from those without anything to do. */
export const DETAILED: ReadonlySet<Result> = new Set([
  'changes',
  'drift',
  'differs',
  'not-converted',
  'v1-used',
  'uncovered',
]);

/** The result of a use case: `well`, unless its problems say otherwise, or it could not make what it is for. */
export function resultOf<R extends Result>(
  problems: readonly Pick<Problem, 'severity' | 'code'>[],
  isMade: boolean,
  well: R,
): R | 'blocked' | 'error' {
  if (isBlocked(problems)) return 'blocked';
  return hasErrors(problems) || !isMade ? 'error' : well;
}

const WORST_FIRST: readonly ExitCode[] = [
  EXIT.bug,
  EXIT.unwritten,
  EXIT.interrupted,
  EXIT.partial,
  EXIT.failed,
  EXIT.usage,
  EXIT.stale,
  EXIT.blocked,
  EXIT.pending,
  EXIT.ok,
];

/** The worst of several results; of equally bad ones that which stands first in the table of all. Of none, that all is well. */
export function worstOf(results: readonly Result[]): Result {
  const known = Object.keys(RESULTS) as Result[]; // the keys of the table
  const rankOf = (result: Result): number =>
    WORST_FIRST.indexOf(exitCodeOf(result, true)) * known.length + known.indexOf(result);
  const [first = 'ok', ...others] = results;
  return others.reduce((worst, one) => (rankOf(one) < rankOf(worst) ? one : worst), first);
}

/** The exit code for a result; `isDetailed` is `--detailed-exitcode`. */
export function exitCodeOf(result: Result, isDetailed = false): ExitCode {
  return isDetailed && DETAILED.has(result) ? EXIT.pending : RESULTS[result];
}

/** The exit code of a command whose output was lost: a success becomes a failure, and a failure stays the one it is. */
export function codeAfterLoss(code: ExitCode): ExitCode {
  return code === EXIT.ok || code === EXIT.pending ? EXIT.unwritten : code;
}
