import { addAll } from '../../model/collect.ts';
import type { Journal } from '../../apply/journal/journal.ts';
import type { Problem } from '../../model/problem.ts';
import type { View } from '../../report/formats.ts';
import { makeRunReport, makeRunsReport } from '../../outcome/run.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { openSavedPlan } from '../../workflow/plan/saved-plan.ts';
import { listRuns, openJournal, planFile, readRun } from '../../workflow/run/journal-files.ts';
import { journalFolder, wantedEnvironment } from '../connect/read-flags.ts';
import { readPlanKeys } from '../connect/plan-keys.ts';
import type { Run } from '../given.ts';
import { ProblemsError, UsageError, type Io } from '../io.ts';

/** Lists the runs that have a journal, or shows what the journal of one says. */
export const run: Run<'journal'> = async ({ operand, args, io, openWorkspace }) => {
  const folder = journalFolder(args, await openWorkspace(args), io);
  if (folder === undefined) throw new UsageError('without a journal there are no runs');
  const environment = wantedEnvironment(args, io)?.name;
  const view =
    operand === undefined ? await list({ folder, environment }, io) : await show(operand, folder, io);
  return { view };
};

/** Lists the runs in a folder, or those of one environment. */
async function list(
  { folder, environment }: { readonly folder: string; readonly environment: string | undefined },
  io: Io,
): Promise<View> {
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
  const hasNone = journals.length === 0 && problems.length === 0;
  return { report, problems, text: hasNone ? () => [`No run${of} in ${folder}.\n`] : undefined };
}

async function show(wanted: string, folder: string, io: Io): Promise<View> {
  const { value: journal, problems } = await openJournal(io, folder, wanted);
  if (journal === undefined) throw new ProblemsError(problems);
  const { run } = journal.started;
  const saved = await openSavedPlan(io, planFile(folder, run), await readPlanKeys(io), io.readFile);
  if (saved.value === undefined) throw new ProblemsError(saved.problems);
  return { report: makeRunReport(journal, saved.value.changes), problems: [] };
}
