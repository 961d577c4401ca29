import { formatCount } from '../../model/text/list.ts';
import { join } from 'node:path';
import { makeProblem, applyLint, hasErrors, type Problem } from '../../model/problem.ts';
import { jsonPieces } from '../../model/json/pieces.ts';
import type { Member } from '../../outcome/fleet.ts';
import { partText } from '../../report/formats.ts';
import { readReport } from '../../report/read/read-report.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { selectEnvironments } from '../../workflow/project/select-environments.ts';
import { openSavedPlan } from '../../workflow/plan/saved-plan.ts';
import { RequestError } from '../../workflow/system-error.ts';
import {
  beginFleet,
  findRunOf,
  fleetFile,
  fleetPlan,
  isApplied,
  listFleets,
} from '../../workflow/run/journal-files.ts';
import { isOverwritten } from '../../workflow/run/find-run.ts';
import { ignoreInGit } from '../../workflow/run/with-run.ts';
import { readPlanKeys } from '../connect/plan-keys.ts';
import { journalFolder, openProjectFor, PLANNING, wantedEnvironment } from '../connect/read-flags.ts';
import { confirm, ProblemsError, requireTerminal, UsageError, type Io } from '../io.ts';
import { FLEET_FILE, type Stage } from '../perform.ts';
import { tellProblems, type Ending } from '../present/finish.ts';
import type { Line } from '../program.ts';
import { applyInWaves, canApply, canBegin, notBegun, type Planned } from './apply-in-waves.ts';
import { gather, memberOf, refuseOwn, withMissed, type Fleet } from './run-in-each.ts';
import { planEach, planName } from './save-plans.ts';

/** Plans each environment, shows all plans, asks once for all, and applies them wave by wave. */
export async function planAndApply(line: Line, stage: Stage, fleet: Fleet): Promise<Ending> {
  const { args } = line;
  const { io } = stage;
  const asks = args['autoApprove'] !== true;
  if (asks) requireTerminal(io, '--auto-approve, or apply saved plans');
  const journal = journalOf(line, fleet, io);
  await ignoreInGit(io, journal);
  const name = await beginFleet(io, journal);
  const fileOf = (environment: string): string => fleetPlan(journal, name, environment);
  const ended = await planEach({ ...line, operand: undefined }, stage, fleet, fileOf);
  const plans = gather('plan', ended, stage, fleet);
  const members = ended.map(memberOf);
  const forget = async (): Promise<void> => {
    for (const environment of fleet.names) await io.removeFile(fileOf(environment));
    await io.removeFile(fleetFile(journal, name));
  };
  const told = withMissed(fleet, line, ended);
  const isMissed = hasErrors(told.problems);
  if (isMissed || members.every(({ outcome }) => outcome.result === 'no-changes')) {
    await forget();
    return gather('apply', ended, stage, told, isMissed ? { members: members.map(notBegun) } : {});
  }
  const planned: Planned = { members, fileOf };
  // Where nothing begins, the report of the run shows the plans.
  const begins = canBegin(fleet, members);
  if (begins) showPlans(plans, stage);
  const count = members.filter((member) => canApply(member)).length;
  if (
    begins &&
    asks &&
    !(await confirm(`Apply these changes to ${formatCount(count, 'environment')}?`, io))
  ) {
    await forget();
    const all = members.map(notBegun);
    return { ...gather('apply', ended, stage, fleet, { members: all }), problems: [], hints: '' };
  }
  if (plans.view !== undefined)
    await io.writePrivately(fleetFile(journal, name), jsonPieces(plans.view.report));
  const ending = await applyInWaves(withoutPlanning(line), stage, fleet, planned);
  const { view, problems = [] } = ending;
  if (view === undefined) return ending;
  const unplanned = ended.filter((one) => !canApply(memberOf(one)));
  const wrong = gather('plan', unplanned, stage, { problems: [] }).view?.problems ?? [];
  return {
    ...ending,
    view: { ...view, problems: [...view.problems, ...wrong] },
    problems: begins ? problems : (plans.problems ?? []), // which no plan above has told
  };
}

