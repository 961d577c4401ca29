import { describe, expect, it } from 'vitest';
import { KubeError, type Kube } from '../../src/controller/kube.ts';
import { makeLocks, type Held, type Locks } from '../../src/controller/lease.ts';
import type { KubeObject } from '../../src/controller/resource.ts';
import { virtualClock } from '../support/clock.ts';

type Lease = { metadata: { resourceVersion: string }; spec: { holderIdentity: string | null } };

/** Leases in memory, of an API server that can be away. */
function leases() {
  const all = new Map<string, Lease>();
  const state = { isAway: false, hangs: false, version: 0 };
  const answer = <T>(make: () => unknown): Promise<T> =>
    state.isAway
      ? Promise.reject(new KubeError(0, 'away'))
      : new Promise((resolve) => {
          if (!state.hangs) resolve(make() as T);
        });
  const put = (path: string, lease: object): Lease => {
    const stored = { ...lease, metadata: { resourceVersion: String((state.version += 1)) } } as Lease;
    all.set(path, stored);
    return stored;
  };
  const kube: Pick<Kube, 'get' | 'create' | 'replace'> = {
    get: (path) => answer(() => all.get(path)),
    create: (path, lease) =>
      answer(() => {
        const at = `${path}/${(lease as { metadata: { name: string } }).metadata.name}`;
        if (all.has(at)) throw new KubeError(409, 'already exists');
        return put(at, lease);
      }),
    replace: (path, lease) =>
      answer(() => {
        if (all.get(path)?.metadata.resourceVersion !== (lease as Lease).metadata.resourceVersion)
          throw new KubeError(409, 'conflict');
        return put(path, lease);
      }),
  };
  /** As somebody with rights on leases may. */
  const edit = (spec: object): void => {
    for (const [path, lease] of all) put(path, { ...lease, spec: { ...lease.spec, ...spec } });
  };
  return { kube, state, edit, holder: () => [...all.values()][0]?.spec.holderIdentity };
}

function replicas() {
  const { kube, state, holder } = leases();
  const clock = virtualClock();
  const now = (): Date => new Date(clock.now());
  const one = makeLocks(kube, { clock, now }, 'one');
  const other = makeLocks(kube, { clock, now }, 'other');
  return { one, other, state, holder, clock };
}

async function heldBy(locks: Locks): Promise<Held> {
  const taken = await locks.take('team', 'app');
  if (!('held' in taken)) throw new Error('somebody else has it');
  return taken.held;
}

describe('a lease', () => {
  it('is held by one replica, and by one of its looks, at a time', async () => {
    const { one, other, holder } = replicas();
    const held = await heldBy(one);
    expect(holder()).toBe('one');
    expect(await one.take('team', 'app')).toHaveProperty('retryInMs');
    expect(await other.take('team', 'app')).toHaveProperty('retryInMs');
    await held.release();
    expect(holder()).toBeNull();
    await (await heldBy(other)).release();
    await (await heldBy(one)).release();
  });

  it('of a replica that died is taken over once it has not changed for its duration, whatever the clocks say', async () => {
    const { kube } = leases();
    const [dead, alive] = [virtualClock(), virtualClock()];
    const now = (): Date => new Date(0);
    await heldBy(
      makeLocks(kube, { clock: { ...dead, wait: () => new Promise(() => undefined) }, now }, 'dead'),
    );
    const other = makeLocks(kube, { clock: alive, now }, 'alive');
    expect(await other.take('team', 'app')).toHaveProperty('retryInMs');
    await alive.wait(14_000, new AbortController().signal);
    expect(await other.take('team', 'app')).toHaveProperty('retryInMs');
    await alive.wait(1_001, new AbortController().signal);
    expect(await other.take('team', 'app')).toHaveProperty('held');
  });

  it.each(['isAway', 'hangs'] as const)(
    'that cannot be renewed is given up before another replica can take it: the API server %s',
    async (how) => {
      const { kube, state } = leases();
      const clock = virtualClock();
      const locks = makeLocks(kube, { clock, now: () => new Date(0) }, 'one');
      const held = await heldBy(locks);
      state[how] = true;
      await clock.wait(14_000, new AbortController().signal);
      expect(held.lost.aborted).toBe(true);
    },
  );

  it('is held from when it was asked for, and not from an answer that came late', async () => {
    const { kube } = leases();
    const clock = virtualClock();
    const late: typeof kube = {
      ...kube,
      create: async <T extends KubeObject>(path: string, lease: object) => {
        const made = await kube.create<T>(path, lease);
        await clock.wait(14_000, new AbortController().signal);
        return made;
      },
    };
    const held = await heldBy(makeLocks(late, { clock, now: () => new Date(0) }, 'one'));
    expect(held.lost.aborted).toBe(true);
    await held.release();
  });

  it('that somebody edits is not taken over before its holder has seen that', async () => {
    const { kube, edit } = leases();
    const [busy, alive] = [virtualClock(), virtualClock()];
    const now = (): Date => new Date(0);
    const never = { ...busy, wait: () => new Promise<void>(() => undefined) };
    await heldBy(makeLocks(kube, { clock: never, now }, 'busy'));
    edit({ leaseDurationSeconds: 1 });
    const other = makeLocks(kube, { clock: alive, now }, 'alive');
    expect(await other.take('team', 'app')).toHaveProperty('retryInMs');
    await alive.wait(14_000, new AbortController().signal);
    expect(await other.take('team', 'app')).toHaveProperty('retryInMs');
  });

  it('that somebody edits, of a replica that died, is taken over all the same', async () => {
    const { kube, edit } = leases();
    const clock = virtualClock();
    const now = (): Date => new Date(0);
    const never = { ...clock, wait: () => new Promise<void>(() => undefined) };
    await heldBy(makeLocks(kube, { clock: never, now }, 'dead'));
    edit({ leaseDurationSeconds: 2 ** 31 - 1, holderIdentity: '\u001b[2J' });
    const other = makeLocks(kube, { clock, now }, 'alive');
    expect(await other.take('team', 'app')).toHaveProperty('retryInMs');
    await clock.wait(60_001, new AbortController().signal);
    expect(await other.take('team', 'app')).toHaveProperty('held');
  });
});
