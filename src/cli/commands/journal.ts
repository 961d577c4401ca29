import type { Journal } from '../../apply/journal/journal.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { makeRunReport, makeRunsReport } from '../../report/view/run-report.ts';
import { renderJson } from '../../report/json/json-text.ts';
import { renderRuns, renderRun } from '../../report/text/run-text.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { EXIT, ProblemsError, UsageError, type ExitCode, type Io } from '../io.ts';
import { journalFolder, planFile, readRun, runNamed, runsIn, type JournalArgs } from '../journal-folder.ts';
import { conclude } from '../present/output.ts';
import { openPlan } from '../plan-file.ts';
import { openProject, type ProjectArgs } from '../project.ts';

export type ListArgs = ProjectArgs & JournalArgs & { readonly output?: readonly string[] };

/** Lists the runs that have a journal, or shows what the journal of one tells. */
export async function journal(run: string | undefined, args: ListArgs, io: Io): Promise<ExitCode> {
  const [format = 'human', ...more] = args.output ?? [];
  if (!['human', 'json'].includes(format) || more.length > 0)
    throw new UsageError('journal prints -o human or -o json');
  const folder = journalFolder(args, await openProject(args, io), io);
  if (folder === undefined) throw new UsageError('without a journal there are no runs');
  const print = (report: object, text: string): void =>
    io.out(format === 'json' ? [...renderJson(report)].join('') : text);
  return run === undefined ? list(folder, print, io) : show(run, folder, print, io);
}

type Print = (report: object, text: string) => void;

async function list(folder: string, print: Print, io: Io): Promise<ExitCode> {
  const journals: Journal[] = [];
  const found: Problem[] = [];
  for (const run of await runsIn(folder, io)) {
    const { value, problems } = await readRun(folder, run, io);
    if (value !== undefined) journals.push(value);
    found.push(...problems);
  }
  const problems = locateProblems(found);
  io.err(renderProblems(problems, io.errPaint));
  const report = makeRunsReport(journals, problems);
  const nothing = journals.length === 0 && problems.length === 0 ? `No run in ${folder}.\n` : '';
  print(report, `${renderRuns(report, io.outPaint)}${nothing}`);
  if (!hasErrors(problems)) return EXIT.ok;
  await conclude('error', io);
  return EXIT.failed;
}

async function show(run: string, folder: string, print: Print, io: Io): Promise<ExitCode> {
  const { value: journal, problems } = await readRun(folder, await runNamed(run, folder, io), io);
  if (journal === undefined) throw new ProblemsError(problems);
  const path = planFile(folder, run);
  const saved = await openPlan(path, io);
  if (saved.value === undefined) throw new ProblemsError(saved.problems);
  const report = makeRunReport(journal, saved.value.changes);
  print(report, renderRun(report, io.outPaint));
  return EXIT.ok;
}
