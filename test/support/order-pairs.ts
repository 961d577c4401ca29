import fc from 'fast-check';
import { expect } from 'vitest';
import type { EmbeddedGateway } from '../../src/emulator/memory.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { hasErrors, type Checked } from '../../src/model/problem.ts';
import { kindOf as kindNameOf, type Address, type Resource } from '../../src/model/resource.ts';
import type { DesiredState } from '../../src/model/state.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { idOf, type Change, type ChangeId, type Plan } from '../../src/plan/change/plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { written } from './generate.ts';
import { kindOf } from './kinds.ts';
import { orderGateway, orderPair } from './order-states.ts';

const { kinds } = catalog;

/** How many pairs of states; `npm run soak -- --pairs 100000` says more. The seed of a failure is printed. */
export const PAIRS = Number(process.env['GWCONF_PAIRS'] ?? 200);
const SEED = process.env['GWCONF_SEED'];
export const runs = { numRuns: PAIRS, ...(SEED === undefined ? {} : { seed: Number(SEED) }) };
export const time = { timeout: 300_000 + PAIRS * 1000 };

/** What is deleted when no file mentions it: mostly everything. */
const prune: fc.Arbitrary<readonly string[] | undefined> = fc.constantFrom(
  ['*'],
  ['*'],
  ['*'],
  undefined,
  ['GatewayServiceAccount/*', 'GatewayGroup/*', 'Interceptor/*'],
  ['*', '!Interceptor/*'],
);
const pair = fc.tuple(orderPair, prune).map(([states, globs]) => ({ ...states, prune: globs }));
type Pair = typeof pair extends fc.Arbitrary<infer T> ? T : never;

/** A pair for which there is a plan without errors. */
export type Possible = {
  readonly desired: DesiredState;
  readonly there: readonly Resource[];
  readonly before: ReadonlyMap<Address, Resource>;
  readonly prune: Pair['prune'];
  readonly plan: Plan;
};

/** Holds `check` to pairs of states between which there is a plan without errors. */
export async function forEachPair(
  check: (given: Possible, choices: Iterator<number>) => Promise<void> | void,
  parameters: fc.Parameters<[Pair, fc.Stream<number>]> = {},
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(pair, fc.infiniteStream(fc.nat()), async ({ wanted, there, prune }, choices) => {
      const files = [{ path: 'state.yaml', text: written(wanted), named: true }];
      const { value: desired, problems } = load(files, catalog, () => undefined);
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      const gateway = await orderGateway(there);
      const { resources: before } = await readLive(gateway, [...kinds.values()]);
      const planned = await planOf(desired, gateway, prune);
      if (hasErrors(planned.problems)) {
        // Never for the order: with the kinds of the gateway every ring can be opened.
        expect(planned.problems.map(({ code }) => code)).not.toContain('order-cycle');
        return;
      }
      await check({ desired, there, before, prune, plan: planned.value }, choices);
    }),
    { ...runs, ...parameters },
  );
}

export async function planOf(
  desired: DesiredState,
  gateway: EmbeddedGateway,
  prune: Pair['prune'],
): Promise<Checked<Plan>> {
  return makePlan(desired, await readLive(gateway, [...kinds.values()]), kinds, {
    gateway: gateway.url,
    ...(prune === undefined ? {} : { prune }),
  });
}

/** One change, which the gateway must take. */
export async function make(change: Change, gateway: EmbeddedGateway): Promise<void> {
  const kind = kindOf(kindNameOf(change.address));
  try {
    if (change.action === 'delete' || change.action === 'replace') {
      expect(await gateway.remove(kind, change.before)).toBe('removed');
    }
    if (change.action !== 'delete') {
      const result = await gateway.put(kind, change.after);
      expect(result).toBe(change.action === 'update' ? 'updated' : 'created');
    }
  } catch (error) {
    throw new Error(`${change.action} ${idOf(change)}`, { cause: error });
  }
}

/** One of the orders in which apply may make the changes. */
export function* someOrderOf(changes: readonly Change[], choices: Iterator<number>): Generator<Change> {
  const done = new Set<ChangeId>();
  const open = new Set(changes);
  while (open.size > 0) {
    const early = [...open].some(({ stage }) => stage === 1);
    const ready = [...open].filter(
      ({ stage, dependsOn }) => dependsOn.every((id) => done.has(id)) && (stage === 1 || !early),
    );
    const next = ready[Number(choices.next().value) % ready.length];
    if (next === undefined) throw new Error('nothing is ready');
    open.delete(next);
    done.add(idOf(next));
    yield next;
  }
}
