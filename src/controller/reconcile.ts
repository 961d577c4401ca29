import { join } from 'node:path';
import { forTerminal } from '../model/text/escape.ts';
import { formatCount } from '../model/text/list.ts';
import { groupBy, present } from '../model/collect.ts';
import type { ProblemCode } from '../model/problem-codes.ts';
import { hasErrors, isBlocked, type Problem } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import { describePrincipals, nameProtection } from '../plan/change/name-principals.ts';
import { makeMasker, type Masker } from '../plan/secrets/masker.ts';
import type { ChangeId } from '../plan/change/change.ts';
import type { ShownPlan } from '../plan/secrets/redact.ts';
import { locateProblems } from '../schema/load/locate.ts';
import { type Host, type Log, logWith } from '../workflow/host.ts';
import { aroundCalls } from '../workflow/live/around-calls.ts';
import { openGateway } from '../workflow/live/connection.ts';
import { gatewaySource } from '../workflow/live/live-source.ts';
import { checkTarget } from '../workflow/live/target.ts';
import { planProject, type PlanOptions } from '../workflow/plan/plan.ts';
import { openWorkspace } from '../workflow/project/open-workspace.ts';
import type { Workspace } from '../workflow/project/workspace.ts';
import { isSystemError, RequestError } from '../workflow/system-error.ts';
import { hasChanged } from '../apply/events.ts';
import { applyProject } from '../workflow/run/apply.ts';
import { journalFile, listRuns, planFile, undoFile } from '../workflow/run/journal-files.ts';
import type { RunResult } from '../workflow/run/start-run.ts';
import {
  addressesIn,
  declaredByOthers,
  DECLARED_ELSEWHERE,
  findForeign,
  othersOf,
  PRUNE_UNKNOWN,
} from './declared-elsewhere.ts';
import { projectHost } from './files.ts';
import { KubeError, type Kube } from './kube.ts';
import { Refusal, FINALIZER, keyOf, tokenOf, type GatewayConfig } from './resource.ts';
import { inWords, summaryOf, type PlanSummary } from './plan-summary.ts';
import { readSecrets, type Given } from './secrets.ts';
import { readSource, type Source, type SourceOptions } from './source.ts';

/** How a look at one resource ended. Its texts repeat no secret. */
export type Outcome = {
  /**
   * `done`: the gateway is as the files say, or what differs is reported, which is all that the mode asks for. `waiting`: a plan waits for
   * approval. `failed`: what went wrong may pass. `stalled`: somebody has to mend something.
   */
  readonly state: 'done' | 'waiting' | 'failed' | 'stalled' | 'interrupted';
  readonly reason: string;
  readonly message: string;
  readonly revision?: string;
  /** Undefined when there was none. */
  readonly plan?: PlanSummary;
  /** `alice in prod without masking`: since the run of it made some of its changes only. */
  readonly unprotected?: readonly string[];
  /** How the run of it ended; undefined when there was none. */
  readonly result?: RunResult['result'];
  /** The changes that were made, and the calls to the gateway. */
  readonly made: number;
  readonly calls: number;
};

export type ReconcileOptions = SourceOptions & {
  /** The folder of journals. */
  readonly journal: string;
  /** The most that all files of a project hold. Default: 4 MB, as no other resource is looked at while they are read. */
  readonly maxInputBytes?: number | undefined;
  readonly signal: AbortSignal;
  /** Whether the resource is going, and what its files declare goes with it. */
  readonly removes: boolean;
  /** All resources that there are: what the files of others for its gateway declare stays. */
  readonly others?: readonly GatewayConfig[];
};

/** A file that no project has: what is deleted with a resource is planned from a project that declares nothing. */
const NOTHING = '.gwconf-nothing.yaml';

/**
 * Looks at the gateway of a resource, and changes it as far as its mode says. Rejects with a KubeError when the API server fails; that it
 * forbids something is an outcome.
 */
export async function reconcile(
  host: Host,
  kube: Pick<Kube, 'get'>,
  resource: GatewayConfig,
  options: ReconcileOptions,
): Promise<Outcome> {
  const masker = makeMasker();
  const spent = { made: 0, calls: 0 };
  const told = (ended: Ended): Ended => masked(options.removes ? held(ended) : ended, masker);
  let revision: string | undefined;
  try {
    const given = await readSecrets(host, kube, resource, masker);
    const source = await readSource(host, kube, resource, options);
    revision = tokenOf(cleaned(source.revision, masker));
    const kept = options.removes ? await declaredByOthers(host, kube, resource, options) : new Set<Address>();
    const outcome = await look(host, kube, resource, { given, source, kept, masker }, options, spent);
    return { ...told(outcome), ...spent, revision };
  } catch (error) {
    if (error instanceof KubeError && error.status !== 403) throw error;
    const end = (state: Outcome['state'], reason: string, { message }: Error): Outcome => ({
      ...told({ state, reason, message }),
      ...spent,
      ...present({ revision }),
    });
    if (error instanceof KubeError) return end('failed', 'Forbidden', error);
    if (isSystemError(error)) return end('failed', 'DiskError', error);
    if (!(error instanceof Refusal || error instanceof RequestError)) throw error;
    if (error instanceof Refusal && error.mayPass) return end('failed', error.reason, error);
    return end('stalled', error instanceof Refusal ? error.reason : 'InvalidProject', error);
  }
}

