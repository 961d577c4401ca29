import type { ApplyEvent, ApplyResult, Entry } from '../../apply/events.ts';
import type { RunEstimate } from '../../apply/estimate.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import type { LocatedProblem, Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { NeededLimits } from '../../plan/checks/limits.ts';
import type { Exposure, Counts, Loss, Undoes } from '../../plan/change/plan.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { makeApplyReport, type ApplyReport } from '../../outcome/apply.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import type { NotOpened } from '../live/read-live.ts';
import type { Workspace } from '../project/workspace.ts';
import type { PlanKeys } from '../../plan/saved/signature.ts';
import { learnKeys } from '../plan/saved-plan.ts';
import { measureLatency } from '../live/live-source.ts';

export type RunOptions = {
  /** The folder of journals. Without one the run can neither be resumed nor undone. */
  readonly journal?: string | undefined;
  /** The keys that saved plans are signed and checked with. */
  readonly planKeys?: PlanKeys | undefined;
  /** The most calls in flight; the number follows the latency of the gateway. Default: 64. */
  readonly parallelism?: number | undefined;
  /** Whether to continue, after a failure, with what does not depend on it. Default: no. */
  readonly keepGoing?: boolean | undefined;
  /** How long to retry, and to wait for writes to show. Default: that of `applyPlan`. */
  readonly settleTimeoutMs?: number | undefined;
  /** How long to wait for another run on the same gateway whose journal is in the same folder. Default: not at all. */
  readonly lockTimeoutMs?: number | undefined;
  /** Once aborted, no new call is made. */
  readonly signal?: AbortSignal | undefined;
  /** What was found when the gateway was opened: the outcome says it, too. */
  readonly warnings?: readonly Problem[] | undefined;
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Asked before the first change; the run ends when it says no. Default: yes. */
  readonly approve?: ((question: Approval) => Promise<boolean>) | undefined;
};

/** What is to be approved: the whole plan, or what is left where secrets are missing. */
export type Approval = { readonly shown: ShownPlan; readonly part: 'all' | 'rest' };

/** What goes on in a run, in the order in which it happens. Nothing in it is secret. */
export type RunEvent =
  | { readonly type: 'planned'; readonly shown: ShownPlan }
  /** Problems that do not stop the run, before anything is changed; the result has them as well. */
  | { readonly type: 'warned'; readonly problems: readonly Problem[] }
  /** Objects that the run leaves as they are since a secret is missing, and objects that depend on one of those. */
  | {
      readonly type: 'held-back';
      readonly problems: readonly LocatedProblem[];
      readonly addresses: readonly { readonly address: Address; readonly isDependent: boolean }[];
    }
  /** What an undo of this run would not bring back. */
  | { readonly type: 'losses'; readonly losses: readonly Loss[] }
  | { readonly type: 'resuming'; readonly run: string; readonly at: string }
  | { readonly type: 'no-journal' }
  /** Writes of an earlier process, which the gateway does not show yet. */
  | { readonly type: 'waiting-for-writes'; readonly objects: number; readonly forMs: number }
  /** Another run has the gateway; `holder` names its process. */
  | { readonly type: 'waiting-for-lock'; readonly holder: string; readonly forMs: number }
  | {
      readonly type: 'began';
      /** Of the whole plan. */
      readonly total: number;
      /** Of what is left to do. */
      readonly counts: Pick<Counts, 'create' | 'update' | 'replace' | 'delete'>;
      readonly estimate: RunEstimate;
    }
  | Exclude<ApplyEvent, { readonly type: 'finished' }>;

/** How a run ended, with what later steps need beside its outcome. */
export type RunResult = Ended & { readonly outcome: Lazy<ApplyReport> };

/** How a run ended, before it is told. */
export type Ended = {
  readonly result: ApplyResult;
  /** The plan; undefined when there was none. */
  readonly shown?: ShownPlan | undefined;
  /** What became of each change; empty when none was begun. */
  readonly entries: readonly Entry[];
  readonly problems: readonly Problem[];
  /** The protection that principals lack now, because only some of the changes were made. */
  readonly unprotected?: readonly Exposure[];
  /** The run, if resuming it can make what is left: not after the gateway rejected the content of a change. */
  readonly resumable?: string;
  /** What undoes the run, where a journal is kept; with the limits that would stop that, where there is anything to undo. */
  readonly undo?: Undoes & { readonly needs?: NeededLimits };
};

export type Run = Omit<RunOptions, 'keepGoing' | 'signal'> & {
  readonly host: Host;
  readonly workspace: Workspace;
  readonly gateway: Gateway;
  readonly keepGoing: boolean;
  readonly signal: AbortSignal;
  readonly emit: (event: RunEvent) => void;
  /** Why the gateway could not be locked: no journal is begun then. */
  readonly unlocked?: Error | undefined;
  /** The median of the lists so far. */
  readonly latencyMs: () => number | undefined;
};

export function startRun(host: Host, workspace: Workspace, gateway: Gateway, options: RunOptions): Run {
  learnKeys(workspace, options.planKeys);
  return {
    ...options,
    host,
    workspace,
    ...measureLatency(gateway, host.clock),
    keepGoing: options.keepGoing === true,
    signal: options.signal ?? new AbortController().signal,
    emit: options.onEvent ?? (() => undefined),
  };
}

/** A run on a gateway that could not be opened. */
export function endUnopened(workspace: Workspace, { result, problems }: NotOpened): RunResult {
  return describeEnd(endEarly(result, problems), '', workspace);
}

/** Adds the outcome to how a run ended on the gateway at this URL. */
export function describeEnd(
  ended: Ended,
  url: string,
  { environment }: Workspace,
  warnings: readonly Problem[] = [],
): RunResult {
  const { result, shown, entries, unprotected, undo } = ended;
  const problems = [...warnings, ...ended.problems];
  const refusals = entries.flatMap((entry) => (entry.outcome === 'failed' ? [entry.problem] : []));
  const told = [...locateProblems(problems), ...refusals];
  const about = { environment: environment?.name, undo, unprotected };
  return { ...ended, problems, outcome: makeApplyReport(result, url, shown?.counts, entries, told, about) };
}

/** A run that ends before its first change. */
export function endEarly(result: ApplyResult, problems: readonly Problem[], shown?: ShownPlan): Ended {
  return { result, shown, entries: [], problems };
}

/** Asks for approval, if the run has a function for that. Undefined if approved, otherwise how the run ends. */
export async function askApproval(
  { approve, signal }: Run,
  question: Approval,
): Promise<ApplyResult | undefined> {
  if (approve === undefined) return undefined;
  const isApproved = await approve(question);
  if (signal.aborted) return 'interrupted';
  return isApproved ? undefined : 'blocked';
}
