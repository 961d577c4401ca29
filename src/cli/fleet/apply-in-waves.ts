import { largestOf } from '../../model/collect.ts';
import type { LocatedProblem } from '../../model/problem.ts';
import { compileGlobs } from '../../model/text/glob.ts';
import { formatDuration } from '../../model/text/quantities.ts';
import { makeApplyReport } from '../../outcome/apply.ts';
import type { FleetReport, Member } from '../../outcome/fleet.ts';
import { exitCodeOf, EXIT } from '../../outcome/verdict.ts';
import { onOneLine } from '../../report/escape.ts';
import { foundIn } from '../../report/page/fleet-page.ts';
import { pageOf } from '../../report/page/page-of.ts';
import type { Project } from '../../schema/project/project.ts';
import type { Wave, WaveCheck } from '../../schema/project/waves.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { commandLine, type PlaceArgs, quoted } from '../present/command-line.ts';
import type { Stage } from '../perform.ts';
import type { Ending } from '../present/finish.ts';
import type { Line } from '../program.ts';
import type { Args } from '../table/commands.ts';
import { gather, memberOf, runInEach, type Ended, type Fleet } from './run-in-each.ts';

/** The plans of several environments. */
export type Planned = {
  /** Each with the outcome of its plan. */
  readonly members: readonly Member[];
  readonly fileOf: (environment: string) => string;
  /** Where it is already applied, and since when, in milliseconds. */
  readonly done?: ReadonlyMap<string, number>;
  /** The runs that have begun it and not ended well. */
  readonly begun?: ReadonlyMap<string, string>;
};

type WaveRecord = NonNullable<FleetReport['waves']>[number];

/** Whether an environment has a plan that can be applied. */
export function canApply({ outcome }: Member): boolean {
  return outcome.result === 'changes' || outcome.result === 'no-changes';
}

/** Whether all plans of the first wave could be made. */
export function canBegin({ base, names }: Fleet, members: readonly Member[]): boolean {
  const [first] = wavesOf(base.project, names);
  return members.every((one) => canApply(one) || first?.names.includes(one.environment) !== true);
}

export function notBegun(member: Member): Member {
  return { ...member, state: canApply(member) ? 'not-begun' : 'ended' };
}

/**
 * Applies plans wave by wave. One begins when all plans of it could be made, and the one before has ended well: every plan of it is
 * applied, and its checks find nothing wrong. Otherwise the run stops, and says what was not begun.
 */
export async function applyInWaves(
  line: Line,
  stage: Stage,
  fleet: Fleet,
  planned: Planned,
): Promise<Ending> {
  const { io } = stage;
  const { members, done = new Map<string, number>() } = planned;
  const waves = wavesOf(fleet.base.project, fleet.names);
  const over = new AbortController();
  io.interrupted.addEventListener(
    'abort',
    () => io.err('Interrupted: nothing more is begun; a second signal ends gwconf at once.\n'),
    { signal: over.signal },
  );
  const runs: WaveRun[] = [];
  for (const [at, wave] of waves.entries()) {
    const mayBegin = !io.interrupted.aborted && runs.every(hasEndedWell);
    const place = { at, of: waves };
    runs.push(mayBegin ? await runWave(line, stage, fleet, planned, wave, place) : notBegunWave(wave));
  }
  over.abort();
  const ended = runs.flatMap((run) => run.ended);
  const found = runs.flatMap((run) => run.problems);
  const ran = new Map(ended.map((one) => [one.environment, memberOf(one)]));
  const left = members.filter(({ environment }) => !done.has(environment));
  const all = members.flatMap((member): readonly Member[] => {
    const { environment } = member;
    const own = ran.get(environment);
    return own !== undefined ? [own] : done.has(environment) ? [] : [notBegun(member)];
  });
  const isStopped = !runs.every(hasEndedWell);
  const isTold =
    waves.length > 1 || runs.some(({ record, problems }) => record.checks.length + problems.length > 0);
  const about = {
    members: all,
    isInterrupted: isStopped && io.interrupted.aborted,
    ...(isTold ? { waves: runs.map(({ record }) => record) } : {}),
  };
  const ending = gather('apply', ended, stage, { problems: [...fleet.problems, ...found] }, about);
  const isLeft =
    all.some(({ state }) => state === 'not-begun') || !ended.every(({ ending }) => isWell(ending));
  return {
    ...ending,
    hints: `${ending.hints ?? ''}${isStopped && isLeft ? nextStep(line, ended, left) : ''}`,
  };
}

