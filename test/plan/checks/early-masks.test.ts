import { expect, it } from 'vitest';
import { checkEarlyMasks } from '../../../src/plan/checks/early-masks.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { stateOf } from '../../support/expect-problems.ts';

type About = { readonly topic?: string; readonly fields?: readonly string[]; readonly scope?: object };

const interceptor = (
  name: string,
  pluginClass: string,
  priority: number,
  scope: object,
  config: object,
): string =>
  JSON.stringify({
    ...{ apiVersion: 'gateway/v2', kind: 'Interceptor' },
    metadata: { name, scope: { vCluster: 'passthrough', ...scope } },
    spec: { pluginClass: `io.conduktor.gateway.interceptor.${pluginClass}`, priority, config },
  });
const encrypt = ({ topic = 'cards', fields = ['number'], scope = {} }: About = {}): string =>
  interceptor('encrypt', 'EncryptPlugin', 10, scope, {
    topic,
    recordValue: { fields: fields.map((fieldName) => ({ fieldName, keySecretId: 'in-memory-kms://k' })) },
  });
const mask = (
  priority: number,
  { topic = 'cards', fields = ['number'], scope = {} }: About = {},
  name = 'mask',
): string =>
  interceptor(name, 'FieldLevelDataMaskingPlugin', priority, scope, {
    topic,
    policies: [{ name: 'p', rule: { type: 'MASK_ALL' }, fields }],
  });
const decrypt = ({ topic = 'cards', fields, scope = {} }: About = {}): string =>
  interceptor('decrypt', 'DecryptPlugin', 30, scope, {
    topic,
    ...(fields === undefined ? {} : { recordValueFields: fields }),
  });
const member = (name: string, group: string): string =>
  `{ apiVersion: gateway/v2, kind: GatewayGroup, metadata: { name: ${group} }, spec: { members: [{ name: ${name} }] } }`;
const account = (name: string): string =>
  `{ apiVersion: gateway/v2, kind: GatewayServiceAccount, metadata: { name: ${name} }, spec: { type: LOCAL } }`;

function told(...documents: readonly string[]): readonly string[] {
  const desired = stateOf(documents.join('\n---\n'), { variables: { T: 'cards' } });
  return Array.from(
    checkEarlyMasks({ desired, removals: [], rules: {}, kinds: catalog.kinds }),
    ({ message, hint }) => `${message}; ${hint}`,
  );
}

const EARLY = [
  'Interceptor/mask@vCluster=passthrough runs before Interceptor/decrypt@vCluster=passthrough, which decrypts what it masks; ' +
    'give it a priority above 30: what a mask does with an encrypted value is not documented',
];

it('a mask that runs before what it masks is decrypted is told, once, at its priority', () => {
  expect(told(encrypt(), mask(20), decrypt())).toEqual(EARLY);
  expect(told(encrypt(), mask(20), decrypt(), account('app'), account('web'))).toEqual(EARLY);
});

it.each<[string, readonly string[]]>([
  [
    'covers a topic of several, of which one is encrypted',
    [encrypt(), mask(20, { topic: 'c.*' }), decrypt()],
  ],
  [
    'is for what one client encrypts, and another one reads',
    [encrypt({ scope: { username: 'app' } }), mask(20), decrypt()],
  ],
  [
    'has another one after it for other topics only',
    [
      encrypt({ topic: 'cards|c' }),
      mask(20, { topic: 'cards|c' }),
      decrypt({ topic: 'cards|c' }),
      mask(40, { topic: 'c' }, 'late'),
    ],
  ],
])('so is one that %s', (_, documents) => {
  expect(told(...documents)).toEqual(EARLY);
});

it('so is one of a group, where a member of it has the decryption', () => {
  const scoped = [
    encrypt(),
    mask(20, { scope: { group: 'readers' } }),
    decrypt({ scope: { username: 'app' } }),
  ];
  expect(told(...scoped, account('app'), member('app', 'readers'))).toHaveLength(1);
  expect(told(...scoped, account('app'), account('web'), member('web', 'readers'))).toEqual([]);
});

it.each<[string, readonly string[]]>([
  ['runs after the decryption', [encrypt(), mask(40), decrypt()]],
  ['has another one after the decryption', [encrypt(), mask(20), decrypt(), mask(40, {}, 'late')]],
  [
    'has a wider one after it, for what is encrypted',
    [encrypt(), mask(20, { topic: '.*' }), decrypt(), mask(40, {}, 'late')],
  ],
  ['is for what nothing encrypts', [encrypt({ fields: ['owner'] }), mask(20), decrypt()]],
  ['is for what is not decrypted', [encrypt(), mask(20), decrypt({ fields: ['owner'] })]],
  ['is for another topic', [encrypt(), mask(20, { topic: 'orders' }), decrypt()]],
  [
    'is for other clients than the decryption',
    [encrypt(), mask(20, { scope: { username: 'app' } }), decrypt({ scope: { username: 'web' } })],
  ],
  [
    'is for other virtual clusters than the encryption',
    [encrypt({ scope: { vCluster: 'prod' } }), mask(20), decrypt()],
  ],
  ['has a hidden topic', [encrypt(), mask(20, { topic: '${T}' }), decrypt()]],
  ['has nothing decrypted after it', [encrypt(), mask(20)]],
])('a mask is not told that %s', (_, documents) => {
  expect(told(...documents)).toEqual([]);
});
