import { expect, test } from 'vitest';
import {
  effectiveChain,
  explainEffectiveChain,
  chainsOf,
  makeEffectiveState,
} from '../../src/effective/effective-state.ts';
import { listExternalPrincipals, listPrincipals } from '../../src/effective/principals.ts';
import { makeProtection } from '../../src/effective/protection.ts';
import { identify } from '../../src/model/identity.ts';
import { type Address, type Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { resource } from '../support/kinds.ts';
import { workingConfig } from '../support/resources.ts';

const PREFIX = 'io.conduktor.gateway.interceptor.';
const { kinds } = catalog;

test('a principal gets of each name the most specific interceptors, by priority', () => {
  const state = stateOf(
    interceptor('mask', { vCluster: 'prod' }, 30),
    interceptor('mask', { vCluster: 'prod', group: 'apps' }, 20),
    interceptor('audit', { vCluster: null }, 10, 'AuditPlugin'),
    interceptor('other', { vCluster: 'test' }, 5),
    account('bob', 'prod'),
    group('apps', ['bob'], 'prod'),
  );
  const [bob] = listPrincipals(state).filter(({ username }) => username === 'bob');
  expect(bob).toEqual({ virtualCluster: 'prod', username: 'bob', groups: ['apps'] });
  if (bob === undefined) return;
  expect(effectiveChain(state, bob).map(({ address }) => address)).toEqual([
    'Interceptor/audit@global',
    'Interceptor/mask@vCluster=prod,group=apps',
  ]);
  const [, mask] = explainEffectiveChain(state, bob);
  expect(mask?.overrides.map(({ address }) => address)).toEqual(['Interceptor/mask@vCluster=prod']);
  expect(chainsOf(state)(bob)).toEqual(explainEffectiveChain(state, bob));
});

test('principals are accounts, members, users of scopes, and all other clients in each virtual cluster', () => {
  const state = stateOf(
    account('bob', 'prod'),
    group('apps', ['eve'], 'prod', ['ldap-apps']),
    interceptor('mask', { vCluster: 'prod', username: 'kim' }, 1),
    interceptor('mask', { vCluster: 'prod', group: 'apps' }, 1),
  );
  const shown = listPrincipals(state).map(
    ({ virtualCluster, username }) => `${virtualCluster}/${username ?? '*'}`,
  );
  expect(shown).toEqual(['passthrough/*', 'prod/bob', 'prod/eve', 'prod/kim', 'prod/*']);
  expect(listExternalPrincipals(state)).toEqual([
    { virtualCluster: 'prod', username: null, groups: ['apps'], externalGroup: 'ldap-apps' },
  ]);
});

test('a state that was changed step by step is as one that was made anew', () => {
  const [one, other] = [
    interceptor('mask', { vCluster: 'prod', group: 'apps' }, 1),
    group('apps', ['bob'], 'prod'),
  ];
  const changed = stateOf(one, other, account('bob', 'prod'));
  for (const resource of [one, other]) changed.delete(addressOf(resource));
  const bob = { virtualCluster: 'prod', username: 'bob', groups: ['apps'] };
  expect(listPrincipals(changed)).toEqual(listPrincipals(stateOf(account('bob', 'prod'))));
  expect(effectiveChain(changed, bob)).toEqual([]);
});

test('protection comes from the catalogue and from rules for classes and addresses', () => {
  const state = stateOf(
    interceptor('mask', { vCluster: 'prod' }, 1),
    interceptor('own', { vCluster: 'prod' }, 2, 'Own'),
  );
  const protectionOf = makeProtection({ pci: ['Interceptor/mask@*'], quality: ['Own'] });
  const chain = effectiveChain(state, { virtualCluster: 'prod', username: null, groups: [] });
  expect(chain.map(protectionOf)).toEqual([['masking', 'pci'], ['quality']]);
});

function stateOf(...resources: readonly Resource[]) {
  return makeEffectiveState(
    resources.map((one) => [addressOf(one), one] as const),
    kinds,
  );
}

function addressOf(resource: Resource): Address {
  const kind = kinds.get(resource.kind);
  if (kind === undefined) throw new Error(`no kind ${resource.kind}`);
  return identify(kind, resource);
}

function interceptor(
  name: string,
  scope: { readonly [axis: string]: string | null },
  priority: number,
  pluginClass = 'FieldLevelDataMaskingPlugin',
): Resource {
  return resource(
    'Interceptor',
    { name, scope },
    { pluginClass: PREFIX + pluginClass, priority, config: workingConfig(PREFIX + pluginClass) },
  );
}

function account(name: string, vCluster: string): Resource {
  return resource('GatewayServiceAccount', { name, vCluster }, { type: 'LOCAL' });
}

function group(
  name: string,
  members: readonly string[],
  vCluster: string,
  externalGroups: readonly string[] = [],
): Resource {
  const spec = { members: members.map((member) => ({ name: member, vCluster })), externalGroups };
  return resource('GatewayGroup', { name }, spec);
}