/** What came of a wave, or that it was not begun. */
type WaveRun = {
  readonly record: WaveRecord;
  readonly ended: readonly Ended[];
  readonly problems: readonly LocatedProblem[];
};

function hasEndedWell({ record }: WaveRun): boolean {
  return record.state === 'ended';
}

function notBegunWave({ names }: NamedWave): WaveRun {
  return { record: { environments: names, state: 'not-begun', checks: [] }, ended: [], problems: [] };
}

/** Applies the plans of a wave, waits, and checks it, as far as each of these ends well; says on stderr why it went no further. */
async function runWave(
  line: Line,
  stage: Stage,
  fleet: Fleet,
  planned: Planned,
  wave: NamedWave,
  { at, of: waves }: { readonly at: number; readonly of: readonly NamedWave[] },
): Promise<WaveRun> {
  const { io } = stage;
  const { members, done = new Map<string, number>() } = planned;
  const { names, waitMs, checks } = wave;
  const [title, next] = [`Wave ${at + 1} of ${waves.length}`, waves[at + 1]];
  const say = (text: string): void => io.err(`${onOneLine(text)}.\n`);
  const plannable = new Set(members.filter(canApply).map(({ environment }) => environment));
  const unplanned = names.filter((name) => !plannable.has(name));
  if (unplanned.length > 0) {
    say(`${title} is not begun: there is no plan that can be applied for ${unplanned.join(', ')}`);
    return notBegunWave(wave);
  }
  const left = names.filter((name) => !done.has(name));
  if (waves.length > 1 && left.length > 0) say(`${title}: ${left.join(', ')}`);
  const ended = await applyPlans(line, stage, fleet, planned, left);
  const isApplied = ended.length === left.length && ended.every(({ ending }) => isWell(ending));
  // Of waves that an earlier run has applied, the last is checked again before the next.
  const isDone = (one: NamedWave): boolean => one.names.every((name) => done.has(name));
  const isChecked = isApplied && (left.length > 0 || (next !== undefined && !isDone(next)));
  // A run that was cut off while it waited has waited for a part of it.
  const since = left.length > 0 ? io.now().getTime() : largestOf(names.map((name) => done.get(name) ?? 0));
  const restMs = Math.min(waitMs, since + waitMs - io.now().getTime());
  const waits = isChecked && restMs > 0 && (next !== undefined || checks.length > 0);
  if (waits) {
    io.err(`Waiting ${formatDuration(restMs / 1000)}.\n`);
    await io.clock.wait(restMs, io.interrupted);
  }
  const isCutWaiting = waits && io.interrupted.aborted;
  const checked = isChecked && !isCutWaiting ? await checkWave(line, stage, fleet, names, checks) : [];
  const isFine = isApplied && !isCutWaiting && checked.every((one) => one.isFine);
  const state = isFine ? 'ended' : io.interrupted.aborted ? 'interrupted' : 'failed';
  const why = [
    ...ended
      .filter(({ ending }) => !isWell(ending))
      .map((one) => `${one.environment}: ${memberOf(one).outcome.result}`),
    ...checked
      .filter((one) => !one.isFine)
      .map(({ record }) => `${record.check} of ${record.environment}: ${record.result}`),
  ];
  if (state === 'failed' && (waves.length > 1 || isApplied)) say(`${title} failed: ${why.join(', ')}`);
  return {
    record: { environments: names, state, checks: checked.map(({ record }) => record) },
    ended,
    problems: checked.flatMap(({ problems }) => problems),
  };
}

/** Returns those that were begun. */
function applyPlans(
  line: Line,
  stage: Stage,
  fleet: Fleet,
  { members, fileOf, begun }: Planned,
  names: readonly string[],
): Promise<readonly Ended[]> {
  const gatewayIn = new Map(members.map((member) => [member.environment, gatewayOf(member)]));
  return runInEach(line, stage, fleet, names, {
    lineFor: (name) => lineOf(line, begun?.get(name), fileOf(name)),
    stopsAfter: (ending) =>
      stage.io.interrupted.aborted || (!isWell(ending) && line.args['keepGoing'] !== true),
    endWith: (environment, problem) => {
      const problems = locateProblems([problem]);
      const gateway = gatewayIn.get(environment) ?? '';
      return {
        view: {
          report: makeApplyReport('error', gateway, undefined, [], problems, { environment }),
          problems,
        },
      };
    },
    keyOf: (name) => gatewayIn.get(name) ?? name,
  });
}

