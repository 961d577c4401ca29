import { expect, it } from 'vitest';
import type { Json } from '../../../src/model/json/json.ts';
import { normalForm, normalisationsOf } from '../../../src/model/normal/normal-form.ts';
import { kindOf, resource } from '../../support/kinds.ts';

const found = (kind: string, metadata: Json, spec: Json): readonly string[] =>
  normalisationsOf(kindOf(kind), resource(kind, metadata, spec))
    .map(({ reason, path }) => `${reason} ${path}`)
    .sort();

it.each<[string, readonly string[], readonly string[]]>([
  [
    'a default that is filled in',
    found('AliasTopic', { name: 'a', vCluster: 'v' }, { physicalName: 't' }),
    ['default /spec/physicalCluster'],
  ],
  [
    'null for a field that is not there, and then its default',
    found('AliasTopic', { name: 'a', vCluster: 'v' }, { physicalName: 't', physicalCluster: null }),
    ['default /spec/physicalCluster', 'null /spec/physicalCluster'],
  ],
  [
    'a field that gwconf does not know',
    found('AliasTopic', { name: 'a', vCluster: 'v' }, { physicalName: 't', physicalCluster: 'm', age: 3 }),
    ['unknown-field /spec/age'],
  ],
  [
    'the order of a set, once for the set',
    found('GatewayGroup', { name: 'g' }, { members: [], externalGroups: ['b', 'a', 'c'] }),
    ['order /spec/externalGroups'],
  ],
  [
    'a default inside of a list, for each item',
    found('GatewayGroup', { name: 'g' }, { members: [{ name: 'a' }, { name: 'b' }], externalGroups: [] }),
    ['default /spec/members/0/vCluster', 'default /spec/members/1/vCluster'],
  ],
  [
    'case, what the gateway owns, and a spelling of the same',
    [
      ...found('GatewayServiceAccount', { name: 'a', vCluster: 'v' }, { type: 'local', externalNames: [] }),
      ...found(
        'VirtualCluster',
        { name: 'v' },
        { bootstrapServers: 'h:1', aclEnabled: true, superUsers: ['a'], acls: [], type: 'Standard' },
      ),
    ],
    [
      'case /spec/type',
      'spelling /spec/externalNames',
      'server-managed /spec/bootstrapServers',
      'spelling /spec/aclMode',
    ],
  ],
])('names %s', (_, given, expected) => expect(given).toEqual(expected));

it('finds nothing in a normal form', () => {
  const kind = kindOf('Interceptor');
  expect(normalisationsOf(kind, normalForm(kind, kind.example))).toEqual([]);
});
