import { hasErrors } from '../../model/problem.ts';
import { redactSaved } from '../../plan/saved/redact-saved.ts';
import { isSavedPlan, readReport, type ReadableReport } from '../../report/read/read-report.ts';
import { makePlanReport } from '../../outcome/plan.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { openSavedPlan } from '../../workflow/plan/saved-plan.ts';
import { reasonOf } from '../../workflow/system-error.ts';
import { readPlanKeys } from '../connect/plan-keys.ts';
import { ProblemsError, UsageError, type Io } from '../io.ts';

/** The report of a saved plan, or of a JSON report. Throws a UsageError or a ProblemsError. */
export async function openReport(path: string, io: Io): Promise<ReadableReport> {
  const text = await io.readNamedFile(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${reasonOf(error)}`);
  });
  if (isSavedPlan(text)) return openPlan(path, text, io);
  const { value, problems } = readReport(text, path);
  if (value === undefined) throw new ProblemsError(problems);
  return value;
}

async function openPlan(path: string, text: string, io: Io): Promise<ReadableReport> {
  const { value: saved, problems } = await openSavedPlan(io, path, await readPlanKeys(io), () =>
    Promise.resolve(text),
  );
  if (saved === undefined || hasErrors(problems)) throw new ProblemsError(problems);
  const { gateway, environment } = saved;
  const shown = redactSaved(saved, catalog.kinds);
  return makePlanReport(shown, gateway, locateProblems(problems), { environment });
}
