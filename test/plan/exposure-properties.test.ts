import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bindPlan } from '../../src/apply/verify/check-plan.ts';
import { findMisstatements } from '../../src/apply/verify/find-misstatements.ts';
import { identify } from '../../src/model/identity.ts';
import { asValid, kindOf as kindNameOf, type Address, type Resource } from '../../src/model/resource.ts';
import { afterOf, idOf, isStep, type Change, type ChangeId, type Plan } from '../../src/plan/change/plan.ts';
import { planChanges } from '../../src/plan/make-plan.ts';
import { referencesOf } from '../../src/model/normal/references-of.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { clientsOf, protectionOf, type Client, type State } from '../support/exposure-oracle.ts';
import { written } from '../support/generate.ts';
import { kindOf } from '../support/kinds.ts';
import { runs, time } from '../support/order-pairs.ts';

const { kinds } = catalog;
const MOST_CHANGES = 11;

describe('between any two states, a plan', () => {
  it('reports every exposure that some order of its calls has, and no other', time, () =>
    forEachPair(({ plan, before, after }) => {
      const expected = new Set<string>();
      for (const state of reachableStates(plan, before))
        for (const gap of gapsAt(state, before, after)) expected.add(gap);
      expect(exposuresOf(plan, false)).toEqual([...expected].sort());
    }),
  );

  it('has an exposure only if every order that the gateway takes has one', time, () =>
    forEachPair(({ plan, before, after }) => {
      if (exposuresOf(plan, false).length === 0) return;
      const changes = plan.changes.filter((change) => !isStep(change));
      expect(hasSafeWay(changes, before, after)).toBe(false);
    }),
  );

  it('is what it says when it is applied from a file', time, () =>
    forEachPair(({ plan, before }) => {
      const { changes, relies } = bindPlan(plan, kinds);
      expect(findMisstatements({ changes, relies }, new Set(), before, kinds)).toEqual([]);
    }),
  );

  it('reports what is lost for good, and whose interceptors change', time, () =>
    forEachPair(({ plan, before, after }) => {
      const clients = clientsOf(before, after);
      const lost = clients.flatMap((client) => {
        const [was, is] = [before, after].map((state) => protectionOf(client, state).sorts);
        return [...(was ?? [])].filter((sort) => is?.has(sort) !== true).map((sort) => print(client, sort));
      });
      expect(exposuresOf(plan, true)).toEqual(lost.sort());
      const changed = clients.flatMap((client) => {
        const [was, is] = [before, after].map((state) => protectionOf(client, state).chain.join());
        return was === is ? [] : [print(client, `${was ?? ''} > ${is ?? ''}`)];
      });
      const effects = (plan.effects ?? []).flatMap((effect) => {
        const [was, is] = [effect.before, effect.after].map((chain) =>
          chain.map(({ address }) => address).join(),
        );
        return was === is ? [] : [print(toClient(effect), `${was ?? ''} > ${is ?? ''}`)];
      });
      expect(effects.sort()).toEqual(changed.sort());
    }),
  );
});

type Pair = { readonly plan: Plan; readonly before: State; readonly after: State };

function forEachPair(check: (pair: Pair) => void): void {
  fc.assert(
    fc.property(someState, someState, (there, wanted) => {
      const files = [{ path: 'state.yaml', text: written(wanted), named: true }];
      const { value: desired, problems } = load(files, catalog, () => undefined);
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      const before = stateOf(there);
      const live = { resources: before, unavailable: new Map() };
      const { plan, world } = planChanges(desired, live, kinds, { gateway: 'http://gateway', prune: ['*'] });
      if (world.cycles.length > 0 || plan.changes.length > MOST_CHANGES) return;
      check({ plan, before, after: plan.changes.reduce(apply, before) });
    }),
    { ...runs, numRuns: Math.ceil(runs.numRuns / 4) }, // each has many orders
  );
}

/** Every state that a run can leave behind at some moment, whatever the order of calls in flight together. */
function reachableStates(plan: Plan, before: State): readonly State[] {
  const found = new Map<string, { readonly done: ReadonlySet<ChangeId>; readonly state: State }>([
    ['', { done: new Set(), state: before }],
  ]);
  for (const { done, state } of found.values()) {
    const isEarly = plan.changes.some((one) => one.stage === 1 && !done.has(idOf(one)));
    for (const change of plan.changes) {
      if (done.has(idOf(change)) || !change.dependsOn.every((id) => done.has(id))) continue;
      if (change.stage === 2 && isEarly) continue;
      const next = new Set([...done, idOf(change)]);
      const key = [...next].sort().join('|');
      if (!found.has(key)) found.set(key, { done: next, state: apply(state, change) });
    }
  }
  return Array.from(found.values(), ({ state }) => state);
}

