import fc from '../support/fast-check.ts';
import { expect, it } from 'vitest';
import { effectiveChain, EffectiveState } from '../../src/effective/effective-state.ts';
import { listPrincipals } from '../../src/effective/principals.ts';
import { memoryGateway } from '../../src/emulator/memory.ts';
import { GatewayError } from '../../src/gateway/gateway.ts';
import { identify } from '../../src/model/identity.ts';
import type { ChainLink } from '../../src/model/principal.ts';
import type { Address, Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { kindOf, resource } from '../support/kinds.ts';
import { orAll } from '../support/soak.ts';

const INTERCEPTOR = kindOf('Interceptor');

/** A write of a resource, or its removal. */
type Step = readonly [Resource, isThere: boolean];

const user = fc.constantFrom('ann', 'bob');
const team = fc.constantFrom('red', 'blue');
const scope = fc.oneof(
  fc.constant(undefined),
  fc.constant({ vCluster: null, group: null, username: null }),
  fc.record({ vCluster: fc.constantFrom('prod', 'passthrough') }),
  fc.record({ vCluster: fc.constant('prod'), group: team }),
  fc.record({ username: user }),
  fc.record({ vCluster: fc.constant('prod'), username: user }),
);
const interceptor = fc
  .record({ name: fc.constantFrom('mask', 'audit'), scope, priority: fc.integer({ min: 1, max: 3 }) })
  .map(({ name, scope: where, priority }) =>
    resource('Interceptor', where === undefined ? { name } : { name, scope: where }, {
      ...{ pluginClass: 'com.example.Own', priority, config: {} },
    }),
  );
const group = fc
  .record({ name: team, members: fc.uniqueArray(user) })
  .map(({ name, members }) =>
    resource('GatewayGroup', { name }, { members: members.map((one) => ({ name: one, vCluster: 'prod' })) }),
  );
const account = user.map((name) =>
  resource('GatewayServiceAccount', { name, vCluster: 'prod' }, { type: 'LOCAL' }),
);
const step: fc.Arbitrary<Step> = fc.tuple(
  fc.oneof({ weight: 4, arbitrary: interceptor }, { weight: 2, arbitrary: group }, account),
  fc.boolean(),
);

const START = [
  resource('VirtualCluster', { name: 'prod' }),
  ...['ann', 'bob'].map((name) =>
    resource('GatewayServiceAccount', { name, vCluster: 'prod' }, { type: 'LOCAL' }),
  ),
  ...['red', 'blue'].map((name) => resource('GatewayGroup', { name }, {})),
];

const GATEWAYS = orAll(10, 100);

// Each gateway has 100 states, with every principal in each of them.
it('the chain of a principal is what the gateway resolves, and what the rule says, in thousands of states', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 100, maxLength: 100 }), async (steps) => {
      const gateway = memoryGateway(catalog.kinds);
      const live = new Map<Address, Resource>();
      const state = new EffectiveState(catalog.kinds);
      const make = async ([one, isThere]: Step): Promise<void> => {
        const kind = kindOf(one.kind);
        const address = identify(kind, one);
        try {
          if (isThere) await gateway.put(kind, one);
          else await gateway.remove(kind, one);
        } catch (error) {
          if (error instanceof GatewayError) return; // a group or account that something refers to
          throw error;
        }
        if (isThere) state.put(address, one);
        else state.delete(address);
        if (isThere) live.set(address, one);
        else live.delete(address);
      };
      for (const one of START) await make([one, true]);
      for (const one of steps) {
        await make(one);
        const known = listPrincipals(state);
        const found: string[] = [];
        for (const principal of known) {
          const { virtualCluster: vCluster, username, groups } = principal;
          const named = username === null ? {} : { username };
          const resolved = await gateway.resolveInterceptors(INTERCEPTOR, { vCluster, groups, ...named });
          found.push(
            print(
              principal,
              resolved.map((answer) => identify(INTERCEPTOR, answer)),
            ),
            print(principal, addressesOf(effectiveChain(state, principal))),
          );
        }
        const expected = principalsOf(live).map((principal) => print(principal, ruleFor(principal, live)));
        // A matcher for each principal would take most of the time.
        if (found.sort().join() !== [...expected, ...expected].sort().join())
          expect([...new Set(found)]).toEqual(expected);
      }
    }),
    { numRuns: GATEWAYS },
  );
});

type Someone = {
  readonly virtualCluster: string;
  readonly username: string | null;
  readonly groups: readonly string[];
};

function print({ virtualCluster, username, groups }: Someone, chain: readonly Address[]): string {
  return JSON.stringify([virtualCluster, username, groups, chain]);
}

function addressesOf(chain: readonly ChainLink[]): readonly Address[] {
  return chain.map(({ address }) => address);
}

/** gateway-api B.4 once more, as naive as can be: who there is. */
function principalsOf(live: ReadonlyMap<Address, Resource>): readonly Someone[] {
  const users = new Set<string>();
  for (const { kind, metadata, spec } of live.values()) {
    const { name, vCluster, scope: where } = metadata as { name: string; vCluster?: string; scope?: Scope };
    if (kind === 'GatewayServiceAccount') users.add(JSON.stringify([vCluster, name]));
    if (kind === 'GatewayGroup') for (const one of membersOf(spec)) users.add(JSON.stringify(['prod', one]));
    if (typeof where?.username === 'string')
      users.add(JSON.stringify([where.vCluster ?? 'passthrough', where.username]));
  }
  const known = [...users].map((key) => JSON.parse(key) as [string, string]);
  return [
    ...['passthrough', 'prod'].map((virtualCluster) => ({ virtualCluster, username: null, groups: [] })),
    ...known.map(([virtualCluster, username]) => ({
      ...{ virtualCluster, username },
      groups: [...live.values()]
        .filter(
          ({ kind, spec }) =>
            kind === 'GatewayGroup' && virtualCluster === 'prod' && membersOf(spec).includes(username),
        )
        .map(({ metadata }) => metadata.name)
        .sort(),
    })),
  ];
}

type Scope = { vCluster?: string | null; group?: string | null; username?: string | null };

function membersOf(spec: Resource['spec']): readonly string[] {
  return ((spec['members'] ?? []) as readonly { name: string }[]).map(({ name }) => name);
}

/** The same of what runs for one of them; equal priorities by address. */
function ruleFor(
  { virtualCluster, username, groups }: Someone,
  live: ReadonlyMap<Address, Resource>,
): readonly Address[] {
  const candidates = [...live].flatMap(([address, { kind, metadata, spec }]) => {
    if (kind !== 'Interceptor') return [];
    const where = (metadata['scope'] ?? {}) as Scope;
    const vCluster = where.vCluster === undefined ? 'passthrough' : where.vCluster;
    const isFor =
      (vCluster === null || vCluster === virtualCluster) &&
      (where.group == null || groups.includes(where.group)) &&
      (where.username == null || where.username === username);
    if (!isFor) return [];
    const rank = where.username != null ? 3 : where.group != null ? 2 : vCluster !== null ? 1 : 0;
    return [{ address, name: metadata.name, rank, priority: Number(spec['priority']) }];
  });
  return candidates
    .filter(({ name, rank }) => !candidates.some((other) => other.name === name && other.rank > rank))
    .sort((one, other) => one.priority - other.priority || (one.address < other.address ? -1 : 1))
    .map(({ address }) => address);
}
