import type { Principal } from '../../src/model/principal.ts';
import fc from '../support/fast-check.ts';
import { expect, it } from 'vitest';
import {
  explainEffectiveChain,
  makeEffectiveState,
  type EffectiveState,
} from '../../src/effective/effective-state.ts';
import { findUncovered, inspectInterceptors } from '../../src/effective/find-uncovered.ts';
import { narrowChains, makeTopicCoverage } from '../../src/effective/topics.ts';
import { listExternalPrincipals, listPrincipals } from '../../src/effective/principals.ts';
import { identify } from '../../src/model/identity.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { kindOf, resource } from '../support/kinds.ts';

const PREFIX = 'io.conduktor.gateway.interceptor.';
const coverage = makeTopicCoverage(catalog.kinds);
const options = {
  earlyOf: () => new Map(),
  ...coverage,
  isProtective: ({ protects }: { protects: readonly string[] }) => protects.length > 0,
};

function stateOf(resources: readonly Resource[]): EffectiveState {
  return makeEffectiveState(
    resources.map((one) => [identify(kindOf(one.kind), one), one] as const),
    catalog.kinds,
  );
}

function interceptor(
  name: string,
  scope: JsonObject,
  priority: number,
  config: JsonObject,
  title = 'EncryptPlugin',
) {
  return resource('Interceptor', { name, scope }, { pluginClass: PREFIX + title, priority, config });
}

function chainsIn(state: EffectiveState, principals: readonly Principal[] = listPrincipals(state)) {
  return principals.map((principal) => ({ principal, chain: explainEffectiveChain(state, principal) }));
}

const GROUPS = [
  resource('GatewayGroup', { name: 'g' }, { members: [{ name: 'bob', vCluster: 'prod' }] }),
  resource('GatewayGroup', { name: 'h' }, { members: [], externalGroups: ['ldap'] }),
];
const SCOPES = [
  { vCluster: null, group: null, username: null },
  { vCluster: 'passthrough' },
  { vCluster: 'prod' },
  { vCluster: 'prod', username: 'ann' },
  { vCluster: 'prod', group: 'g' },
  { vCluster: 'prod', group: 'h' },
];
const TOPICS = ['orders', 'refunds', 'payments'];
const interceptors = fc.array(
  fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    scope: fc.constantFrom(...SCOPES),
    priority: fc.integer({ min: 1, max: 4 }),
    config: fc.constantFrom<JsonObject>(
      {},
      { topic: 'orders|refunds' },
      { topic: 'pay.*' },
      { topic: 'o++', username: 'ann' },
      { topic: 'orders', username: 'ann|bob' },
      { username: 'a.*', vcluster: 'prod' },
    ),
    title: fc.constantFrom(
      'EncryptPlugin',
      'AuditPlugin',
      'safeguard.LimitConnectionPolicyPlugin',
      'DecryptPlugin',
      'Own',
    ),
  }),
  { maxLength: 8 },
);
const states = interceptors.map((all) =>
  [...GROUPS, ...new Map(all.map((one) => [JSON.stringify([one.name, one.scope]), one])).values()].map(
    (one) => ('kind' in one ? one : interceptor(one.name, one.scope, one.priority, one.config, one.title)),
  ),
);

it('topics without protection are those that no protective interceptor of a chain acts on', () => {
  fc.assert(
    fc.property(states, (resources) => {
      const state = stateOf(resources);
      const chains = chainsIn(state);
      const found = findUncovered(chains, () => TOPICS, options).flatMap(({ topics, principals }) =>
        principals.flatMap((principal) =>
          topics.map(({ topic, uncertain }) => [principal, topic, [...uncertain]] as const),
        ),
      );
      const expected = chains.flatMap(({ principal, chain }) =>
        TOPICS.flatMap((topic) => {
          const judged = chain
            .filter(({ one }) => one.protects.length > 0 && coverage.namesTopics(one))
            .map(({ one }) => [one.address, coverage.coverageOf(one, topic, principal).covers] as const);
          const isCovered = judged.some(([, covers]) => covers === 'yes');
          const uncertain = judged.flatMap(([address, covers]) => (covers === 'unknown' ? [address] : []));
          return isCovered ? [] : [[principal, topic, uncertain] as const];
        }),
      );
      expect(sorted(found)).toEqual(sorted(expected));
    }),
    { numRuns: 200 },
  );
});

