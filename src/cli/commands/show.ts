import { hasErrors } from '../../model/problem.ts';
import { isNarrowed } from '../../plan/change/plan.ts';
import { lossesOf } from '../../plan/checks/exposures.ts';
import { type SavedPlan, redactSaved } from '../../plan/saved/saved-plan.ts';
import { onOneLine } from '../../report/escape.ts';
import { makePlanReport } from '../../outcome/plan.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { checkPlanInput, openSavedPlan } from '../../workflow/plan/saved-plan.ts';
import { readPlanKeys } from '../connect/plan-keys.ts';
import type { Run } from '../given.ts';
import { tellProblems } from '../present/finish.ts';
import { explained } from '../present/explained.ts';

/** Renders a saved plan, offline; with files, tells whether it was made from them. */
export const run: Run<'show'> = async ({ operand: path, args, io }) => {
  const { value: saved, kinds, problems: found } = await openSavedPlan(io, path, await readPlanKeys(io));
  const { file: paths } = args;
  const other = saved === undefined || paths === undefined ? [] : await checkPlanInput(io, saved, paths);
  const problems = locateProblems([...found, ...other]);
  const failed = hasErrors(problems);
  io.err(tellProblems(problems, true, io));
  if (saved !== undefined) io.err(originText(saved, failed ? undefined : paths, io.now()));
  const shown = saved === undefined ? undefined : redactSaved(saved, kinds);
  const { gateway = '', environment } = saved ?? {};
  const told = [...problems, ...locateProblems(shown === undefined ? [] : lossesOf(shown))];
  const plan = makePlanReport(shown, gateway, told, { environment });
  const isExplained = shown !== undefined && args.explain !== undefined;
  const report = isExplained ? explained(plan, args.explain) : plan;
  const text = shown === undefined ? () => [] : undefined;
  const isPartial = shown !== undefined && isNarrowed(shown);
  return { view: { report, problems: told, text }, problems: [], isNarrowed: isPartial }; // they are printed
};

function originText(
  { tool, createdAt, environment, origin, expiresAt }: SavedPlan,
  paths: readonly string[] | undefined,
  now: Date,
): string {
  const where = environment === undefined ? '' : ` for the environment ${environment}`;
  const from = paths === undefined ? '' : `, from ${paths.join(', ')}`;
  const commit = origin?.commit === undefined ? '' : ` at the commit ${origin.commit}`;
  const within = origin?.repository === undefined ? '' : `, in ${origin.repository}${commit}`;
  const isOver = expiresAt !== undefined && now.getTime() > Date.parse(expiresAt);
  const until = expiresAt === undefined ? '' : ` ${isOver ? 'Expired at' : 'Valid until'} ${expiresAt}.`;
  return `${onOneLine(`Made by ${tool} at ${createdAt}${where}${within}${from}.${until}`)}\n`;
}
