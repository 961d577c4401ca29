import {
  catalog,
  decodePlan,
  hasErrors,
  isNarrowed,
  locateProblems,
  planReport,
  problemsText,
  redact,
} from '../../index.ts';
import { explained } from '../explained.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { conclude, emit, parseOutput } from '../output.ts';
import { readPlanFile } from '../plan-file.ts';

export type ShowArgs = { readonly output?: readonly string[]; readonly explain?: string };

/** Renders a saved plan, offline. */
export async function show(path: string, args: ShowArgs, io: Io): Promise<ExitCode> {
  const output = parseOutput(args.output);
  const { value: saved, problems: found } = decodePlan(await readPlanFile(path, io), path);
  const problems = locateProblems(found);
  io.err(problemsText(problems, io.errPaint));
  const shown = saved === undefined ? undefined : redact({ ...saved, counts: saved.summary }, catalog.kinds);
  const report = planReport(shown, saved?.gateway ?? '', problems);
  const human = (): string => (shown === undefined ? '' : explained(shown, args.explain, io.outPaint));
  await emit({ report, problems, human }, output, io);
  await conclude(report.result, io, shown !== undefined && isNarrowed(shown));
  return hasErrors(problems) ? EXIT.failed : EXIT.ok;
}