it('a chain for a topic has what acts on it, and what may', () => {
  fc.assert(
    fc.property(states, fc.constantFrom(...TOPICS), (resources, topic) => {
      const state = stateOf(resources);
      const chains = chainsIn(state);
      const narrowed = narrowChains(chains, topic, coverage);
      for (const [at, { principal, chain }] of chains.entries()) {
        const expected = chain
          .map((link) => ({ ...link, coverage: coverage.coverageOf(link.one, topic, principal) }))
          .filter((link) => link.coverage.covers !== 'no');
        expect(narrowed[at]).toEqual({ principal, chain: expected });
      }
    }),
    { numRuns: 100 },
  );
});

it('interceptors that never run, and those of equal priority, are found', () => {
  fc.assert(
    fc.property(states, (resources) => {
      const state = stateOf(resources);
      const chains = chainsIn(state, [...listPrincipals(state), ...listExternalPrincipals(state)]).map(
        ({ chain }) => chain,
      );
      const findings = new Map(inspectInterceptors(state).map(({ address, ...rest }) => [address, rest]));
      for (const { address, priority } of state.links()) {
        const mine = chains.filter((chain) => chain.some(({ one }) => one.address === address));
        const above = chains
          .flat()
          .filter(({ overrides }) => overrides.some((one) => one.address === address));
        const isTied = mine.some((chain) => {
          const before = chain[chain.findIndex(({ one }) => one.address === address) - 1];
          return before?.one.priority === priority;
        });
        const expected =
          mine.length === 0 ? (above.length === 0 ? 'unmatched' : 'overridden') : isTied ? 'tied' : undefined;
        expect(findings.get(address)?.finding).toBe(expected);
        if (expected === 'overridden')
          expect(findings.get(address)?.by).toEqual([...new Set(above.map(({ one }) => one.address))].sort());
      }
    }),
    { numRuns: 200 },
  );
});

it('a protective class that gwconf does not know leaves topics uncertain', () => {
  const state = stateOf([interceptor('own', { vCluster: 'prod' }, 1, {}, 'Own')]);
  const found = findUncovered(chainsIn(state), () => ['orders'], { ...options, isProtective: () => true });
  expect(
    found.map(({ topics, principals }) => [principals.map((one) => one.virtualCluster), topics]),
  ).toEqual([
    [['passthrough'], [{ topic: 'orders', uncertain: [] }]],
    [['prod'], [{ topic: 'orders', uncertain: ['Interceptor/own@vCluster=prod'] }]],
  ]);
});

it('topics are judged once for principals with the same chain', () => {
  const members = Array.from({ length: 500 }, (_, at) => ({ name: `user-${at}`, vCluster: 'prod' }));
  const state = stateOf([
    resource('GatewayGroup', { name: 'g' }, { members }),
    interceptor('one', { vCluster: 'prod' }, 1, { topic: 'a.*' }),
  ]);
  let judged = 0;
  const counting = {
    ...options,
    coverageOf: (...args: Parameters<typeof coverage.coverageOf>) => {
      judged += 1;
      return coverage.coverageOf(...args);
    },
  };
  const chain = explainEffectiveChain(state, { virtualCluster: 'prod', username: null, groups: [] });
  const chains = listPrincipals(state).map((principal) => ({ principal, chain }));
  expect(findUncovered(chains, () => TOPICS, counting)[0]?.principals.length).toBe(502);
  expect(judged).toBeLessThanOrEqual(2 * TOPICS.length);
});

function sorted(rows: readonly unknown[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
