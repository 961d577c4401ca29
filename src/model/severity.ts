import type { Problem } from './problem.ts';
import type { ProblemCode, Severity } from './problem-codes.ts';

/** The severities of a project, by problem code. */
export type Lint = Readonly<Record<string, Severity | 'off'>>;

/** Errors that a project can lower, because they can be intended, such as a field of a newer gateway. */
const LOWERABLE: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'unknown-field',
  'security-mode',
  'physical-cluster',
  'override-without-value',
  'invalid-pattern',
  'unknown-kms',
  'unknown-class',
  'removed-class',
  'renamed-class',
  'newer-field',
]);

/** Whether a project may take the code from error to less. */
export function isLowerable(code: ProblemCode): boolean {
  return LOWERABLE.has(code);
}

/** Applies the severities of the project; problems that are off are left out. */
export function judge(problems: readonly Problem[], lint: Lint): readonly Problem[] {
  return problems.flatMap((problem): readonly Problem[] => {
    const severity = lint[problem.code];
    const keeps = severity === undefined || (problem.severity === 'error' && !isLowerable(problem.code));
    if (keeps) return [problem];
    return severity === 'off' ? [] : [{ ...problem, severity }];
  });
}
