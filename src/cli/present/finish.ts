import type { Entry } from '../../apply/events.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { Problem } from '../../model/problem.ts';
import { isNarrowed, type Undoes } from '../../plan/change/plan.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { makeApplyReport, type ApplyResult } from '../../report/view/apply-report.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { conclude, emit, type Output } from './output.ts';

const CODES: Readonly<Record<ApplyResult, ExitCode>> = {
  applied: EXIT.ok,
  'no-changes': EXIT.ok,
  partial: EXIT.partial,
  failed: EXIT.failed,
  interrupted: EXIT.interrupted,
  stale: EXIT.stale,
  blocked: EXIT.blocked,
  error: EXIT.failed,
};

/** Where the end of a run is told. */
export type Ending = {
  readonly io: Io;
  readonly output: Output;
  readonly gateway: Pick<Gateway, 'url'>;
  /** What is odd about the way to the gateway. */
  readonly warnings: readonly Problem[];
  /** Problems that were told already. */
  readonly said?: readonly Problem[];
  /** What can be done about what was not, said before the verdict. */
  readonly afterwards?: string;
  /** How what the run has done is taken back. */
  readonly undo?: Undoes;
};

/** How a run ends, however it ends: problems, ledger or report, verdict and exit code. */
export async function finish(
  { io, output, gateway, warnings, said = [], afterwards, undo }: Ending,
  result: ApplyResult,
  shown: ShownPlan | undefined,
  entries: readonly Entry[],
  found: readonly Problem[],
): Promise<ExitCode> {
  const refusals = entries.flatMap((entry) => (entry.outcome === 'failed' ? [entry.problem] : []));
  const all = [...warnings, ...found];
  const untold = locateProblems(all.filter((one) => !said.includes(one)));
  io.err(renderProblems([...untold, ...refusals], io.errPaint));
  const problems = [...locateProblems(all), ...refusals];
  const report = makeApplyReport(result, gateway.url, shown?.counts, entries, problems, undo);
  await emit({ report, problems }, output, io);
  if (afterwards !== undefined) io.err(afterwards);
  await conclude(result, io, shown !== undefined && isNarrowed(shown));
  return CODES[result];
}

/** Tells what is odd while there is time to think better of it; the end of the run does not tell it again. */
export function tellFirst<Told extends Ending>(ending: Told, found: readonly Problem[]): Told {
  const said = [...ending.warnings, ...found];
  ending.io.err(renderProblems(locateProblems(said), ending.io.errPaint));
  return { ...ending, said };
}