/** What to do once a run has stopped. A resumed one makes no plan: one that is missing, or of the past, stays so. */
function nextStep(line: Line, ended: readonly Ended[], left: readonly Member[]): string {
  const { env: _, resume: __, ...place } = line.args as PlaceArgs & { readonly resume?: unknown }; // of apply
  const resume = commandLine(['apply', '--resume'], place);
  const planAll = 'plan and apply all environments again; what is applied has no changes then';
  const endings = ended.map(({ ending }) => ending);
  const isOver = endings.some(hasPlanOfThePast);
  if (isOver || !left.every(canApply))
    return `When that is mended, ${planAll}. --resume makes no plan.
${isOver ? '' : withoutUnplanned(line, left)}`;
  return endings.some((one) => codesOf(one).includes('stale-plan'))
    ? `Where the plan is stale, ${planAll}. Once the gateway is as the plan saw it, this goes on, too: ${resume}\n`
    : `Go on where this has stopped: ${resume}\n`;
}

/** Whether a plan has expired, was applied before, or has what the gateway refuses: it will never be applied, whatever is mended. */
function hasPlanOfThePast(ending: Ending): boolean {
  const codes = codesOf(ending);
  return ending.isRefused === true || codes.includes('expired-plan') || codes.includes('applied-plan');
}

function codesOf({ view }: Ending): readonly string[] {
  return view !== undefined && 'problems' in view.report ? view.report.problems.map(({ code }) => code) : [];
}

/** How to apply the others first, where environments are chosen by a flag. */
function withoutUnplanned({ args, operand }: Line, left: readonly Member[]): string {
  const { env } = args as Pick<Args<'apply'>, 'env'>; // what is read of its flags
  const unplanned = left.filter((member) => !canApply(member)).map(({ environment }) => `!${environment}`);
  if (env === undefined || operand !== undefined || unplanned.length === left.length) return '';
  return `To apply the others first, run this again with --env ${quoted([env, ...unplanned].join(','))}\n`;
}

function gatewayOf({ outcome }: Member): string | undefined {
  return 'gateway' in outcome ? outcome.gateway : undefined;
}

/** The plan of an environment, or the rest of it. */
function lineOf({ args }: Line, run: string | undefined, file: string): Line {
  const { resume: _, ...others } = args;
  return run === undefined
    ? { name: 'apply', operand: file, args: others }
    : { name: 'apply', operand: undefined, args: { ...others, resume: run } };
}

function isWell({ view }: Ending): boolean {
  return view !== undefined && 'result' in view.report && exitCodeOf(view.report.result) === EXIT.ok;
}

/** What a check found in an environment. */
type Checked = {
  readonly record: WaveRecord['checks'][number];
  readonly problems: readonly LocatedProblem[];
  readonly isFine: boolean;
};

/** Flags that say where a project, its gateways and secrets are. */
const PLACE = [
  ...['chdir', 'publicVariable', 'caCert', 'proxy', 'timeout', 'insecureSkipVerify'],
  ...['journal', 'allowExec', 'secretRoot', 'manages'],
];

async function checkWave(
  line: Line,
  stage: Stage,
  fleet: Fleet,
  names: readonly string[],
  checks: readonly WaveCheck[],
): Promise<readonly Checked[]> {
  const args = Object.fromEntries(Object.entries(line.args).filter(([flag]) => PLACE.includes(flag)));
  const all: Checked[] = [];
  for (const check of checks) {
    const own: Line = { name: check, operand: check === 'doctor' ? undefined : [], args };
    for (const one of await runInEach(own, stage, fleet, names)) {
      const { environment, outcome } = memberOf(one);
      const { result } = outcome;
      const isFine = exitCodeOf(result, true) === EXIT.ok;
      all.push({
        record: { check, environment, result, found: foundIn(pageOf(outcome)) },
        problems: isFine ? [] : (one.ending.view?.problems ?? []),
        isFine,
      });
    }
  }
  return all;
}

/** Environments that are applied side by side, by name. */
type NamedWave = Omit<Wave, 'environments'> & { readonly names: readonly string[] };

/** The waves of these environments: each is in the first that matches, and what none matches comes last. */
function wavesOf({ waves }: Pick<Project, 'waves'>, names: readonly string[]): readonly NamedWave[] {
  const left = new Set(names);
  const found = [...waves, { environments: ['*'], waitMs: 0, checks: [] }].map(
    ({ environments, ...about }): NamedWave => {
      const own = [...left].filter(compileGlobs(environments));
      for (const name of own) left.delete(name);
      return { ...about, names: own };
    },
  );
  return found.filter((wave) => wave.names.length > 0);
}
