import { addAll } from '../../model/collect.ts';
import type { Journal } from '../../apply/journal/journal.ts';
import type { Problem } from '../../model/problem.ts';
import { renderJson } from '../../report/json/json.ts';
import { renderRun, renderRuns } from '../../report/text/run-text.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import { makeRunReport, makeRunsReport } from '../../report/view/run-report.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { openSavedPlan } from '../../workflow/plan/saved-plan.ts';
import { listRuns, openJournal, planFile, readRun } from '../../workflow/run/journal-files.ts';
import {
  type JournalArgs,
  journalFolder,
  openProjectFor,
  type ProjectArgs,
  wantedEnvironment,
} from '../connect/flags.ts';
import { readPlanKeys } from '../connect/plan-keys.ts';
import { ProblemsError, UsageError, type Io } from '../io.ts';
import { EXIT, type ExitCode } from '../verdict.ts';

export type ListArgs = ProjectArgs & JournalArgs & { readonly output?: readonly string[] };

/** Lists the runs that have a journal, or shows what the journal of one says. */
export async function journal(run: string | undefined, args: ListArgs, io: Io): Promise<ExitCode> {
  const [format = 'human', ...more] = args.output ?? [];
  if (!['human', 'json'].includes(format) || more.length > 0)
    throw new UsageError('journal prints -o human or -o json');
  const folder = journalFolder(args, await openProjectFor(args, io), io);
  if (folder === undefined) throw new UsageError('without a journal there are no runs');
  const print = (report: object, text: string): void =>
    io.out(format === 'json' ? [...renderJson(report)].join('') : text);
  const environment = wantedEnvironment(args, io)?.name;
  return run === undefined ? list({ folder, environment }, print, io) : show(run, folder, print, io);
}

type Print = (report: object, text: string) => void;

/** Lists the runs in a folder, or those of one environment. */
async function list(
  { folder, environment }: { readonly folder: string; readonly environment: string | undefined },
  print: Print,
  io: Io,
): Promise<ExitCode> {
  const journals: Journal[] = [];
  const found: Problem[] = [];
  for (const run of await listRuns(io, folder)) {
    const { value, problems } = await readRun(io, folder, run);
    const isWanted = environment === undefined || value?.started.environment === environment;
    if (value !== undefined && isWanted) journals.push(value);
    addAll(found, problems);
  }
  // The other runs are listed all the same.
  const problems = locateProblems(found.map((problem) => ({ ...problem, severity: 'warning' })));
  const report = makeRunsReport(journals, problems);
  const of = environment === undefined ? '' : ` of ${environment}`;
  const nothing = journals.length === 0 && problems.length === 0 ? `No run${of} in ${folder}.\n` : '';
  print(report, `${renderRuns(report, io.outPaint)}${nothing}`);
  io.err(renderProblems(problems, io.errPaint, io.columns.err));
  return EXIT.ok;
}

async function show(run: string, folder: string, print: Print, io: Io): Promise<ExitCode> {
  const { value: journal, problems } = await openJournal(io, folder, run);
  if (journal === undefined) throw new ProblemsError(problems);
  const saved = await openSavedPlan(io, planFile(folder, run), await readPlanKeys(io), io.readFile);
  if (saved.value === undefined) throw new ProblemsError(saved.problems);
  const report = makeRunReport(journal, saved.value.changes);
  print(report, renderRun(report, io.outPaint));
  return EXIT.ok;
}
