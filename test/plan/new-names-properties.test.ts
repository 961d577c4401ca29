import { expect, it } from 'vitest';
import { valueOf, type JsonObject } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import {
  applyChange,
  printClient,
  protectionOf,
  toClient,
  type Client,
  type State,
} from '../support/exposure-oracle.ts';
import fc from '../support/fast-check.ts';
import { resource } from '../support/kinds.ts';
import { mask, planned, PROD } from '../support/masks.ts';
import { liveStateOf } from '../support/plans.ts';
import { orAll } from '../support/soak.ts';

const TOPICS = ['a', 'b'];
const BOTH = ['before', 'after'] as const;
/** On which sides of a plan something is: most of it on both. */
const some = fc.constantFrom<(typeof BOTH)[number][]>([...BOTH], [...BOTH], ['before'], ['after'], []);
const someMask = fc.record({
  name: fc.constantFrom('m', 'n'),
  does: fc.constantFrom('mask', 'nothing'),
  scope: fc.constantFrom(PROD, { ...PROD, group: 'g' }, { ...PROD, username: 'bob' }),
  topic: fc.constantFrom('a', 'a|b', '.*'),
  sides: some,
});
/** Accounts and members of external groups come and go, and so do names of one topic and what masks it. */
const someStates = fc
  .record({
    masks: fc.uniqueArray(someMask, {
      maxLength: 4,
      selector: ({ name, scope }) => JSON.stringify([name, scope]),
    }),
    ...{ bob: some, eve: some, members: some, sales: some, a: some, b: some },
  })
  .map(({ masks, members, sales, ...sides }) =>
    BOTH.map((side): readonly Resource[] => {
      const accounts = (['bob', 'eve'] as const).filter((name) => sides[name].includes(side));
      const own = members.includes(side) ? accounts : [];
      return [
        ...accounts.map((name) => resource('GatewayServiceAccount', { name, ...PROD }, { type: 'LOCAL' })),
        resource(
          'GatewayGroup',
          { name: 'g' },
          {
            members: own.map((name) => ({ name, ...PROD })),
            externalGroups: sales.includes(side) ? ['sales'] : [],
          },
        ),
        ...(['a', 'b'] as const)
          .filter((name) => sides[name].includes(side))
          .map((name) => resource('AliasTopic', { name, vCluster: 'prod' }, { physicalName: 'raw' })),
        ...masks
          .filter((one) => one.sides.includes(side))
          .map(({ name, does, scope, topic }) => {
            const one = mask(name, topic, ['card'], scope);
            const spec = { ...one.spec, pluginClass: 'com.example.Own', config: {} };
            return does === 'mask' ? one : { ...one, spec };
          }),
      ];
    }),
  );

/** Whether a client reads the topic in clear by one of its names. */
function isClear(client: Client, state: State): boolean {
  const masked = protectionOf(client, state).chain.flatMap((address) => {
    const { topic } = (state.get(address as never) as Resource).spec['config'] as JsonObject;
    return typeof topic === 'string' ? [new RegExp(`^(?:${topic})$`)] : [];
  });
  return namesIn(state).some((name) => !masked.some((pattern) => pattern.test(name)));
}

function namesIn(state: State): readonly string[] {
  return TOPICS.filter((name) => state.has(`AliasTopic/${name}@vCluster=prod` as never));
}

function accountsIn(state: State): readonly string[] {
  return [...state.values()].flatMap(({ kind, metadata }) =>
    kind === 'GatewayServiceAccount' ? [metadata.name] : [],
  );
}

/** Also where only the scope of an interceptor names the user. */
function isThere(username: string, state: State): boolean {
  const isNamed = ({ metadata }: Resource): boolean => valueOf(metadata['scope'], 'username') === username;
  return accountsIn(state).includes(username) || [...state.values()].some(isNamed);
}

it('whoever reads a topic in clear after a plan, and did not before, is told of, also who comes with it', () => {
  let lost = 0;
  const clusters = [resource('VirtualCluster', { name: 'prod' }, {})];
  fc.assert(
    fc.property(someStates, ([live = [], wanted = []]) => {
      const { plan } = planned(live, wanted, {}, clusters);
      const before: State = liveStateOf([...clusters, ...live]).resources;
      const after = plan.changes.reduce(applyChange, before);
      const told = new Set(
        [
          ...(plan.weakenings ?? []).filter(({ until }) => until === undefined),
          ...(plan.exposures ?? []).filter(({ lasting }) => lasting),
        ].map((one) => printClient(toClient(one), one.protection)),
      );
      const isTold = (client: Client): boolean => told.has(printClient(client, 'masking'));
      const others: Client = { vCluster: 'prod', username: null, external: null };
      const accounts = accountsIn(after).map((username): Client => ({ ...others, username }));
      for (const client of [others, { ...others, external: 'sales' }, ...accounts]) {
        const comes = client.username !== null && !isThere(client.username, before);
        // An account that comes counts as if it had been there, in the groups that it is in then.
        const [, group] = [...after].find(([, { kind }]) => kind === 'GatewayGroup') as [never, Resource];
        const was: State = comes ? new Map([...before, ['GatewayGroup/g' as never, group]]) : before;
        if (namesIn(before).length === 0 || isClear(client, was) || !isClear(client, after)) continue;
        lost += 1;
        // Members of an external group that are always like all other clients are not told of alone.
        const isLikeOthers = client.external !== null && isTold(others);
        expect(isTold(client) || isLikeOthers, printClient(client, 'masking')).toBe(true);
      }
    }),
    { numRuns: orAll(150, 5_000) },
  );
  expect(lost).toBeGreaterThan(0);
});
