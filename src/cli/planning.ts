import {
  catalog,
  DEFAULT_LIMITS,
  expiredRemovals,
  hasErrors,
  isBlocked,
  judge,
  limitOf,
  makePlan,
  onOneLine,
  readLive,
  secretTexts,
  sourcesIn,
  survey,
  type DesiredState,
  type Gateway,
  type Limit,
  type Limited,
  type LiveState,
  type Plan,
  type Problem,
  type SourceFile,
  type Rules,
  type Variables,
} from '../index.ts';
import { loadInput, problemOf, todayOf, type InputArgs } from './input.ts';
import { EXIT, UsageError, type ExitCode, type Io } from './io.ts';
import type { OpenProject } from './project.ts';
import { resolveSources, type SourceArgs } from './sources.ts';

export type PlanningArgs = InputArgs &
  SourceArgs & {
    readonly target?: readonly string[];
    readonly exclude?: readonly string[];
    readonly manages?: readonly string[];
    readonly maxDeletes?: string;
    readonly maxUpdates?: string;
  };

/** A plan, or why there is none; `exit` is the code when the problems hold an error. */
export type Planned = {
  readonly desired: DesiredState;
  readonly files: readonly SourceFile[];
  readonly plan: Plan | undefined;
  readonly problems: readonly Problem[];
  readonly exit: ExitCode;
};

/**
 * Reads files, then the gateway, and compares. Nothing is asked of the gateway while the files have errors. Throws a
 * UsageError for a limit that is none.
 */
export async function planFrom(
  paths: readonly string[],
  args: PlanningArgs,
  gateway: Gateway,
  project: OpenProject,
  io: Io,
): Promise<Planned> {
  const limits = limitsOf(args);
  const ask = async (read: readonly SourceFile[]): Promise<Variables> =>
    (await resolveSources(sourcesIn(read), args, project, io)).value;
  const { value: desired, removals, problems, files } = await loadInput(paths, args, project, io, ask);
  const rules = rulesOf(args, project);
  const before = [
    ...problems,
    ...judge(expiredRemovals(removals, todayOf(io)), project.lint),
    ...pruneGuard(args, rules),
  ];
  const asked = { desired, files };
  if (hasErrors(before)) return planned(asked, undefined, before);
  try {
    const live = await readLive(gateway, [...catalog.kinds.values()]);
    io.masker.learn(() => liveSecrets(live));
    io.log.info({ live: live.resources.size }, 'read the gateway');
    const made = makePlan(desired, live, catalog.kinds, {
      gateway: gateway.url,
      selection: { target: args.target ?? [], exclude: args.exclude ?? [] },
      rules,
      removals,
      ...(args.prune === true && rules.manages !== undefined ? { prune: rules.manages } : {}),
      ...(limits === undefined ? {} : { limits }),
    });
    const together = judge([...survey(desired, catalog.kinds, live), ...made.problems], project.lint);
    return planned(asked, made.value, [...before, ...together]);
  } catch (error) {
    return planned(asked, undefined, [...before, problemOf(error)]);
  }
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
): Planned {
  return { ...asked, plan, problems, exit: isBlocked(problems) ? EXIT.blocked : EXIT.failed };
}

/** What the environment says of what may be touched; a flag comes before it. */
function rulesOf(args: PlanningArgs, { environment }: OpenProject): Rules {
  const manages = args.manages ?? environment?.manages;
  return {
    ...environment,
    ...(manages === undefined ? {} : { manages }),
    limits: { ...DEFAULT_LIMITS, ...environment?.limits },
  };
}

function limitsOf({ maxDeletes, maxUpdates }: PlanningArgs): Limited | undefined {
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

function pruneGuard({ prune }: PlanningArgs, { manages }: Rules): readonly Problem[] {
  if (prune !== true || manages !== undefined) return [];
  return [
    {
      code: 'prune-without-manages',
      severity: 'error',
      message: 'prune deletes within what is managed, and nothing says what that is',
      hint: "add --manages GLOB, for example --manages '*@vCluster=payments*', or manages in gwconf.yaml",
    },
  ];
}
