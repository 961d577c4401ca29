import type { ApplyResult } from '../../apply/events.ts';
import type { Report } from '../../report/view/report.ts';
import { EXIT, type ExitCode } from '../io.ts';

const CODES: Readonly<Record<ApplyResult | Report['result'], ExitCode>> = {
  applied: EXIT.ok,
  'no-changes': EXIT.ok,
  'no-drift': EXIT.ok,
  'no-differences': EXIT.ok,
  valid: EXIT.ok,
  changes: EXIT.ok,
  drift: EXIT.ok,
  differs: EXIT.ok,
  differences: EXIT.failed,
  error: EXIT.failed,
  failed: EXIT.failed,
  blocked: EXIT.blocked,
  stale: EXIT.stale,
  partial: EXIT.partial,
  interrupted: EXIT.interrupted,
};

const DETAILED: ReadonlySet<string> = new Set(['changes', 'drift', 'differs']);

/** The exit code for the result of a report; `detailed` is `--detailed-exitcode`. */
export function exitCodeOf(result: keyof typeof CODES, detailed = false): ExitCode {
  return detailed && DETAILED.has(result) ? EXIT.pending : CODES[result];
}
