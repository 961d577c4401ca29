import { hasErrors, isBlocked, type Problem, type SourceFile } from '../model/problem.ts';
import type { Limit, Limited, Rules } from '../model/rules.ts';
import { judge } from '../model/severity.ts';
import type { DesiredState, LiveState } from '../model/state.ts';
import type { Plan } from '../plan/change/plan.ts';
import { checkFiles } from '../plan/checks/checks.ts';
import { DEFAULT_LIMITS } from '../plan/checks/limits.ts';
import { adoptUnsetFields } from '../plan/diff/unset-fields.ts';
import { makePlan } from '../plan/make-plan.ts';
import { secretTexts } from '../plan/secrets/hide-secrets.ts';
import { onOneLine } from '../report/escape.ts';
import { catalog } from '../schema/kinds/index.ts';
import { sourcesIn } from '../schema/load/load.ts';
import { limitOf } from '../schema/project/project-rules.ts';
import type { Variables } from '../schema/yaml/interpolate.ts';
import { loadInput, problemOf, todayOf, type InputArgs } from './input.ts';
import { EXIT, UsageError, type ExitCode, type Io } from './io.ts';
import type { LiveSource } from './connect/live.ts';
import type { OpenProject } from './project.ts';
import { resolveSources, type SourceArgs } from './sources.ts';

/** What one run may do. */
export type LimitArgs = { readonly maxDeletes?: string; readonly maxUpdates?: string };

export type PlanningArgs = InputArgs &
  SourceArgs &
  LimitArgs & {
    readonly target?: readonly string[];
    readonly exclude?: readonly string[];
    readonly manages?: readonly string[];
  };

/** A plan, or why there is none; `exit` is the code when the problems hold an error. */
export type Planned = {
  readonly desired: DesiredState;
  readonly files: readonly SourceFile[];
  readonly plan: Plan | undefined;
  /** How many fields could not be compared, since their variables are not set. */
  readonly cannotTell: number;
  readonly problems: readonly Problem[];
  readonly exit: ExitCode;
};

/**
 * Reads files, then what is live, and compares. Nothing is asked of a gateway while the files have errors. Throws a
 * UsageError for a limit that is none.
 */
export async function planFrom(
  paths: readonly string[],
  args: PlanningArgs,
  source: LiveSource,
  project: OpenProject,
  io: Io,
): Promise<Planned> {
  const limits = limitsOf(args);
  const variablesFor = sourced(args, project, io);
  const {
    value: desired,
    removals,
    problems,
    files,
  } = await loadInput(paths, args, project, io, variablesFor);
  const rules = rulesOf(args, project);
  const asked = { desired, files };
  const today = todayOf(io);
  const world = { desired, removals, rules, kinds: catalog.kinds, today, prune: args.prune === true };
  const inFiles = [...problems, ...judge(checkFiles(world), project.lint)];
  if (hasErrors(inFiles)) return planned(asked, undefined, inFiles);
  try {
    const live = await source.read(desired);
    io.masker.learn(() => liveSecrets(live));
    io.log.info({ live: live.resources.size }, 'read the gateway');
    const { value: settled, problems: untold } = adoptUnsetFields(desired, live);
    const made = makePlan(settled, live, catalog.kinds, {
      gateway: source.url,
      selection: { target: args.target ?? [], exclude: args.exclude ?? [] },
      rules,
      removals,
      ...(args.prune === true && rules.manages !== undefined ? { prune: rules.manages } : {}),
      ...(limits === undefined ? {} : { limits }),
      today,
    });
    const found = judge([...untold, ...made.problems], project.lint);
    return planned({ files, desired: settled }, made.value, [...problems, ...found], untold.length);
  } catch (error) {
    return planned(asked, undefined, [...inFiles, problemOf(error)]);
  }
}

/** The variables of a project with what its files and programs give, where files ask for them. */
export function sourced(
  args: SourceArgs,
  project: OpenProject,
  io: Io,
): (files: readonly SourceFile[]) => Promise<Variables> {
  return async (files) => (await resolveSources(sourcesIn(files), args, project, io)).value;
}

/** What the gateway holds and answers may repeat. */
export function liveSecrets({ resources }: LiveState): Iterable<string> {
  const live = [...resources].map(([address, resource]) => ({ address, resource }));
  return secretTexts(live, catalog.kinds);
}

function planned(
  asked: Pick<Planned, 'desired' | 'files'>,
  plan: Plan | undefined,
  problems: readonly Problem[],
  cannotTell = 0,
): Planned {
  return { ...asked, plan, cannotTell, problems, exit: isBlocked(problems) ? EXIT.blocked : EXIT.failed };
}

/** What the environment says of what may be touched; a flag comes before it. */
export function rulesOf(args: Pick<PlanningArgs, 'manages'>, { environment }: OpenProject): Rules {
  const manages = args.manages ?? environment?.manages;
  return {
    ...environment,
    ...(manages === undefined ? {} : { manages }),
    limits: { ...DEFAULT_LIMITS, ...environment?.limits },
  };
}

/** The limits that flags set for one run. Throws a UsageError for one that is none. */
export function limitsOf({ maxDeletes, maxUpdates }: LimitArgs): Limited | undefined {
  if (maxDeletes === undefined && maxUpdates === undefined) return undefined;
  return {
    ...(maxDeletes === undefined ? {} : { deletes: parseLimit('--max-deletes', maxDeletes) }),
    ...(maxUpdates === undefined ? {} : { updates: parseLimit('--max-updates', maxUpdates) }),
  };
}

function parseLimit(flag: string, text: string): Limit {
  const limit = limitOf(text);
  if (limit === undefined)
    throw new UsageError(
      `expected ${flag} to be a number of objects, or a part such as 10%; found ${onOneLine(text)}`,
    );
  return limit;
}
