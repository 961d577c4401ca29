import {
  catalog,
  hasErrors,
  judge,
  makePlan,
  readLive,
  survey,
  type DesiredState,
  type Gateway,
  type Plan,
  type Problem,
  type SourceFile,
} from '../index.ts';
import { loadInput, problemOf, type InputArgs } from './input.ts';
import { EXIT, UsageError, type ExitCode, type Io } from './io.ts';
import type { OpenProject } from './project.ts';

export type PlanningArgs = InputArgs & {
  readonly target?: readonly string[];
  readonly exclude?: readonly string[];
  readonly prune?: boolean;
  readonly manages?: readonly string[];
};

/** A plan, or why there is none; `exit` is the code when the problems hold an error. */
export type Planned = {
  readonly desired: DesiredState;
  readonly files: readonly SourceFile[];
  readonly plan: Plan | undefined;
  readonly problems: readonly Problem[];
  readonly exit: ExitCode;
};

/** Reads files, then the gateway, and compares. Nothing is asked of the gateway while the files have errors. */
export async function planFrom(
  paths: readonly string[],
  args: PlanningArgs,
  gateway: Gateway,
  project: OpenProject,
  io: Io,
): Promise<Planned> {
  if (args.manages !== undefined && args.prune !== true) {
    throw new UsageError('--manages says what --prune may delete; give both');
  }
  const {
    value: desired,
    problems,
    files,
  } = await loadInput(paths, { ...args, ...(args.prune === true ? { allowEmpty: true } : {}) }, project, io);
  const manages = args.manages ?? project.environment?.manages ?? [];
  const guards = pruneGuards(desired, args, manages);
  const before = [...problems, ...guards];
  if (hasErrors(before)) {
    return {
      desired,
      files,
      plan: undefined,
      problems: before,
      exit: hasErrors(problems) ? EXIT.failed : EXIT.blocked,
    };
  }
  try {
    const live = await readLive(gateway, [...catalog.kinds.values()]);
    io.log.info({ live: live.resources.size }, 'read the gateway');
    const made = makePlan(desired, live, catalog.kinds, {
      gateway: gateway.url,
      selection: { target: args.target ?? [], exclude: args.exclude ?? [] },
      ...(args.prune === true ? { prune: manages } : {}),
    });
    const together = judge(survey(desired, catalog.kinds, live), project.lint);
    const all = [...before, ...together, ...made.problems];
    return { desired, files, plan: made.value, problems: all, exit: EXIT.failed };
  } catch (error) {
    return { desired, files, plan: undefined, problems: [...before, problemOf(error)], exit: EXIT.failed };
  }
}

function pruneGuards(
  desired: DesiredState,
  args: PlanningArgs,
  manages: readonly string[],
): readonly Problem[] {
  if (args.prune !== true) return [];
  if (manages.length === 0) {
    return [
      {
        code: 'prune-without-manages',
        severity: 'error',
        message: 'prune deletes within what is managed, and nothing says what that is',
        hint: "add --manages GLOB, for example --manages '*@vCluster=payments*', or manages in gwconf.yaml",
      },
    ];
  }
  if (desired.size > 0 || args.allowEmpty === true) return [];
  return [
    {
      code: 'empty-prune',
      severity: 'error',
      message: `no resource is declared, so prune would delete everything within ${manages.join(', ')}`,
      hint: 'check the path; or say that it is meant with --allow-empty',
    },
  ];
}
