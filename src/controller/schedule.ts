import { parseDuration } from '../model/text/quantities.ts';
import type { Host } from '../workflow/host.ts';
import type { Outcome } from './reconcile.ts';
import { isTrue, keyOf, requestOf, type GatewayConfig } from './resource.ts';

/** How much sooner or later than asked, so that not all come at once. */
const JITTER = 0.1;
const BACK_OFF = { leastMs: 5000, mostMs: 900_000 };
/** How long the others leave a resource that failed to the replica that looked at it. */
const OTHERS_RETRY_MS = 60_000;
export const SOON_MS = 1000;

/** When resources are due: as their status says, which all replicas see, and as this replica has found. */
export class Schedule {
  /** What a resource asked for when it was last told. */
  readonly #asked = new Map<string, string>();
  /** How often in a row a resource has failed. */
  readonly #failures = new Map<string, number>();
  /** What this replica has looked at. */
  readonly #own = new Set<string>();
  /** What must be looked at although it is not due, and since when: what it names has changed. */
  readonly #urgent = new Map<string, number>();
  readonly #host: Pick<Host, 'clock' | 'now'>;

  constructor(host: Pick<Host, 'clock' | 'now'>) {
    this.#host = host;
  }

  /** Whether a resource asks for something else than it did when it was last told; then its failures count no more. */
  asksAnew(resource: GatewayConfig): boolean {
    const key = keyOf(resource);
    const { generation, deletionTimestamp } = resource.metadata;
    const now = JSON.stringify([generation, deletionTimestamp, requestOf(resource), stoppedAt(resource)]);
    if (this.#asked.get(key) === now) return false;
    this.#asked.set(key, now);
    this.#failures.delete(key);
    return true;
  }

  /** How long until a resource is due; a look by another replica counts as well. */
  remainingMs(resource: GatewayConfig): number {
    const { metadata, status = {} } = resource;
    const { observedGeneration, lastHandledReconcileAt, lastRun, pendingPlan } = status;
    const key = keyOf(resource);
    const request = requestOf(resource);
    const isSeen =
      observedGeneration === metadata.generation &&
      (request === undefined || lastHandledReconcileAt === request);
    if (!isSeen || lastRun === undefined || metadata.deletionTimestamp !== undefined) return 0;
    const isStale = Date.parse(lastRun.startedAt) < (this.#urgent.get(key) ?? 0);
    if (isStale || lastRun.result === 'interrupted') return 0;
    const isWell = isTrue(status, 'Ready') || pendingPlan !== undefined;
    if (!isWell && this.isOwn(key)) return 0; // it comes back as its failures say
    const pause = isWell ? intervalMs(resource) : Math.min(intervalMs(resource), OTHERS_RETRY_MS);
    const since = this.#host.now().getTime() - Date.parse(lastRun.at);
    // Clocks of replicas differ by a little; what is to be long after now was written by one that was wrong.
    return since < -pause ? 0 : pause - since;
  }

  /** What a resource names has changed: it is due. */
  hurry(key: string): void {
    this.#urgent.set(key, this.#host.now().getTime());
  }

  isOwn(key: string): boolean {
    return this.#own.has(key);
  }

  /** Whether this replica has looked at anything yet. */
  get hasLooked(): boolean {
    return this.#own.size > 0;
  }

  noteLook(key: string): void {
    this.#own.add(key);
  }

  /** In how many milliseconds a resource is to be looked at again after a look. */
  afterLook(resource: GatewayConfig, state: Outcome['state']): number {
    if (state === 'interrupted') return this.jittered(SOON_MS);
    const key = keyOf(resource);
    if (state !== 'done' && state !== 'waiting') return this.afterFailure(key, intervalMs(resource));
    this.#failures.delete(key);
    return this.jittered(intervalMs(resource));
  }

  /** The same after a failure: later each time, at most after `mostMs`. */
  afterFailure(key: string, mostMs: number = BACK_OFF.mostMs): number {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const most = Math.min(BACK_OFF.mostMs, Math.max(BACK_OFF.leastMs, mostMs));
    return this.jittered(Math.min(most, BACK_OFF.leastMs * 2 ** Math.min(failures - 1, 10)));
  }

  jittered(ms: number): number {
    return ms * (1 + JITTER * (2 * this.#host.clock.random() - 1));
  }

  forget(key: string): void {
    for (const map of [this.#asked, this.#failures, this.#urgent]) map.delete(key);
    this.#own.delete(key);
  }
}

export function intervalMs({ spec }: GatewayConfig): number {
  return parseDuration(spec.interval ?? '10m') ?? 600_000;
}

/** When a replica stopped in the middle of a run, which another one finishes. */
function stoppedAt({ status: { lastRun } = {} }: GatewayConfig): string | undefined {
  return lastRun?.result === 'interrupted' ? lastRun.at : undefined;
}
