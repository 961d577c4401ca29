import { join } from 'node:path';
import { hasErrors, type Problem } from '../../model/problem.ts';
import type { Rules } from '../../model/rules.ts';
import { judge } from '../../model/severity.ts';
import type { DesiredState } from '../../model/state.ts';
import { isNarrowed } from '../../plan/change/plan.ts';
import { checkFiles } from '../../plan/checks/checks.ts';
import { adoptUnsetFields } from '../../plan/diff/unset-fields.ts';
import { findDrift, isAcceptance, judgeDrift } from '../../plan/drift/drift.ts';
import { planChanges } from '../../plan/make-plan.ts';
import { redact } from '../../plan/secrets/redact.ts';
import { makeDriftReport, type Compared, type Unchecked } from '../../report/view/drift-report.ts';
import { renderProblems } from '../../report/text/problems-text.ts';
import { catalog } from '../../schema/kinds/index.ts';
import type { Loaded } from '../../schema/load/load.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { loadInput, problemOf, todayOf } from '../input.ts';
import { EXIT, type ExitCode, type Io } from '../io.ts';
import { openGateway, type LiveSource } from '../connect/live.ts';
import { conclude, emit, parseOutput, type Output } from '../present/output.ts';
import { rulesOf, sourced, type PlanningArgs } from '../planning.ts';
import { leavingOpen, openProject, type OpenProject, type ProjectArgs } from '../project.ts';
import type { ConnectionArgs } from '../connect/settings.ts';

export type DriftArgs = ProjectArgs &
  ConnectionArgs &
  Omit<PlanningArgs, 'prune' | 'maxDeletes' | 'maxUpdates'> & {
    readonly output?: readonly string[];
    readonly detailedExitcode?: boolean;
  };

/** Tells what is live and not as declared. Nothing that it is given can write. */
export async function drift(paths: readonly string[], args: DriftArgs, io: Io): Promise<ExitCode> {
  const output = parseOutput(args.output);
  const project = leavingOpen(await openProject(args, io));
  const loaded = await loadInput(paths, args, project, io, sourced(args, project, io));
  const { value: desired, removals } = loaded;
  const rules = rulesOf(args, project);
  const problems = [
    ...loaded.problems,
    ...judge(
      checkFiles({ desired, removals, rules, kinds: catalog.kinds, today: todayOf(io) }),
      project.lint,
    ),
    ...findFormerFile(project, io),
  ];
  if (hasErrors(problems)) return finish({ url: '', problems }, args, output, io);
  const opened = await openGateway(args, project, io);
  if ('problems' in opened) {
    await finish({ url: '', problems: [...problems, ...opened.problems] }, args, output, io);
    return opened.exit;
  }
  const { url } = opened.source;
  const before = [...problems, ...opened.warnings];
  try {
    const input = { desired, removals, rules };
    const compared = await compare(input, args, opened.source, io);
    const found = judge([...compared.judged.problems, ...compared.untold], project.lint);
    return await finish({ url, compared, problems: [...before, ...found] }, args, output, io);
  } catch (error) {
    return await finish({ url, problems: [...before, problemOf(error)] }, args, output, io);
  } finally {
    await opened.close();
  }
}

type Input = {
  readonly desired: DesiredState;
  readonly removals: Loaded['removals'];
  readonly rules: Rules;
};

/** What would be a conflict for a plan is none here: nobody means to make these changes. */
async function compare(
  { desired, removals, rules }: Input,
  args: DriftArgs,
  source: LiveSource,
  io: Io,
): Promise<Compared & { readonly untold: readonly Problem[] }> {
  const { ignore = [] } = rules;
  const live = await source.read(desired);
  const settled = adoptUnsetFields(desired, live);
  const made = planChanges(settled.value, live, catalog.kinds, {
    gateway: source.url,
    selection: { target: args.target ?? [], exclude: args.exclude ?? [] },
    rules: { ...rules, ignore: ignore.filter((rule) => !isAcceptance(rule)) },
    removals,
  });
  const plan = redact(made.plan, catalog.kinds);
  const judged = judgeDrift(findDrift(plan), ignore, {
    today: todayOf(io),
    complete: !isNarrowed(plan) && live.unavailable.size === 0,
  });
  const unavailable = [...live.unavailable].map(([kind, words]): Unchecked => ({
    reason: 'unavailable',
    kind,
    words,
  }));
  return {
    plan,
    judged,
    unchecked: [...unavailable, ...untoldFields(settled.problems)],
    untold: settled.problems,
  };
}

/** Accepted drift had a file of its own, which is not read. */
function findFormerFile({ folder }: OpenProject, io: Io): readonly Problem[] {
  if (folder === undefined || !io.exists(join(folder, 'accepted-drift.yaml'))) return [];
  const hint = 'move its entries to ignore in gwconf.yaml, with owner and until, and delete the file';
  return [{ code: 'unreadable-file', severity: 'error', message: 'accepted-drift.yaml is not read', hint }];
}

function untoldFields(problems: readonly Problem[]): readonly Unchecked[] {
  return problems.flatMap(({ address, path }): readonly Unchecked[] =>
    address === undefined || path === undefined ? [] : [{ reason: 'cannot-tell', address, path }],
  );
}

async function finish(
  {
    url,
    compared,
    problems: found,
  }: { readonly url: string; readonly compared?: Compared; readonly problems: readonly Problem[] },
  { detailedExitcode }: DriftArgs,
  output: Output,
  io: Io,
): Promise<ExitCode> {
  const problems = locateProblems(found);
  io.err(renderProblems(problems, io.errPaint));
  const report = makeDriftReport(compared, url, problems);
  const text = compared === undefined ? () => [] : undefined;
  await emit({ report, problems, text }, output, io);
  await conclude(report.result, io, compared !== undefined && isNarrowed(compared.plan));
  if (report.result === 'error') return EXIT.failed;
  return detailedExitcode === true && report.result === 'drift' ? EXIT.pending : EXIT.ok;
}
