import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { bindPlan } from '../../src/apply/verify/check-plan.ts';
import { findMisstatements } from '../../src/apply/verify/find-misstatements.ts';
import { identify } from '../../src/model/identity.ts';
import { addressOf } from '../../src/model/kind.ts';
import { kindOf as kindNameOf, parseAddress, type Address, type Resource } from '../../src/model/resource.ts';
import { isList } from '../../src/model/json/json.ts';
import type { Change } from '../../src/plan/change/change.ts';
import type { Plan } from '../../src/plan/change/plan.ts';
import { assessChanges } from '../../src/plan/exposure/assess.ts';
import { orderSafely } from '../../src/plan/exposure/order-safely.ts';
import { orderLeft } from '../../src/plan/undo/order-left.ts';
import { makeUndo, withoutHalves, withoutTaken } from '../../src/plan/undo/undo.ts';
import { planChanges } from '../../src/plan/make-plan.ts';
import { referencesOf } from '../../src/model/normal/normal-form.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { NO_VARIABLES } from '../../src/schema/yaml/interpolate.ts';
import {
  applyChange,
  clientsOf,
  lossesOf,
  externalClientsOf,
  printClient,
  protectionOf,
  reachableStates,
  toClient,
  type State,
} from '../support/exposure-oracle.ts';
import {
  emptyInBetween,
  goesBeforeItsAccount,
  largeState,
  someState,
  swappedNames,
} from '../support/exposure-states.ts';
import { written } from '../support/generate.ts';
import { kindOf } from '../support/kinds.ts';
import { runs, someOrderOf, time } from '../support/order-pairs.ts';

const { kinds } = catalog;
const MOST_CHANGES = 11;

describe('between any two states, a plan', () => {
  it('reports every exposure that some order of its calls has, and no other', time, () =>
    forEachPair(({ plan, before, after }) => {
      const gapsAt = makeGapFinder(before, after);
      const expected = new Set<string>();
      for (const state of reachableStates(plan, before)) for (const gap of gapsAt(state)) expected.add(gap);
      expect(exposuresOf(plan, false)).toEqual([...expected].sort());
    }),
  );

  it('leaves out only clients that are at every moment like all other clients', time, () =>
    forEachPair(({ plan, before, after }) => {
      const told = clientsOf(before, after).map((client) => printClient(client, ''));
      const left = externalClientsOf(before, after).filter(
        (client) => !told.includes(printClient(client, '')),
      );
      for (const state of reachableStates(plan, before))
        for (const client of left)
          expect(protectionOf(client, state)).toEqual(protectionOf({ ...client, external: null }, state));
    }),
  );

  it(
    'has what is meant for one account alone there before the account comes, and until it has gone, where nobody lacks protection by that',
    time,
    () =>
      forEachPair(
        ({ plan, before, after }) => {
          const own = (state: State): ReadonlyMap<Address, Address> =>
            new Map(
              [...state.keys()].flatMap((address) => {
                const { kind, scope } = parseAddress(address) ?? {};
                const username = kind === 'Interceptor' ? scope?.['username'] : undefined;
                if (typeof username !== 'string') return [];
                return [
                  [
                    address,
                    addressOf('GatewayServiceAccount', username, { vCluster: scope?.['vCluster'] ?? null }),
                  ],
                ];
              }),
            );
          const early = (state: State): readonly string[] =>
            [[after, before] as const, [before, after] as const].flatMap(([whole, other]) =>
              [...own(whole)].flatMap(([interceptor, account]) =>
                state.has(account) &&
                !other.has(account) &&
                !other.has(interceptor) &&
                !state.has(interceptor)
                  ? [`${account} without ${interceptor}`]
                  : [],
              ),
            );
          const found = reachableStates(plan, before).flatMap(early);
          // It gives way where somebody would lack protection otherwise.
          if (found.length > 0 && hasSafeWay(withoutExtra(plan.changes), before, after, early))
            expect(found).toEqual([]);
        },
        { states: someState, most: MOST_CHANGES, share: 1 },
      ),
  );

  it('has an exposure only if every order that the gateway takes has one', time, () =>
    forEachPair(({ plan, before, after }) => {
      if (exposuresOf(plan, false).length === 0) return;
      expect(hasSafeWay(withoutExtra(plan.changes), before, after)).toBe(false);
    }),
  );

  it('reports every exposure of orders at random, also where there are too many to look at each', time, () =>
    forEachPair(
      ({ plan, before, after }, choices) => {
        const gapsAt = makeGapFinder(before, after);
        const reported = new Set(exposuresOf(plan, false));
        for (let round = 0; round < 5; round += 1) {
          let state = before;
          for (const change of someOrderOf(plan.changes, choices)) {
            state = applyChange(state, change);
            expect(gapsAt(state).filter((gap) => !reported.has(gap))).toEqual([]);
          }
        }
      },
      { states: largeState, most: Infinity, share: 1 / 10 },
    ),
  );

  it('is what it says when it is applied from a file', time, () =>
    forEachPair(({ plan, before }) => {
      const { changes, relies } = bindPlan(plan, kinds);
      expect(findMisstatements({ changes, relies }, new Set(), before, kinds)).toEqual([]);
    }),
  );

  it('is undone without an exposure where any order can', time, () =>
    forEachPair(({ plan, before, after }) => {
      const { changes } = makeUndo(plan.changes, kinds, (drafts) => orderSafely(drafts, after, kinds));
      const { exposures } = assessChanges(after, changes, kinds);
      if (exposures.every(({ lasting }) => lasting)) return;
      expect(hasSafeWay(changes, after, before)).toBe(false);
    }),
  );

  it('is undone without an exposure where any order can, wherever its run stopped', time, () =>
    forEachPair(
      ({ plan, before, after }, choices) => {
        const undo = makeUndo(plan.changes, kinds, (drafts) => orderSafely(drafts, after, kinds));
        const made = [...someOrderOf(plan.changes, choices)];
        const live = made.slice(0, Number(choices.next().value) % made.length).reduce(applyChange, before);
        const inOrder = orderLeft(withoutHalves(undo.changes, live, kinds), live, kinds, (step) => step);
        const changes = withoutTaken(inOrder, live, kinds);
        expect([...changes.reduce(applyChange, live).keys()].sort()).toEqual([...before.keys()].sort());
        const { exposures } = assessChanges(live, changes, kinds);
        if (exposures.every(({ lasting }) => lasting)) return;
        expect(hasSafeWay(withoutExtra(changes), live, before)).toBe(false);
      },
      { states: someState, most: MOST_CHANGES, share: 2 },
    ),
  );

  it('reports what is lost for good, and whose interceptors change', time, () =>
    forEachPair(({ plan, before, after }) => {
      const clients = clientsOf(before, after);
      expect(exposuresOf(plan, true)).toEqual(lossesOf(before, after));
      const changed = clients.flatMap((client) => {
        const [was, is] = [before, after].map((state) => protectionOf(client, state).chain.join());
        return was === is ? [] : [printClient(client, `${was ?? ''} > ${is ?? ''}`)];
      });
      const effects = (plan.effects ?? []).flatMap((effect) => {
        const [was, is] = [effect.before, effect.after].map((chain) =>
          chain.map(({ address }) => address).join(),
        );
        return was === is ? [] : [printClient(toClient(effect), `${was ?? ''} > ${is ?? ''}`)];
      });
      expect(effects.sort()).toEqual(changed.sort());
    }),
  );
});