/** Whether the changes have an order in which no reference dangles and nobody lacks protection. */
function hasSafeWay(changes: readonly Change[], before: State, after: State): boolean {
  const seen = new Set<number>([0]);
  for (const mask of seen) {
    const state = changes.reduce(
      (made, change, at) => ((mask >> at) & 1 ? apply(made, change) : made),
      before,
    );
    for (const [at, change] of changes.entries()) {
      const next = mask | (1 << at);
      if (seen.has(next)) continue;
      const made = apply(state, change);
      if (isTaken(made) && gapsAt(made, before, after).length === 0) seen.add(next);
    }
  }
  return seen.has(2 ** changes.length - 1);
}

function isTaken(state: State): boolean {
  return [...state].every(([address, resource]) =>
    referencesOf(resource, kindOf(kindNameOf(address))).every(
      ({ to }) => state.has(to) || to === 'VirtualCluster/passthrough',
    ),
  );
}

function apply(state: State, change: Change): State {
  const next = new Map(state);
  const resource = afterOf(change);
  if (resource === undefined) next.delete(change.address);
  else next.set(change.address, resource);
  return next;
}

function gapsAt(state: State, before: State, after: State): readonly string[] {
  return clientsOf(before, after).flatMap((client) => {
    const [was, is, now] = [before, after, state].map((one) => protectionOf(client, one).sorts);
    return [...(was ?? [])]
      .filter((sort) => is?.has(sort) === true && now?.has(sort) !== true)
      .map((sort) => print(client, sort));
  });
}

function exposuresOf({ exposures = [] }: Plan, lasting: boolean): readonly string[] {
  const found = exposures.filter((one) => one.lasting === lasting);
  return [...new Set(found.map((one) => print(toClient(one), one.protection)))].sort();
}

function toClient(one: {
  readonly virtualCluster: string;
  readonly username: string | null;
  readonly externalGroup?: string;
}): Client {
  return { vCluster: one.virtualCluster, username: one.username, external: one.externalGroup ?? null };
}

function print({ vCluster, username, external }: Client, what: string): string {
  return `${vCluster}/${username ?? '*'}${external === null ? '' : ` of ${external}`}: ${what}`;
}

function stateOf(resources: readonly Resource[]): ReadonlyMap<Address, Resource> {
  return new Map(resources.map((one) => [identify(kindOf(one.kind), one), one]));
}

const ACCOUNTS = [
  { name: 'bob', vCluster: 'prod' },
  { name: 'eve', vCluster: 'prod' },
  { name: 'kim', vCluster: 'passthrough' },
];
const group = (name: string) =>
  fc.record({
    name: fc.constant(name),
    members: fc.subarray(ACCOUNTS),
    externalGroups: fc.constantFrom([], [], ['ldap']),
  });
const interceptor = fc.record({
  name: fc.constantFrom('a', 'a', 'b', 'c'),
  scope: fc.constantFrom(
    { vCluster: null, group: null, username: null },
    { vCluster: 'prod' },
    { vCluster: 'passthrough' },
    { vCluster: 'prod', group: 'first' },
    { vCluster: 'prod', group: 'second' },
    { vCluster: 'passthrough', group: 'second' },
    { vCluster: 'prod', username: 'bob' },
    { vCluster: 'prod', username: 'zoe' },
  ),
  pluginClass: fc.constantFrom(
    'EncryptPlugin',
    'FieldLevelDataMaskingPlugin',
    'FieldLevelDataMaskingPlugin',
    'AuditPlugin',
    'Own',
  ),
});

/** A state with few names, so that interceptors override each other, classes change in place, and members move. */
const someState: fc.Arbitrary<readonly Resource[]> = fc
  .record({
    accounts: fc.subarray(ACCOUNTS, { minLength: 1 }),
    groups: fc.tuple(group('first'), group('second')),
    interceptors: fc.uniqueArray(interceptor, {
      maxLength: 5,
      selector: ({ name, scope }) => JSON.stringify([name, scope]),
    }),
  })
  .map(({ accounts, groups, interceptors }) => [
    make('VirtualCluster', { name: 'prod' }, {}),
    ...accounts.map((metadata) => make('GatewayServiceAccount', metadata, { type: 'LOCAL' })),
    ...groups.map(({ name, members, externalGroups }) =>
      make(
        'GatewayGroup',
        { name },
        { members: members.filter((one) => accounts.includes(one)), externalGroups },
      ),
    ),
    ...interceptors.map(({ name, scope, pluginClass }) =>
      make(
        'Interceptor',
        { name, scope },
        { pluginClass: `io.conduktor.gateway.interceptor.${pluginClass}`, priority: 1, config: {} },
      ),
    ),
  ]);

function make(kind: string, metadata: Resource['metadata'], spec: Resource['spec']): Resource {
  return asValid({ apiVersion: 'gateway/v2', kind, metadata, spec });
}
