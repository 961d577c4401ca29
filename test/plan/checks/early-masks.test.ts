import { expect, it } from 'vitest';
import fc from '../../support/fast-check.ts';
import { checkEarlyMasks } from '../../../src/plan/checks/early-masks.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { stateOf } from '../../support/expect-problems.ts';
import { expectLinear } from '../../support/growth.ts';

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
const encrypt = (
  { topic = 'cards', fields = ['number'], scope = {} }: About = {},
  name = 'encrypt',
): string =>
  interceptor(name, 'EncryptPlugin', 10, scope, {
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
const decrypt = (
  { topic = 'cards', fields, scope = {} }: About = {},
  name = 'decrypt',
  priority = 30,
): string =>
  interceptor(name, 'DecryptPlugin', priority, scope, {
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
  [
    'has a hidden field, whatever it is',
    [encrypt({ fields: ['cards'] }), mask(20, { fields: ['${T}'] }), decrypt()],
  ],
  ['has nothing decrypted after it', [encrypt(), mask(20)]],
])('a mask is not told that %s', (_, documents) => {
  expect(told(...documents)).toEqual([]);
});

type Part = {
  readonly priority: number;
  readonly topics: readonly string[];
  readonly fields: readonly string[];
};

const part = (least: number): fc.Arbitrary<Part> =>
  fc.record({
    priority: fc.integer({ min: 1, max: 5 }),
    topics: fc.subarray(['cards', 'orders', 'refunds'], { minLength: 1 }),
    fields: fc.subarray(['number', 'owner'], { minLength: least }),
  });

it('a mask is told if and only if some field of some topic is in clear after it, and no other one masks that', () => {
  const parts = fc.record({
    encrypting: fc.array(part(1), { maxLength: 2 }),
    decrypting: fc.array(part(0), { maxLength: 2 }), // without fields it decrypts all
    masks: fc.array(part(1), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(parts, ({ encrypting, decrypting, masks }) => {
      const topicOf = ({ topics }: Part): string => topics.join('|');
      const documents = [
        ...encrypting.map((one, at) => encrypt({ ...one, topic: topicOf(one) }, `encrypt-${at}`)),
        ...decrypting.map(({ fields, ...one }, at) =>
          decrypt(
            { topic: topicOf({ ...one, fields }), ...(fields.length > 0 && { fields }) },
            `decrypt-${at}`,
            one.priority,
          ),
        ),
        ...masks.map((one, at) => mask(one.priority, { ...one, topic: topicOf(one) }, `mask-${at}`)),
      ];
      const covers = ({ topics, fields }: Part, topic: string, field: string): boolean =>
        topics.includes(topic) && fields.includes(field);
      const all = (one: Part): Part =>
        one.fields.length > 0 ? one : { ...one, fields: ['number', 'owner'] };
      const isShown = (own: Part, topic: string, field: string): boolean => {
        const lifting = decrypting.filter((one) => covers(all(one), topic, field));
        const [first, last] = [Math.min, Math.max].map((of) =>
          of(...lifting.map(({ priority }) => priority)),
        );
        return (
          covers(own, topic, field) &&
          own.priority < (last ?? 0) &&
          encrypting.some((one) => covers(one, topic, field)) &&
          !masks.some((one) => covers(one, topic, field) && one.priority > (first ?? 0))
        );
      };
      const expected = masks.flatMap((own, at) =>
        own.topics.some((topic) => own.fields.some((field) => isShown(own, topic, field)))
          ? [`mask-${at}`]
          : [],
      );
      const found = told(...documents).map((one) => /mask-\d/.exec(one)?.[0]);
      expect(found.sort()).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});

it('lists of many topics are compared in linear time', async () => {
  await expectLinear((size) => {
    const topic = Array.from({ length: size }, (_, at) => `topic-${at}`).join('|');
    expect(told(encrypt({ topic }), mask(20, { topic }), decrypt({ topic }))).toHaveLength(1);
  });
});
