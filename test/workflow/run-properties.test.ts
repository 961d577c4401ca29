import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { applyPlan } from '../../src/apply/apply.ts';
import { isSame } from '../../src/apply/verify/match-live.ts';
import type { ApplyEvent, Entry } from '../../src/apply/events.ts';
import { memoryGateway, type EmbeddedGateway } from '../../src/emulator/memory.ts';
import type { Gateway } from '../../src/gateway/gateway.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { hasErrors } from '../../src/model/problem.ts';
import type { Address, Resource } from '../../src/model/resource.ts';
import { idOf, type Change } from '../../src/plan/change/change.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { NO_VARIABLES } from '../../src/schema/yaml/interpolate.ts';
import { openWorkspace } from '../../src/workflow/project/open-workspace.ts';
import { applyProject } from '../../src/workflow/run/apply.ts';
import { resumeRun } from '../../src/workflow/run/resume.ts';
import { undoRun } from '../../src/workflow/run/undo.ts';
import type { RunResult } from '../../src/workflow/run/start-run.ts';
import { virtualClock, type VirtualClock } from '../support/clock.ts';
import { written } from '../support/generate.ts';
import { kindOf } from '../support/kinds.ts';
import { memoryHost, type MemoryHost } from '../support/memory-host.ts';
import { PAIRS, planOf, runs, time } from '../support/order-pairs.ts';
import { orderGateway, orderPair, plainPair } from '../support/order-states.ts';
import { stateOf } from '../support/undos.ts';

const { kinds } = catalog;
const WIDTHS = [1, 2, 8, 64];
const OPTIONS = {
  journal: 'runs',
  limits: { deletes: { objects: 1000 }, updates: { objects: 1000 } },
} as const;

const somePair = fc.oneof({ arbitrary: plainPair, weight: 15 }, { arbitrary: orderPair, weight: 1 });
const stop = fc.record({
  /** Before or after which write, of how many that are possible. */
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  when: fc.constantFrom('before' as const, 'after' as const),
  how: fc.constantFrom('killed' as const, 'interrupted' as const),
  width: fc.constantFrom(...WIDTHS),
  losesNotes: fc.boolean(),
  /** How many of the last writes reads do not show, and for how long, in milliseconds. */
  hidden: fc.nat(8),
  lagMs: fc.constantFrom(0, 900, 5000),
});
type Stop = typeof stop extends fc.Arbitrary<infer T> ? T : never;

/** What a run that was stopped left behind. */
type Left = { readonly host: MemoryHost; readonly real: EmbeddedGateway; readonly seen: Gateway };

/** Starts a run and stops it; undefined when there is no plan, or when it was over before. */
async function stopRun(
  there: readonly Resource[],
  wanted: readonly Resource[],
  given: Stop,
): Promise<Left | undefined> {
  const host = memoryHost(new Map([['state.yaml', written(wanted)]]));
  const workspace = await openWorkspace(host);
  const gateway = await orderGateway(there);
  const interrupt = new AbortController();
  const states = [gateway.snapshot()];
  let left: MemoryHost | undefined;
  let writes = 0;
  const at = 1 + Math.floor(given.at * 12);
  const write = async <T>(work: () => Promise<T>): Promise<T> => {
    writes += 1;
    const isIt = writes === at;
    const end = (): void => {
      interrupt.abort();
      if (given.how === 'killed') left ??= host.leave(2, given.losesNotes);
    };
    if (isIt && given.when === 'before') end();
    const result = await work();
    if (left === undefined) states.push(gateway.snapshot());
    if (isIt && given.when === 'after') end();
    return result;
  };
  const port: Gateway = {
    ...{ url: gateway.url, list: (kind) => gateway.list(kind), close: () => gateway.close() },
    put: (kind, resource) => write(() => gateway.put(kind, resource)),
    remove: (kind, resource) => write(() => gateway.remove(kind, resource)),
  };
  const { result } = await applyProject(host, workspace, port, {
    ...OPTIONS,
    ...{ paths: ['state.yaml'], prune: true, manages: ['*'], allowEmpty: true },
    ...{ parallelism: given.width, signal: interrupt.signal },
  });
  if (!interrupt.signal.aborted) return undefined;
  if (given.how === 'interrupted' && result !== 'interrupted') return undefined; // it was the last write
  const reopen = (state: (typeof states)[number] | undefined): EmbeddedGateway =>
    memoryGateway(kinds, { physicalClusters: ['main', 'elsewhere'], ...(state && { state }) });
  const real = reopen(states.at(-1));
  const old = reopen(states.at(-1 - Math.min(given.hidden, states.length - 1)));
  const next = left ?? host.leave(2, false);
  const end = next.clock.now() + given.lagMs;
  const seen: Gateway = {
    url: real.url,
    list: (kind) => (next.clock.now() < end ? old : real).list(kind),
    put: (kind, resource) => real.put(kind, resource),
    remove: (kind, resource) => real.remove(kind, resource),
    close: () => real.close(),
  };
  return { host: next, real, seen };
}

async function forEachStop(
  check: (
    left: Left,
    given: { readonly before: readonly Resource[]; readonly wanted: readonly Resource[] },
  ) => Promise<RunResult>,
): Promise<Readonly<Record<string, number>>> {
  const seen: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(somePair, stop, async ({ there, wanted }, given) => {
      const left = await stopRun(there, wanted, given);
      if (left === undefined) return;
      const { result } = await check(left, { before: there, wanted });
      seen[result] = (seen[result] ?? 0) + 1;
    }),
    { ...runs, numRuns: Math.ceil(PAIRS / 2) },
  );
  return seen;
}