/** Says what keeps a resource that is deleted. */
function held(ended: Ended): Ended {
  const { state, reason, message } = ended;
  if (reason === PRUNE_UNKNOWN || (state !== 'failed' && state !== 'stalled')) return ended;
  const cure = `until that is mended, the finalizer ${FINALIZER} keeps the resource, which is deleted: take it away to leave the gateway as it is`;
  return { ...ended, message: `${message}; ${cure}` };
}

type Ended = Omit<Outcome, 'made' | 'calls' | 'revision'>;

type About = {
  readonly given: Given;
  readonly source: Source;
  /** What is not deleted with the resource. */
  readonly kept: ReadonlySet<Address>;
  readonly masker: Masker;
};

async function look(
  outer: Host,
  kube: Pick<Kube, 'get'>,
  resource: GatewayConfig,
  { given, source, kept, masker }: About,
  options: ReconcileOptions,
  spent: { made: number; calls: number },
): Promise<Ended> {
  const { spec } = resource;
  const { signal, removes, maxInputBytes = 4e6 } = options;
  const journal = join(options.journal, keyOf(resource));
  const files = removes ? new Map([...source.files, [NOTHING, new Uint8Array()]]) : source.files;
  const log = logOf(outer.log, keyOf(resource));
  const host = projectHost({ ...outer, maxInputBytes }, { files, variables: given.variables, journal, log });
  const { environment } = spec;
  const workspace = await openWorkspace(host, { environment, folder: source.folder, masker });
  if (hasErrors(workspace.problems)) return refused(workspace.problems);
  const opened = await openGateway(host, workspace, given.connection);
  const gateway = aroundCalls(opened, (call) => {
    spent.calls += 1;
    return call(opened);
  });
  const planning = { prune: spec.prune, ...(removes ? await removing(host, workspace, kept) : {}) };
  let warnings: readonly Problem[] = [];
  const summarize = (shown: ShownPlan, made?: ReadonlySet<ChangeId>): PlanSummary =>
    summaryOf(shown, {
      ...{ warnings, ...present({ made }) },
      url: gateway.url,
      environment: workspace.environment?.name,
      versions: given.versions,
      files: source.digest,
      after: resource.status?.lastAppliedPlan,
    });
  try {
    if ((spec.mode ?? 'plan') === 'plan') {
      const elsewhere = checkTarget(undefined, gateway.url, workspace);
      if (elsewhere !== undefined) return refused([elsewhere]);
      const live = gatewaySource(workspace, gateway, host.clock);
      const { shown, problems } = await planProject(host, workspace, live, planning);
      const plan = shown && summarize(shown);
      if (hasErrors(problems) || plan === undefined) return { ...refused(problems), ...(plan && { plan }) };
      if (plan.addresses.length === 0)
        return { state: 'done', reason: 'UpToDate', message: 'nothing to change', plan };
      const message = `${inWords(plan.counts)}; mode plan changes nothing`;
      return { state: 'done', reason: 'ChangesFound', message, plan };
    }
    let asked: PlanSummary | undefined;
    let foreign: string | undefined;
    const mayMeetOthers = !removes && othersOf(resource, options.others ?? []).length > 0;
    const run = await applyProject(host, workspace, gateway, {
      ...planning,
      journal,
      signal,
      onEvent: (event) => {
        if (event.type === 'warned') warnings = event.problems;
      },
      ...((spec.mode === 'approve' || mayMeetOthers) && {
        approve: async ({ shown }) => {
          if (mayMeetOthers) foreign = await findForeign(outer, kube, resource, shown.changes, options);
          if (foreign !== undefined) return false;
          if (spec.mode !== 'approve') return true;
          asked = summarize(shown);
          return asked.digest === spec.approvedPlan;
        },
      }),
    });
    // What stays is in the way of a later run, which says so.
    await dropOldJournals(host, journal).catch(() => undefined);
    // Of a run that made a part of its changes, what is left.
    const made = run.entries.filter(({ outcome }) => outcome === 'done' || outcome === 'already');
    const isWhole = run.result === 'applied';
    const plan = run.shown && summarize(run.shown, new Set(isWhole ? [] : made.map(({ id }) => id)));
    if (run.result === 'blocked' && foreign !== undefined)
      return { state: 'stalled', reason: DECLARED_ELSEWHERE, message: foreign, ...present({ plan }) };
    return endOf(run, spent, asked, plan);
  } finally {
    await gateway.close();
  }
}

/** As many runs as somebody may want to look at, or undo. */
const KEPT_RUNS = 10;

/** The disk of a pod is small, and a controller runs for months. */
async function dropOldJournals(host: Host, journal: string): Promise<void> {
  for (const run of (await listRuns(host, journal)).slice(KEPT_RUNS))
    for (const fileOf of [journalFile, planFile, undoFile]) await host.removeFile(fileOf(journal, run));
}