/** What `apply DIR` and `apply --resume` are about; undefined if that is one environment. */
export async function applyPlanned(line: Line, stage: Stage): Promise<Ending | undefined> {
  const { operand, args } = line;
  const { io } = stage;
  const { resume } = args;
  if (typeof operand === 'string')
    return io.exists(join(operand, FLEET_FILE)) ? applyFolder(operand, line, stage) : undefined;
  // A URL is that of one gateway, and so of one run.
  if (resume === undefined || args['url'] !== undefined) return undefined;
  const wanted = wantedEnvironment(args, io)?.name;
  const isFleet = typeof resume === 'string' && resume.startsWith('fleet-');
  if (!isFleet && (typeof resume === 'string' || (wanted !== undefined && !/[,*]|^!/.test(wanted))))
    return undefined;
  return resumeFleet(line, stage);
}

/** Applies the plans that `plan --out DIR` has saved. */
async function applyFolder(folder: string, line: Line, stage: Stage): Promise<Ending> {
  const { io } = stage;
  const file = join(folder, FLEET_FILE);
  const report = await io.readNamedFile(file);
  const opened = await openReport(report, file, line, io);
  const { members, fleet } = opened;
  const fileOf = (environment: string): string => join(folder, planName(environment));
  // Each is read once: what is checked is what is applied, hours later, too.
  const texts = new Map<string, string>();
  for (const { environment, outcome } of members.filter(canApply)) {
    const path = fileOf(environment);
    if (!io.exists(path))
      throw new UsageError(
        `${folder} has no plan of ${environment}, of which it says ${outcome.result}: plan again`,
      );
    texts.set(path, await io.readNamedFile(path));
  }
  const read = (path: string): Promise<string> => Promise.resolve(texts.get(path) ?? '');
  await openPlans(opened, file, fileOf, read, io);
  const journal = journalOf(line, fleet, io);
  await ignoreInGit(io, journal);
  const name = await beginFleet(io, journal);
  const copyOf = (environment: string): string => fleetPlan(journal, name, environment);
  // Copies, which --resume reads, too.
  for (const { environment } of members.filter(canApply))
    await io.writePrivately(copyOf(environment), texts.get(fileOf(environment)) ?? '');
  await io.writePrivately(fleetFile(journal, name), report);
  return applyInWaves(line, stage, fleet, { members, fileOf: copyOf });
}

/** Goes on with what was applied to several environments last, or with that of this name. */
async function resumeFleet(line: Line, stage: Stage): Promise<Ending | undefined> {
  const { io } = stage;
  const { resume } = line.args;
  const base = await openProjectFor(line.args, io);
  const journal = journalFolder(line.args, base, io);
  const fleets = journal === undefined ? [] : await listFleets(io, journal);
  const name =
    typeof resume === 'string' ? fleets.find((one) => one === resume) : await findBegun(fleets, journal, io);
  if (journal === undefined || name === undefined) {
    if (typeof resume === 'string')
      throw new RequestError(`there is no run ${resume} in ${journal ?? 'any journal'}`, {
        code: 'unknown-run',
      });
    return undefined;
  }
  const file = fleetFile(journal, name);
  const opened = await openReport(await io.readFile(file), file, line, io);
  const { members, fleet } = opened;
  const fileOf = (environment: string): string => fleetPlan(journal, name, environment);
  const done = new Map<string, number>();
  const begun = new Map<string, string>();
  for (const [environment, { digest, isEmpty }] of await openPlans(opened, file, fileOf, io.readFile, io)) {
    const { value: applied } = await findRunOf(io, journal, digest, isApplied);
    // What was undone meanwhile is not done: its plan is looked at again, and refused unless the gateway is as the plan wants it.
    if (applied !== undefined && (await isOverwritten({ host: io, journal }, applied))) continue;
    if (applied !== undefined || isEmpty)
      done.set(environment, Date.parse(applied?.finished?.at ?? '1970-01-01'));
    else {
      const run = (await findRunOf(io, journal, digest)).value?.started.run;
      if (run !== undefined) begun.set(environment, run);
    }
  }
  if (members.every(({ environment }) => done.has(environment)))
    throw new RequestError(`run ${name} is finished: there is nothing to resume`);
  io.err(`Resuming ${name}: ${formatCount(done.size, 'environment')} of ${members.length} done.\n`);
  return applyInWaves(line, stage, fleet, { members, fileOf, done, begun });
}

/** The newest that has plans: where a command was ended while it planned, there are none. */
async function findBegun(
  fleets: readonly string[],
  journal: string | undefined,
  io: Io,
): Promise<string | undefined> {
  for (const name of fleets)
    if (journal !== undefined && (await io.readFile(fleetFile(journal, name))) !== '') return name;
  return undefined;
}