describe('after a run that was stopped at any write and at any width, on a gateway whose reads lag,', () => {
  it.each([
    ['undo leads back to what was there', undoRun, 'before'],
    ['--resume leads to what was wanted', resumeRun, 'wanted'],
  ] as const)('%s, or says that it did not', time, async (_, goOn, goal) => {
    const seen = await forEachStop(async ({ host, real, seen: lagging }, states) => {
      const found = await stateOf(real);
      const ended = await goOn(host, await openWorkspace(host), lagging, undefined, OPTIONS);
      const { result } = ended;
      if (result === 'applied' || result === 'no-changes')
        expect(await stateOf(real)).toEqual(await stateOf(await orderGateway(states[goal])));
      else expect([result, await stateOf(real)]).toEqual(['stale', found]);
      return ended;
    });
    expect(seen['applied']).toBeGreaterThan(seen['stale'] ?? 0);
  });
});

/** The port of a gateway for one engine: each call takes as long as is drawn, and it is known what was read last. */
function slow(
  gateway: EmbeddedGateway,
  clock: VirtualClock,
  delays: Iterator<number>,
): {
  readonly port: Gateway;
  readonly lists: ReadonlyMap<
    string,
    { readonly writes: number; readonly of: ReadonlyMap<Address, Resource> }
  >;
  readonly writesOf: (kind: string) => number;
} {
  const never = new AbortController().signal;
  const writes = new Map<string, number>();
  const lists = new Map<string, { readonly writes: number; readonly of: ReadonlyMap<Address, Resource> }>();
  const wait = (): Promise<void> => clock.wait(1 + (Number(delays.next().value) % 5), never);
  const writesOf = (kind: string): number => writes.get(kind) ?? 0;
  const write = async <T>(kind: string, work: () => Promise<T>): Promise<T> => {
    await wait();
    writes.set(kind, writesOf(kind) + 1);
    const result = await work();
    await wait();
    return result;
  };
  return {
    port: {
      url: gateway.url,
      async list(kind) {
        await wait();
        const before = writesOf(kind.name);
        const { resources } = await readLive(gateway, [kind]);
        lists.set(kind.name, { writes: before, of: resources });
        await wait();
        return [...resources.values()];
      },
      put: (kind, resource) => write(kind.name, () => gateway.put(kind, resource)),
      remove: (kind, resource) => write(kind.name, () => gateway.remove(kind, resource)),
      close: () => gateway.close(),
    },
    lists,
    writesOf,
  };
}

describe('of two or three engines that work on one gateway at once', () => {
  it('none claims what was not so when it last looked, and the last one what is not so', time, async () => {
    const seen = { overtaken: 0, done: 0 };
    await fc.assert(
      fc.asyncProperty(
        orderPair,
        fc.array(orderPair, { minLength: 1, maxLength: 2 }),
        fc.infiniteStream(fc.nat()),
        fc.constantFrom(...WIDTHS),
        async ({ there, wanted }, others, delays, parallelism) => {
          const gateway = await orderGateway(there);
          const clock = virtualClock();
          const plans: (readonly Change[])[] = [];
          for (const state of [wanted, ...others.map((other) => other.wanted)]) {
            const files = [{ path: 'state.yaml', text: written(state), named: true }];
            const { value: desired } = load(files, catalog, NO_VARIABLES);
            const planned = await planOf(desired, gateway, { prune: ['*'] });
            if (!hasErrors(planned.problems)) plans.push(planned.value.changes);
          }
          const found = (await readLive(gateway, [...kinds.values()])).resources;
          let ended = 0;
          const engines = await Promise.all(
            plans.map(async (changes) => {
              const engine = slow(gateway, clock, delays);
              const events: ApplyEvent[] = [];
              const options = { clock, parallelism, keepGoing: true, found, settleTimeoutMs: 500 };
              for await (const event of applyPlan(changes, engine.port, kinds, options)) events.push(event);
              return { ...engine, changes, events, at: (ended += 1) };
            }),
          );
          const live = (await readLive(gateway, [...kinds.values()])).resources;
          for (const { changes, events, lists, writesOf, at } of engines) {
            const finished = events.find((event) => event.type === 'finished');
            const unverified = new Set(
              events.flatMap((one) => (one.type === 'unverified' ? [one.kind] : [])),
            );
            const entries = new Map((finished?.ledger.entries ?? []).map((entry) => [entry.id, entry]));
            for (const change of lastOfEach(changes)) {
              const entry = entries.get(idOf(change));
              const { name } = kindOf(change.address.split('/')[0] ?? '');
              if (isOvertaken(entry)) seen.overtaken += 1;
              if (entry?.outcome !== 'done' || unverified.has(name)) continue;
              seen.done += 1;
              const after = change.action === 'delete' ? undefined : change.after;
              const list = lists.get(name);
              expect(list?.writes, `${change.address} was read before it was written`).toBe(writesOf(name));
              expect(isSame(kindOf(name), list?.of.get(change.address), after), change.address).toBe(true);
              if (at === ended) expect(isSame(kindOf(name), live.get(change.address), after)).toBe(true);
            }
          }
        },
      ),
      runs,
    );
    expect(Math.min(seen.overtaken, seen.done), JSON.stringify(seen)).toBeGreaterThan(0);
  });
});

function isOvertaken(entry: Entry | undefined): boolean {
  return entry?.outcome === 'failed' && entry.problem.message.includes('was overtaken');
}

function lastOfEach(changes: readonly Change[]): readonly Change[] {
  return [...new Map(changes.map((change) => [change.address, change])).values()];
}
