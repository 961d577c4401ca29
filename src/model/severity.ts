import type { Problem } from './problem.ts';
import { isPolicy, type ProblemCode, type Severity } from './problem-codes.ts';

/** Severities that a project wants, by problem code. */
export type Lint = Readonly<Record<string, Severity | 'off'>>;

/**
 * Errors that a project may lower, since what they warn of can be meant: a field of a newer gateway, a class that
 * gwconf takes for removed. What cannot be understood, sent or ordered stays an error.
 */
const LOWERABLE: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'unknown-field',
  'security-mode',
  'physical-cluster',
  'override-without-value',
  'invalid-pattern',
  'unknown-kms',
  'removed-class',
  'renamed-class',
  'newer-field',
]);

/** Whether a project may take the code from error to less. */
export function isLowerable(code: ProblemCode): boolean {
  return LOWERABLE.has(code) || isPolicy(code);
}

/** The problems with the severities that the project gives their codes; those that are off are left out. */
export function judge(problems: readonly Problem[], lint: Lint): readonly Problem[] {
  return problems.flatMap((problem): readonly Problem[] => {
    const severity = lint[problem.code];
    const keeps = severity === undefined || (problem.severity === 'error' && !isLowerable(problem.code));
    if (keeps) return [problem];
    return severity === 'off' ? [] : [{ ...problem, severity }];
  });
}