function* endless(): Generator<number> {
  for (let at = 0; ; at += 1) yield at;
}

type Pair = { readonly plan: Plan; readonly before: State; readonly after: State };

function forEachPair(
  check: (pair: Pair, choices: Iterator<number>) => void,
  { states, most, share } = { states: someState, most: MOST_CHANGES, share: 1 / 4 },
): void {
  fc.assert(
    fc.property(states, states, fc.infiniteStream(fc.nat()), (there, wanted, choices) => {
      const files = [{ path: 'state.yaml', text: written(wanted), named: true }];
      const { value: desired, problems } = load(files, catalog, NO_VARIABLES);
      expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
      const before = stateOf(there);
      const live = { resources: before, unavailable: new Map() };
      const { plan, world } = planChanges(desired, live, kinds, { gateway: 'http://gateway', prune: ['*'] });
      if (world.cycles.length > 0 || plan.changes.length > most) return;
      check({ plan, before, after: plan.changes.reduce(applyChange, before) }, choices);
    }),
    {
      ...runs,
      numRuns: Math.ceil(runs.numRuns * share), // each has many orders
      examples: [emptyInBetween, goesBeforeItsAccount, swappedNames].map((one) => [
        ...one,
        fc.stream(endless()),
      ]),
    },
  );
}

/** Whether the changes have an order in which no reference dangles, nobody lacks protection, and nothing is `wrong`. */
function hasSafeWay(
  changes: readonly Change[],
  before: State,
  after: State,
  wrong: (state: State) => readonly string[] = () => [],
): boolean {
  const gapsAt = makeGapFinder(before, after);
  const seen = new Set<number>([0]);
  for (const mask of seen) {
    const state = changes.reduce(
      (made, change, at) => ((mask >> at) & 1 ? applyChange(made, change) : made),
      before,
    );
    for (const [at, change] of changes.entries()) {
      const next = mask | (1 << at);
      const step = changes.findIndex((one) => one.address === change.address);
      if (seen.has(next) || (step < at && ((mask >> step) & 1) === 0)) continue;
      const made = applyChange(state, change);
      if (isTaken(made) && gapsAt(made).length === 0 && wrong(made).length === 0) seen.add(next);
    }
  }
  return seen.has(2 ** changes.length - 1);
}

/** Without the extra steps that are made for protection alone. */
function withoutExtra(changes: readonly Change[]): readonly Change[] {
  return changes.filter((change) => !('step' in change) || change.step === 'release');
}

function isTaken(state: State): boolean {
  const names = [...state.values()].flatMap(({ kind, spec }) =>
    kind === 'GatewayServiceAccount' && isList(spec['externalNames']) ? spec['externalNames'] : [],
  );
  if (new Set(names).size < names.length) return false;
  return [...state].every(([address, resource]) =>
    referencesOf(resource, kindOf(kindNameOf(address))).every(
      ({ to }) => state.has(to) || to === 'VirtualCluster/passthrough',
    ),
  );
}

/** What clients lack in a state, of what they have before and after. */
function makeGapFinder(before: State, after: State): (state: State) => readonly string[] {
  const kept = clientsOf(before, after).map((client) => {
    const is = protectionOf(client, after).sorts;
    return { client, sorts: [...protectionOf(client, before).sorts].filter((sort) => is.has(sort)) };
  });
  return (state) =>
    kept.flatMap(({ client, sorts }) => {
      if (sorts.length === 0) return [];
      const now = protectionOf(client, state).sorts;
      return sorts.filter((sort) => !now.has(sort)).map((sort) => printClient(client, sort));
    });
}

function exposuresOf({ exposures = [] }: Plan, lasting: boolean): readonly string[] {
  const found = exposures.filter((one) => one.lasting === lasting);
  return [...new Set(found.map((one) => printClient(toClient(one), one.protection)))].sort();
}

function stateOf(resources: readonly Resource[]): ReadonlyMap<Address, Resource> {
  return new Map(resources.map((one) => [identify(kindOf(one.kind), one), one]));
}
