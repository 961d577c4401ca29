import { hasErrors, type LocatedProblem, applyLint } from '../../model/problem.ts';
import { makeDiffReport, type SourceRecord } from '../../outcome/diff.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { compareSources, type Comparison } from '../../workflow/plan/compare.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { mergeProblems } from '../../workflow/project/validate.ts';
import { checkConnectionFlags, openSource, type OpenSource } from '../connect/compare-sources.ts';
import { flagOf } from '../table/flag.ts';
import type { Given, Run } from '../given.ts';
import { ProblemsError, UsageError } from '../io.ts';
import type { Args } from '../table/commands.ts';

type DiffArgs = Args<'diff'>;

/** Compares two environments, gateways or snapshots; without `--from` and `--to`, the same as plan. */
export const run: Run<'diff'> = async (given) => {
  const { operand: paths, args } = given;
  const { from, to } = args;
  if (from === undefined && to === undefined) return (await import('./plan.ts')).run(given);
  if (from === undefined || to === undefined) {
    const [present, missing] = from === undefined ? ['--to', '--from'] : ['--from', '--to'];
    throw new UsageError(
      `${present} needs ${missing}: name two environments, live:ENVIRONMENT for a gateway, or snapshot files`,
    );
  }
  refusePlanFlags(paths, args);
  checkConnectionFlags([from, to], args);
  const base = await given.openWorkspace(args);
  const { comparison, sources, problems } = await compareNamed(from, to, base, given);
  const report = makeDiffReport(
    { from: sources[0] ?? { name: from }, to: sources[1] ?? { name: to } },
    comparison,
    problems,
  );
  return {
    view: { report, problems, text: comparison === undefined ? () => [] : undefined },
    isNarrowed: report.selection !== undefined,
  };
};

/** The two sources say what is read, and nothing is planned. */
const OF_PLANS = [
  'env',
  'file',
  'allowEmpty',
  'snapshot',
  'out',
  'signKey',
  'validFor',
  'explain',
  'base',
  'failOn',
  'prune',
  'manages',
  'maxDeletes',
  'maxUpdates',
  'acceptExposure',
] as const satisfies readonly (keyof DiffArgs)[];

function refusePlanFlags(paths: readonly string[], args: DiffArgs): void {
  const flag = OF_PLANS.find((name) => args[name] !== undefined);
  const given = flag === undefined ? paths[0] : flagOf(flag);
  if (given === undefined) return;
  throw new UsageError(`--from and --to say what is compared, and nothing is planned: leave out ${given}`);
}

type Outcome = {
  readonly comparison?: Comparison | undefined;
  readonly sources: readonly SourceRecord[];
  readonly problems: readonly LocatedProblem[];
};

async function compareNamed(
  from: string,
  to: string,
  base: Workspace,
  { args: { target = [], exclude = [], ...args }, io, connect }: Given<'diff'>,
): Promise<Outcome> {
  const opened: OpenSource[] = [];
  try {
    if (hasErrors(base.problems)) throw new ProblemsError(base.problems);
    const left = await openSource(from, to, args, base, { io, connect });
    opened.push(left);
    const right = await openSource(to, from, args, base, { io, connect });
    opened.push(right);
    const { comparison, inFiles, problems } = await compareSources(io, left.source, right.source, {
      target,
      exclude,
    });
    const located = new Map([...inFiles].map(([name, found]) => [name, locateProblems(found)]));
    const rest = [
      ...applyLint(base.problems, base.project.lint),
      ...left.warnings,
      ...right.warnings,
      ...problems,
    ];
    const all = [...mergeProblems(located), ...locateProblems(rest)];
    return { comparison, sources: opened.map(describeSource), problems: all };
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    return {
      sources: opened.map(describeSource),
      problems: locateProblems(error.problems),
    };
  }
}

function describeSource({ source }: OpenSource): SourceRecord {
  const { name, type, environment } = source;
  switch (type) {
    case 'files':
      return { name, type, environment };
    case 'live':
      return { name, type, environment, gateway: source.gateway.url };
    case 'snapshot': {
      const { gateway, takenAt } = source.snapshot;
      return { name, type, environment, gateway, takenAt };
    }
    default:
      return type satisfies never;
  }
}