/** The report of the plans of several environments. */
type Opened = {
  /** Of the environments that are chosen of them. */
  readonly members: readonly Member[];
  readonly fleet: Fleet;
  /** All environments that it is about. */
  readonly all: readonly string[];
};

/** What a report says of plans, and the project that they are for. Anybody who can write the file may have written it. */
async function openReport(text: string, file: string, line: Line, io: Io): Promise<Opened> {
  const { value, problems } = readReport(text, file);
  if (value === undefined) throw new ProblemsError(problems);
  if (value.format !== 'gwconf/fleet-report@1' || value.command !== 'plan')
    throw new ProblemsError([notOfPlans(file)]);
  const base = await openProjectFor(line.args, io);
  const told = applyLint(base.problems, base.project.lint);
  if (hasErrors(told)) throw new ProblemsError(told);
  const all = value.environments.map(({ environment }) => environment);
  const unknown = all.find((name) => !base.project.environments.has(name));
  if (unknown !== undefined)
    throw new UsageError(
      `${file} has a plan for ${unknown}, and gwconf.yaml has no such environment: plan again`,
    );
  const wanted = wantedEnvironment(line.args, io)?.name;
  const names = wanted === undefined ? all : selectEnvironments(wanted, all);
  refuseOwn({ ...line, operand: undefined }, names.length);
  return {
    members: value.environments.filter(({ environment }) => names.includes(environment)),
    fleet: { base, names, problems: locateProblems(told) },
    all,
  };
}

/**
 * The plans that a report is about. They are signed, and the report is not: each plan says which environments were planned with it, so
 * none can be left out of the report, or come from another run.
 */
async function openPlans(
  { members, all }: Opened,
  file: string,
  fileOf: (environment: string) => string,
  read: Io['readFile'],
  io: Io,
): Promise<ReadonlyMap<string, { readonly digest: string; readonly isEmpty: boolean }>> {
  const keys = await readPlanKeys(io);
  const found = new Map<string, { readonly digest: string; readonly isEmpty: boolean }>();
  const ids = new Set<string>();
  for (const { environment } of members.filter(canApply)) {
    const path = fileOf(environment);
    const { value, problems } = await openSavedPlan(io, path, keys, read);
    if (value === undefined) throw new ProblemsError(problems);
    const { partOf, digest, changes } = value;
    const planned = partOf?.environments ?? [];
    ids.add(partOf?.id ?? '');
    const isOther = value.environment !== environment || ids.size > 1;
    if (isOther || planned.length !== all.length || !planned.every((one) => all.includes(one)))
      throw new ProblemsError([
        makeProblem({
          code: 'invalid-plan',
          message: isOther
            ? `${path} is not the plan of ${environment} that was made with the others`
            : `${path} was planned with ${planned.length === 0 ? 'no other environments' : planned.join(', ')}, and ${file} is about ${all.join(', ')}`,
          hint: 'plan again: plans, or what is said of them, were changed since they were made',
        }),
      ]);
    found.set(environment, { digest, isEmpty: changes.length === 0 });
  }
  return found;
}

function notOfPlans(file: string): Problem {
  return makeProblem({
    code: 'invalid-plan',
    message: `${file} is not the report of the plans of several environments`,
    hint: 'make them with gwconf plan --env NAMES --out FOLDER',
  });
}

/** What was begun in which environment is known from journals alone. */
function journalOf({ args }: Line, { base }: Fleet, io: Io): string {
  const journal = journalFolder(args, base, io);
  if (journal !== undefined) return journal;
  throw new UsageError('several environments are not applied without a journal: leave out --journal none');
}

/** Shows the plans of all environments, before anything is asked. */
function showPlans({ view, problems = [] }: Ending, { io, output }: Stage): void {
  if (view === undefined) return;
  const [print, paint, width] =
    output.stdout === 'human' ? [io.out, io.outPaint, io.columns.out] : [io.err, io.errPaint, io.columns.err];
  const { body, end } = partText(view, { paint, width, detail: output.detail });
  for (const text of body) print(text);
  io.err(tellProblems(problems, output.detail === 'full', io));
  print(end);
}

/** Without the flags that were for the plans, which are complete now. */
function withoutPlanning({ args, ...line }: Line): Line {
  return {
    ...line,
    args: Object.fromEntries(Object.entries(args).filter(([flag]) => !PLANNING.some((one) => one === flag))),
  };
}