/** What use cases log is of interest to whoever looks for a fault; the end of each look is logged by the controller. */
function logOf(log: Log, resource: string): Log {
  const own = logWith({ resource }, log);
  return { ...own, info: own.debug ?? (() => undefined) };
}

/** Everything that the files declare, and that the environment manages, is to go, but for what others declare. */
async function removing(host: Host, workspace: Workspace, kept: ReadonlySet<Address>): Promise<PlanOptions> {
  const { value: own, problems } = await addressesIn(host, workspace);
  if (hasErrors(problems))
    throw new Refusal(
      PRUNE_UNKNOWN,
      `what to delete is not known: ${tell(problems)}. Mend the files, or take away the finalizer`,
    );
  const wild = own.find((address) => address.includes('*'));
  if (wild !== undefined)
    throw new Refusal(
      PRUNE_UNKNOWN,
      `${wild} would be taken for a pattern: delete it by name in a Removal document first`,
    );
  return {
    paths: [NOTHING],
    allowEmpty: true,
    prune: true,
    manages: [...(workspace.environment?.manages ?? []), ...own, ...[...kept].map((one) => `!${one}`)],
  };
}

function endOf(
  { result, entries, problems, unprotected = [] }: RunResult,
  spent: { made: number },
  asked: PlanSummary | undefined,
  plan: PlanSummary | undefined,
): Ended {
  const lacking = [...groupBy(unprotected, ({ protection }) => protection)].map(
    ([protection, group]) => `${describePrincipals(group).subject} without ${nameProtection(protection)}`,
  );
  const about = { result, unprotected: lacking, ...present({ plan }) };
  const end = (state: Ended['state'], reason: string, message: string): Ended => ({
    ...{ state, reason, message, ...about },
  });
  spent.made = entries.filter(hasChanged).length;
  if (result === 'applied') return end('done', 'Applied', `${formatCount(spent.made, 'change')} made`);
  if (result === 'no-changes') return end('done', 'UpToDate', 'nothing to change');
  if (result === 'interrupted')
    return end('interrupted', 'Interrupted', 'the run was stopped; the next look goes on');
  if (result === 'blocked' && asked !== undefined && !hasErrors(problems)) {
    const message = `${inWords(asked.counts)}: to approve, set spec.approvedPlan to ${asked.digest}`;
    return { ...end('waiting', 'PlanPending', message), plan: asked };
  }
  if (result === 'partial' || result === 'failed') {
    const first = entries.find((entry) => entry.outcome === 'failed');
    const why = first === undefined ? tell(problems) : `${first.address}: ${first.problem.message}`;
    return end('failed', result === 'partial' ? 'PartlyApplied' : 'ApplyFailed', why);
  }
  return { ...refused(problems), ...about };
}

/** What problems mean: those of a gateway may pass, any other has to be mended. */
function refused(problems: readonly Problem[]): Ended {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const message = tell(errors);
  if (isBlocked(errors)) return { state: 'stalled', reason: 'Blocked', message };
  const passing = PASSING.find(([, codes]) => errors.some(({ code }) => codes.includes(code)));
  if (passing !== undefined) return { state: 'failed', reason: passing[0], message };
  return { state: 'stalled', reason: 'InvalidFiles', message };
}

const PASSING: readonly (readonly [reason: string, codes: readonly ProblemCode[]])[] = [
  ['GatewayError', ['gateway-error']],
  ['GatewayUnreachable', ['connection-error']],
  ['GatewayChanged', ['stale-plan', 'run-in-progress']],
  ['DiskError', ['unwritable-journal']],
];

/** The first problem in full, and how many more there are. */
function tell(problems: readonly Problem[]): string {
  const [first, ...more] = locateProblems(problems.filter(({ severity }) => severity === 'error'));
  if (first === undefined) return 'no plan could be made';
  const place = first.at === undefined ? '' : `${first.at.file}:${first.at.line}:${first.at.column}: `;
  // A controller has no flags: hints that name one are of commands.
  const isOfCommands = first.hint?.includes('--') === true;
  const cure = isOfCommands ? `gwconf explain ${first.code} says more` : first.hint;
  const hint = cure === undefined ? '' : `; ${cure}`;
  const others = more.length === 0 ? '' : ` (and ${more.length} more)`;
  return `${place}${first.message}${hint}${others}`;
}

/** Without secrets, and without what gives orders to a terminal or to a log: names come from files and from the gateway. */
function masked<E extends Ended>(ended: E, masker: Masker): E {
  const clean = (text: string): string => cleaned(text, masker);
  const shown = ended.plan && { ...ended.plan };
  if (shown !== undefined)
    for (const part of ['changes', 'addresses', 'losses', 'risks'] as const)
      shown[part] = shown[part].map(clean);
  const unprotected = ended.unprotected?.map(clean);
  return { ...ended, message: clean(ended.message), ...present({ plan: shown, unprotected }) };
}

/** How much of a text of the author is hidden would tell of a secret: texts of gateways are masked where they come from. */
function cleaned(text: string, { net }: Masker): string {
  return forTerminal(net(text)).replaceAll('\n', ' ');
}
