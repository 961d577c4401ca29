import { groupBy } from '../../model/collect.ts';
import type { Lint, LocatedProblem, Problem } from '../../model/problem.ts';
import { makeFleetReport, type FleetAbout, type Member, type MemberOutcome } from '../../outcome/fleet.ts';
import { mergeProblems, describeProblem } from '../../outcome/problem-record.ts';
import type { PartOf } from '../../plan/saved/saved-plan.ts';
import { makeMasker, type Masker } from '../../plan/secrets/masker.ts';
import { onOneLine } from '../../report/escape.ts';
import { openApart } from '../../workflow/project/open-workspace.ts';
import { shareSources } from '../../workflow/project/share-sources.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { RequestError, isSystemError } from '../../workflow/system-error.ts';
import { asOneOfSeveral, saysSetting, OWN_FLAGS } from '../connect/settings.ts';
import { UsageError, type Io } from '../io.ts';
import { perform, type Stage } from '../perform.ts';
import type { Ending } from '../present/finish.ts';
import type { Line } from '../program.ts';
import { flagOf } from '../table/flag.ts';
import { logWith } from '../../workflow/host.ts';

/** Several environments of a project. */
export type Fleet = {
  /** The project without an environment. */
  readonly base: Workspace;
  readonly names: readonly string[];
  /** What is wrong with gwconf.yaml, and stops nothing. */
  readonly problems: readonly LocatedProblem[];
};

/** What came of a command in an environment. */
export type Ended = { readonly environment: string; readonly ending: Ending };

/** Flags of commands that are about one environment. */
const OF_ONE: readonly string[] = [...OWN_FLAGS, 'snapshot', 'since', 'watch', 'expectCommit'];

/** Throws a UsageError for what can only be meant for one environment, or read once. */
export function refuseOwn({ name, operand, args }: Line, count: number): void {
  const given = OF_ONE.find(
    (flag) => args[flag] !== undefined && (flag !== 'expectCommit' || name !== 'apply'),
  );
  if (given !== undefined)
    throw new UsageError(
      `${flagOf(given)} is for one environment, and ${count} are chosen: leave it out, or choose one${OWN_FLAGS.some((one) => one === given) ? '; gwconf.yaml can say it for each' : ''}`,
    );
  const paths = [operand, args['file'], args['topics']].flat();
  if (paths.includes('-'))
    throw new UsageError(`stdin can be read once, and ${count} environments are chosen: name a file`);
}

/** So many environments at once: most of the time is spent waiting for gateways, and more of them take more memory. */
const AT_ONCE = 8;

type EachOptions = {
  /** What is other on the command line for an environment. */
  readonly lineFor?: (name: string) => Line;
  /** Whether nothing more is begun after how one has ended. */
  readonly stopsAfter?: (ending: Ending) => boolean;
  /** Environments with the same key are taken one after another. */
  readonly keyOf?: (name: string) => string;
  /** What plans that are saved are part of. */
  readonly partOf?: PartOf;
  /** How one ends whose project or command line is wrong; without this, all end with that. */
  readonly endWith?: (name: string, problem: Problem) => Ending;
};

/**
 * Runs a command in each of these environments, some side by side: as many as fit into memory by what the first has needed. Each has
 * variables, secrets and a gateway of its own; files are read and parsed once for all. Returns those that were begun.
 */
export async function runInEach(
  line: Line,
  stage: Stage,
  { base }: Fleet,
  names: readonly string[],
  {
    lineFor = () => line,
    stopsAfter = () => false,
    keyOf = (name) => name,
    partOf,
    endWith,
  }: EachOptions = {},
): Promise<readonly Ended[]> {
  const ended = new Map<string, Ending>();
  const host = { ...stage.io, ...shareSources(stage.io) };
  let atOnce = AT_ONCE;
  let isStopped = false;
  const runOne = async (name: string): Promise<void> => {
    const masker = sharedNet(stage.io.masker);
    const opened = openApart(host, base, name, masker);
    const lint: Lint = { [MISSED]: 'warning', ...opened.project.lint };
    const workspace = { ...opened, project: { ...opened.project, lint }, ...(partOf && { partOf }) };
    const { io, end } = ioOf(name, workspace, host, masker);
    const { args, ...rest } = lineFor(name);
    // Not for people: a command prints nothing itself then.
    const output = { ...stage.output, stdout: 'json', files: [] };
    const print = () => Promise.reject(new Error('a command printed for one of several environments'));
    const openWorkspace = (): Promise<Workspace> => Promise.resolve(workspace);
    try {
      const own = { ...rest, args: { ...args, env: name } };
      const ending = (await perform(own, { ...stage, io, output, print, openWorkspace })) ?? {};
      ended.set(name, ending);
      if (stopsAfter(ending)) isStopped = true;
      atOnce = Math.max(1, Math.min(atOnce, workspace.memory.fitting));
    } catch (error) {
      isStopped = true;
      const problem = endWith === undefined ? undefined : problemOf(error);
      if (endWith === undefined || problem === undefined) throw aboutEnvironment(name, error);
      ended.set(name, endWith(name, problem));
    } finally {
      end();
    }
  };
  const [first, ...others] = groupBy(names, keyOf).values();
  const runAll = async (group: readonly string[]): Promise<void> => {
    for (const name of group) if (!isStopped) await runOne(name);
  };
  if (first !== undefined) await runAll(first);
  const waiting = [...others];
  const worker = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) await runAll(group);
  };
  const workers = Array.from({ length: Math.min(atOnce, others.length) }, worker);
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected');
  if (failed !== undefined && 'reason' in failed) throw failed.reason;
  return names.flatMap((environment) => {
    const ending = ended.get(environment);
    return ending === undefined ? [] : [{ environment, ending }];
  });
}

