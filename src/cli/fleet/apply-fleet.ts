import { join } from 'node:path';
import type { Problem } from '../../model/problem.ts';
import { jsonPieces } from '../../model/json/pieces.ts';
import type { Member } from '../../outcome/fleet.ts';
import { onOneLine } from '../../report/escape.ts';
import { partText } from '../../report/formats.ts';
import { formatCount } from '../../report/phrases.ts';
import { readReport } from '../../report/read/read-report.ts';
import { selectEnvironments } from '../../workflow/project/select-environments.ts';
import { openSavedPlan } from '../../workflow/plan/saved-plan.ts';
import { RequestError } from '../../workflow/request-error.ts';
import {
  findRunOf,
  fleetFile,
  fleetPlan,
  isApplied,
  listFleets,
  makeFleetName,
} from '../../workflow/run/journal-files.ts';
import { ignoreInGit } from '../../workflow/run/with-run.ts';
import { readPlanKeys } from '../connect/plan-keys.ts';
import { journalFolder, openProjectFor, wantedEnvironment } from '../connect/read-flags.ts';
import { ProblemsError, UsageError, type Io } from '../io.ts';
import { FLEET_FILE, type Stage } from '../perform.ts';
import { tellProblems, type Ending } from '../present/finish.ts';
import type { Line } from '../program.ts';
import { applyInWaves, canApply, type Planned } from './apply-in-waves.ts';
import { gather, memberOf, refuseOwn, type Fleet } from './run-in-each.ts';
import { planEach, planName } from './save-plans.ts';

/** Plans each environment, shows all plans, asks once for all, and applies them wave by wave. */
export async function planAndApply(line: Line, stage: Stage, fleet: Fleet): Promise<Ending> {
  const { args } = line;
  const { io } = stage;
  const asks = args['autoApprove'] !== true;
  if (asks && !io.interactive)
    throw new UsageError(
      'cannot ask for approval without a terminal: use --auto-approve, or apply saved plans',
    );
  const journal = journalOf(line, fleet, io);
  const name = await makeFleetName(io, journal);
  await ignoreInGit(io, journal);
  const fileOf = (environment: string): string => fleetPlan(journal, name, environment);
  // The plans of a run are private; plan writes into this folder.
  await io.writePrivately(fleetFile(journal, name), '');
  const ended = await planEach({ ...line, operand: undefined }, stage, fleet, fileOf);
  const plans = gather('plan', ended, stage, fleet);
  const members = ended.map(memberOf);
  const forget = async (): Promise<void> => {
    for (const environment of fleet.names) await io.removeFile(fileOf(environment));
    await io.removeFile(fleetFile(journal, name));
  };
  const isEmpty = members.every(({ outcome }) => outcome.result === 'no-changes');
  if (isEmpty) {
    await forget();
    return gather('apply', ended, stage, fleet);
  }
  showPlans(plans, stage);
  const planned: Planned = { members, fileOf };
  const count = members.filter((member) => canApply(member)).length;
  if (count > 0 && asks && !(await isApproved(count, io))) {
    await forget();
    const notBegun = members.map((one): Member => ({ ...one, state: canApply(one) ? 'not-begun' : 'ended' }));
    return { ...gather('apply', ended, stage, fleet, { members: notBegun }), problems: [], hints: '' };
  }
  await keepReport(plans, fleetFile(journal, name), io);
  return applyInWaves(withoutPlanning(line), stage, fleet, planned);
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
  const { members, fleet } = await openPlans(await io.readNamedFile(file), file, line, io);
  const journal = journalOf(line, fleet, io);
  const name = await makeFleetName(io, journal);
  await ignoreInGit(io, journal);
  const fileOf = (environment: string): string => join(folder, planName(environment));
  // Copies are kept for --resume.
  for (const { environment, outcome } of members.filter(canApply)) {
    const path = fileOf(environment);
    if (!io.exists(path))
      throw new UsageError(
        `${folder} has no plan of ${environment}, of which it says ${outcome.result}: plan again`,
      );
    await io.writePrivately(fleetPlan(journal, name, environment), await io.readNamedFile(path));
  }
  await io.writePrivately(fleetFile(journal, name), await io.readNamedFile(file));
  return applyInWaves(line, stage, fleet, { members, fileOf });
}

