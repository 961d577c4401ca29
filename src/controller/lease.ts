import type { Host } from '../workflow/host.ts';
import { KubeError, PATHS, type Kube } from './kube.ts';
import type { KubeObject } from './resource.ts';
import type { Clock } from '../apply/events.ts';
import { getOrAdd } from '../model/collect.ts';

/** A lock, or how long to wait before it is tried again. */
export type Taken = { readonly held: Held } | { readonly retryInMs: number };

export type Held = {
  /** Aborted when the lock may be somebody else's: it could not be renewed in time. */
  readonly lost: AbortSignal;
  readonly release: () => Promise<void>;
};

/** The locks of all replicas. */
export type Locks = ReturnType<typeof makeLocks>;

type Lease = KubeObject & {
  readonly spec?: { readonly holderIdentity?: string | null; readonly leaseDurationSeconds?: number };
};

/** How soon to try again what is probably given back soon. */
const BUSY_MS = 500;
/** How many durations at most a lease is waited for. */
const MOST_DURATIONS = 4;

/**
 * Locks that are Leases. A replica that dies leaves its leases as they are; who has seen one unchanged for its duration takes it over, so
 * that clocks need not agree. A holder that cannot renew stops before that. `identity` is of this replica; no other has it, nor had.
 */
export function makeLocks(
  kube: Pick<Kube, 'get' | 'create' | 'replace'>,
  { clock, now }: Pick<Host, 'clock' | 'now'>,
  identity: string,
  durationSeconds = 15,
) {
  /** As they were last seen, and when they were first seen so. */
  const seen = new Map<string, { readonly lease: Lease; readonly at: number }>();
  const held = new Set<string>();
  const durationMs = durationSeconds * 1000;

  /** For how long it has been seen unchanged. */
  const note = (key: string, lease: Lease): number => {
    const before = seen.get(key);
    if (before?.lease.metadata.resourceVersion === lease.metadata.resourceVersion && before !== undefined)
      return clock.now() - before.at;
    seen.set(key, { lease, at: clock.now() });
    return 0;
  };

  const written = (lease: object, holder: string | null): object => {
    const time = `${now().toISOString().slice(0, -1)}000Z`;
    const times = { leaseDurationSeconds: durationSeconds, acquireTime: time, renewTime: time };
    return { ...lease, spec: { holderIdentity: holder, ...times } };
  };

  const acquire = async (namespace: string, name: string, owner?: object): Promise<Lease | number> => {
    const key = `${namespace}/${name}`;
    const path = `${PATHS.leases(namespace)}/${name}`;
    const known = seen.get(key)?.lease;
    if (known !== undefined && isFree(known)) {
      // One that was given back is probably free still: to write it tells.
      seen.delete(key);
      const mine = await kube.replace<Lease>(path, written(known, identity)).catch(unlessConflict);
      if (mine !== undefined) return mine;
    }
    const found = await kube.get<Lease>(path);
    if (found === undefined) {
      const metadata = { name, namespace, ...(owner && { ownerReferences: [owner] }) };
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
      return kube.create<Lease>(PATHS.leases(namespace), written(lease, identity));
    }
    const unchangedMs = note(key, found);
    if (!isFree(found)) {
      // Who edits a lease makes it no shorter, as its holder finds that out when it renews, and no one wait for ever.
      const own = Math.max(found.spec?.leaseDurationSeconds ?? 0, durationSeconds);
      const seconds = Math.min(own, MOST_DURATIONS * durationSeconds);
      const left = seconds * 1000 - unchangedMs;
      if (left > 0) return left;
    }
    return kube.replace<Lease>(path, written(found, identity));
  };

  return {
    /** Looks who has the lock, so that the time begins after which it can be taken over. */
    async observe(namespace: string, name: string): Promise<void> {
      const lease = await kube.get<Lease>(`${PATHS.leases(namespace)}/${name}`);
      if (lease !== undefined) note(`${namespace}/${name}`, lease);
    },
    /** The lock of this name; `owner` is deleted with it. */
    async take(namespace: string, name: string, owner?: object): Promise<Taken> {
      const key = `${namespace}/${name}`;
      if (held.has(key)) return { retryInMs: BUSY_MS };
      held.add(key);
      const at = clock.now();
      try {
        const lease = await acquire(namespace, name, owner);
        if (typeof lease !== 'number')
          return { held: hold(key, `${PATHS.leases(namespace)}/${name}`, { lease, at }) };
        held.delete(key);
        return { retryInMs: Math.min(lease, 4 * BUSY_MS) };
      } catch (error) {
        held.delete(key);
        seen.delete(key);
        // Somebody else was faster.
        if (error instanceof KubeError && error.status === 409) return { retryInMs: BUSY_MS };
        throw error;
      }
    },
  };

  /** `at` is before it was written: the answer may have come late, and others count from what they see. */
  function hold(key: string, path: string, taken: { readonly lease: Lease; readonly at: number }): Held {
    const lost = new AbortController();
    const done = new AbortController();
    let { lease, at: renewedAt } = taken;
    const renew = async (): Promise<void> => {
      for (;;) {
        await clock.wait(durationMs / 4, done.signal);
        if (done.signal.aborted || lost.signal.aborted) return;
        try {
          const at = clock.now();
          lease = await kube.replace<Lease>(path, written(lease, identity));
          renewedAt = at;
        } catch (error) {
          const isTaken = error instanceof KubeError && (error.status === 409 || error.status === 404);
          if (isTaken) lost.abort();
        }
      }
    };
    // An API server that hangs answers after the time in which others wait.
    const expire = async (): Promise<void> => {
      for (;;) {
        const left = renewedAt + durationMs / 2 - clock.now();
        if (left <= 0) lost.abort();
        if (lost.signal.aborted || done.signal.aborted) return;
        await clock.wait(left, done.signal);
      }
    };
    void expire();
    const renewing = renew();
    return {
      lost: lost.signal,
      async release() {
        done.abort();
        await renewing;
        held.delete(key);
        seen.delete(key);
        if (lost.signal.aborted) return;
        // What cannot be given back expires.
        const free = await kube.replace<Lease>(path, written(lease, null)).catch(() => undefined);
        if (free !== undefined) seen.set(key, { lease: free, at: clock.now() });
      },
    };
  }
}

/** Somebody else has written it, or it is gone. */
function unlessConflict(error: unknown): undefined {
  if (error instanceof KubeError && (error.status === 409 || error.status === 404)) return;
  throw error;
}

function isFree({ spec }: Lease): boolean {
  return (spec?.holderIdentity ?? '') === '';
}

/** How long a namespace that asked for a gateway counts as waiting for it. */
const PATIENCE_MS = 10_000;
const RETRY_MS = 500;

/**
 * Turns of namespaces that share a gateway: who had it last leaves it to others that wait. Otherwise many resources of one namespace would
 * keep the lock from those of another, which come by one by one.
 */
export function makeTurns({ now }: Pick<Clock, 'now'>) {
  const last = new Map<string, string>();
  const waiting = new Map<string, Map<string, number>>();
  return async (gateway: string, namespace: string, take: () => Promise<Taken>): Promise<Taken> => {
    const all = getOrAdd(waiting, gateway, () => new Map<string, number>());
    const isAwaited = [...all].some(([other, until]) => other !== namespace && until > now());
    const taken = isAwaited && last.get(gateway) === namespace ? { retryInMs: RETRY_MS } : await take();
    if ('held' in taken) {
      last.set(gateway, namespace);
      all.delete(namespace);
    } else all.set(namespace, now() + PATIENCE_MS);
    return taken;
  };
}