const MISSED = 'unmatched-target';

/** The fleet with what `--target` and `--exclude` name and none of the environments has: one of several may lack it. */
export function withMissed(fleet: Fleet, { args }: Line, ended: readonly Ended[]): Fleet {
  const isGiven = (args['target'] ?? args['exclude']) !== undefined;
  if (!isGiven || fleet.base.project.lint[MISSED] !== undefined) return fleet;
  const [first = [], ...others] = ended.map(({ ending: { view } }) =>
    (view?.problems ?? []).filter(({ code }) => code === MISSED),
  );
  const missed = first.filter(({ message }) =>
    others.every((problems) => problems.some((one) => one.message === message)),
  );
  const problems = missed.map((one): LocatedProblem => ({ ...one, severity: 'error' }));
  return { ...fleet, problems: [...fleet.problems, ...problems] };
}

/** A masker of its own. What it must not let through in the end, the masker of the command knows, too. */
function sharedNet(all: Masker): Masker {
  const own = makeMasker();
  return {
    ...own,
    learn: (secrets) => {
      own.learn(secrets);
      if (typeof secrets === 'string') all.learn(secrets);
    },
  };
}

/** The world of one environment: each line on stderr says which; nothing is asked, and nothing goes to stdout. */
function ioOf(
  name: string,
  workspace: Workspace,
  io: Io,
  masker: Masker,
): { readonly io: Io; readonly end: () => void } {
  const own = asOneOfSeveral(workspace, io);
  const prefix = io.errPaint.dim(`[${onOneLine(name)}]`);
  let rest = '';
  const write = (text: string): void => {
    const lines = `${rest}${text}`.split('\n');
    rest = lines.pop() ?? '';
    const shown = lines.filter((line) => line !== '').map((line) => `${prefix} ${line}\n`);
    if (shown.length > 0) io.err(shown.join(''));
  };
  return {
    io: {
      ...own,
      env: (variable) => {
        if (URLS.includes(variable) && !saysSetting(workspace, 'url'))
          throw new UsageError(
            'write url under gateway of the environment in gwconf.yaml: several gateways are meant, and a variable names one',
          );
        return own.env(variable);
      },
      err: (text) => write(masker.net(text)),
      out: () => undefined,
      interactive: false,
      live: false,
      log: logWith({ environment: name }, io.log),
      masker,
    },
    end: () => {
      if (rest !== '') write('\n');
    },
  };
}

/** The variables that name a gateway. */
const URLS = ['GWCONF_URL', 'GWCONF_URL_FILE', 'CDK_GATEWAY_BASE_URL'];

/** What is wrong with a command line or a project; undefined for a bug of ours. */
function problemOf(error: unknown): Problem | undefined {
  if (!(error instanceof UsageError || error instanceof RequestError || isSystemError(error)))
    return undefined;
  const code = error instanceof UsageError ? 'invalid-value' : 'unreadable-file';
  return { code, severity: 'error', message: error.message };
}

/** A command line or a project that is wrong for one of the environments. */
function aboutEnvironment(name: string, error: unknown): unknown {
  if (error instanceof UsageError) return new UsageError(`${name}: ${error.message}`);
  if (error instanceof RequestError) {
    const { code } = error;
    return new RequestError(`${name}: ${error.message}`, code === undefined ? {} : { code });
  }
  return error;
}

/** The outcome of an environment. */
export function memberOf({ environment, ending }: Ended): Member {
  const report = ending.view?.report;
  if (report === undefined) throw new Error('a command for several environments has a report');
  return { environment, state: 'ended', outcome: report as MemberOutcome }; // of a command that takes several
}

/** How a command ends that has run in several environments. */
export function gather(
  command: string,
  ended: readonly Ended[],
  { output }: Pick<Stage, 'output'>,
  fleet: Pick<Fleet, 'problems'>,
  { members = ended.map(memberOf), ...about }: FleetAbout & { readonly members?: readonly Member[] } = {},
): Ending {
  const own = fleet.problems.map(describeProblem);
  const report = makeFleetReport(command, members, {
    ...about,
    problems: [...own, ...(about.problems ?? [])],
  });
  const merged = (problemsOf: (ending: Ending) => readonly LocatedProblem[]): readonly LocatedProblem[] =>
    mergeProblems(new Map(ended.map(({ environment, ending }) => [environment, problemsOf(ending)])));
  const isHuman = output.stdout === 'human';
  const changes = ended.flatMap(({ ending }) => ending.changes ?? []);
  return {
    view: {
      report,
      problems: [...fleet.problems, ...merged(({ view }) => view?.problems ?? [])],
    },
    problems: [
      ...fleet.problems,
      ...merged(({ view, problems = view?.problems ?? [] }) =>
        problems.filter((one) => !isHuman || view?.isTold?.(one) !== true),
      ),
    ],
    ...(changes.length === 0 ? {} : { changes: changes.reduce((sum, one) => sum + one, 0) }),
    hints: ended.map(({ ending }) => ending.hints ?? '').join(''),
    isNarrowed: ended.some(({ ending }) => ending.isNarrowed === true),
  };
}