/** Goes on with what was applied to several environments last, or with that of this name. */
async function resumeFleet(line: Line, stage: Stage): Promise<Ending | undefined> {
  const { io } = stage;
  const { resume } = line.args;
  const base = await openProjectFor(line.args, io);
  const journal = journalFolder(line.args, base, io);
  const fleets = journal === undefined ? [] : await listFleets(io, journal);
  const name = typeof resume === 'string' ? fleets.find((one) => one === resume) : fleets[0];
  if (journal === undefined || name === undefined) {
    if (typeof resume === 'string')
      throw new RequestError(`there is no run ${resume} in ${journal ?? 'any journal'}`, {
        code: 'unknown-run',
      });
    return undefined;
  }
  const file = fleetFile(journal, name);
  const { members, fleet } = await openPlans(await io.readFile(file), file, line, io);
  const fileOf = (environment: string): string => fleetPlan(journal, name, environment);
  const keys = await readPlanKeys(io);
  const done = new Set<string>();
  const begun = new Map<string, string>();
  for (const { environment, outcome } of members.filter(canApply)) {
    const saved = await openSavedPlan(io, fileOf(environment), keys, io.readFile);
    if (saved.value === undefined) throw new ProblemsError(saved.problems);
    const { digest } = saved.value;
    const applied = await findRunOf(io, journal, digest, isApplied);
    if (applied !== undefined || outcome.result === 'no-changes') done.add(environment);
    else {
      const run = (await findRunOf(io, journal, digest))?.started.run;
      if (run !== undefined) begun.set(environment, run);
    }
  }
  if (members.every(({ environment }) => done.has(environment)))
    throw new RequestError(`run ${name} is finished: there is nothing to resume`);
  io.err(`Resuming ${name}: ${formatCount(done.size, 'environment')} of ${members.length} done.\n`);
  return applyInWaves(line, stage, fleet, { members, fileOf, done, begun });
}

/** The plans that a report is about, and the project that they are for. */
async function openPlans(
  text: string,
  file: string,
  line: Line,
  io: Io,
): Promise<{ readonly members: readonly Member[]; readonly fleet: Fleet }> {
  const { value, problems } = readReport(text, file);
  if (value === undefined) throw new ProblemsError(problems);
  if (value.format !== 'gwconf/fleet-report@1' || value.command !== 'plan')
    throw new ProblemsError([notOfPlans(file)]);
  const base = await openProjectFor(line.args, io);
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
    fleet: { base, names, problems: [] },
  };
}

function notOfPlans(file: string): Problem {
  return {
    code: 'invalid-plan',
    severity: 'error',
    message: `${file} is not the report of the plans of several environments`,
    hint: 'make them with gwconf plan --env NAMES --out FOLDER',
  };
}

/** What was begun in which environment is known from journals alone. */
function journalOf({ args }: Line, { base }: Fleet, io: Io): string {
  const journal = journalFolder(args, base, io);
  if (journal !== undefined) return journal;
  throw new UsageError('several environments are not applied without a journal: leave out --journal none');
}

async function keepReport({ view }: Ending, path: string, io: Io): Promise<void> {
  if (view !== undefined) await io.writePrivately(path, jsonPieces(view.report));
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

async function isApproved(count: number, io: Io): Promise<boolean> {
  const answer = await io.ask(
    `${onOneLine(`Apply these changes to ${formatCount(count, 'environment')}?`)} Type yes to confirm: `,
  );
  const isYes = answer.trim() === 'yes' && !io.interrupted.aborted;
  if (!isYes) io.err('Cancelled. Nothing was changed.\n');
  return isYes;
}

/** Flags that were for the plans, which are complete now. */
const PLANNING = ['file', 'target', 'exclude', 'prune', 'allowEmpty', 'strict', 'topics'];

function withoutPlanning({ args, ...line }: Line): Line {
  return {
    ...line,
    args: Object.fromEntries(Object.entries(args).filter(([flag]) => !PLANNING.includes(flag))),
  };
}
