import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Resource } from '../../src/model/resource.ts';
import { identify } from '../../src/model/identity.ts';
import type { Change } from '../../src/plan/change/change.ts';
import type { Plan } from '../../src/plan/change/plan.ts';
import { assessChanges } from '../../src/plan/exposure/assess.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import {
  applyChange,
  clientsOf,
  printClient,
  protectionOf,
  reachableStates,
  toClient,
  type Client,
  type State,
} from '../support/exposure-oracle.ts';
import fc from '../support/fast-check.ts';
import { kindOf, resource } from '../support/kinds.ts';
import { group, mask, planned, PROD, WORLD } from '../support/masks.ts';
import { liveStateOf } from '../support/plans.ts';
import { orAll } from '../support/soak.ts';

// What clients could get in clear between two calls although no interceptor that protects goes.

const IN_GROUP = { ...PROD, group: 'g' };
const OF_BOB = { ...PROD, username: 'bob' };
const CLASSES = 'io.conduktor.gateway.interceptor.';

const OPEN = resource('VirtualCluster', { name: 'open' }, {});
const alias = (name: string, physicalName = 'raw', vCluster = 'prod'): Resource =>
  resource('AliasTopic', { name, vCluster }, { physicalName });
const interceptor = (
  name: string,
  pluginClass: string,
  { priority, ...config }: JsonObject & { readonly priority: number },
  scope: JsonObject,
): Resource =>
  resource('Interceptor', { name, scope }, { pluginClass: CLASSES + pluginClass, priority, config });
const encryption = (topic: string, fields: readonly string[] = ['card']): Resource =>
  interceptor(
    'enc',
    'EncryptPlugin',
    {
      priority: 1,
      topic,
      kmsConfig: {},
      recordValue: {
        fields: fields.map((fieldName) => ({ fieldName, keySecretId: 'in-memory-kms://k' })),
      },
    },
    PROD,
  );
const decryption = (name: string, topic: string, scope: JsonObject = PROD, priority = 5): Resource =>
  interceptor(name, 'DecryptPlugin', { priority, topic, kmsConfig: {} }, scope);
/** Overrides another one of its name, and does nothing. */
const off = (name: string, scope: JsonObject): Resource =>
  interceptor(name, 'ClientIdRequiredPolicyPlugin', { priority: 5 }, scope);
const late = (name: string, priority: number, topic = 'a'): Resource => {
  const one = mask(name, topic, ['card']);
  return { ...one, spec: { ...one.spec, priority } };
};
const weak = (name: string, topic: string): Resource =>
  interceptor(
    name,
    'FieldLevelDataMaskingPlugin',
    {
      ...{ priority: 10, topic },
      policies: [{ name: 'p', rule: { type: 'MASK_FIRST_N', numberOfChars: 4 }, fields: ['card'] }],
    },
    PROD,
  );

describe('a name that a topic gets', () => {
  it.each<[string, readonly Resource[], readonly Resource[], readonly string[]]>([
    [
      'an alias topic',
      [alias('a'), mask('m', 'a', ['card'])],
      [alias('a'), alias('b'), mask('m', 'a|b', ['card'])],
      ['update Interceptor/m@vCluster=prod', 'create AliasTopic/b@vCluster=prod'],
    ],
    [
      'one that leads to another topic',
      [alias('a'), alias('b', 'other'), mask('m', 'a', ['card'])],
      [alias('a'), alias('b'), mask('m', 'a|b', ['card'])],
      ['update Interceptor/m@vCluster=prod', 'update AliasTopic/b@vCluster=prod'],
    ],
    [
      'one for clients of another virtual cluster, with a mask of their own',
      [OPEN, alias('a'), mask('m', 'a', ['card'])],
      [
        OPEN,
        alias('a'),
        mask('m', 'a', ['card']),
        alias('b', 'raw', 'open'),
        mask('m', 'b', ['card'], { vCluster: 'open' }),
      ],
      ['create Interceptor/m@vCluster=open', 'create AliasTopic/b@vCluster=open'],
    ],
    [
      'one for clients of a new virtual cluster, whom nobody names',
      [alias('a'), mask('m', 'a', ['card'])],
      [
        OPEN,
        alias('a'),
        mask('m', 'a', ['card']),
        alias('b', 'raw', 'open'),
        mask('m', 'b', ['card'], { vCluster: 'open' }),
      ],
      [
        'create VirtualCluster/open',
        'create Interceptor/m@vCluster=open',
        'create AliasTopic/b@vCluster=open',
      ],
    ],
    [
      'the first one, with a mask that is new, too',
      [],
      [alias('a'), mask('m', '.*', ['card']), mask('n', 'a', ['iban'])],
      [
        'create Interceptor/m@vCluster=prod',
        'create Interceptor/n@vCluster=prod',
        'create AliasTopic/a@vCluster=prod',
      ],
    ],
    [
      'the first one in a new virtual cluster, where nothing ran at all',
      [],
      [OPEN, alias('b', 'raw', 'open'), mask('m', 'b', ['card'], { vCluster: 'open' })],
      [
        'create VirtualCluster/open',
        'create Interceptor/m@vCluster=open',
        'create AliasTopic/b@vCluster=open',
      ],
    ],
    [
      'the first one, by which nobody decrypts it from then on',
      [encryption('.*'), alias('a', 'other'), decryption('d', 'a')],
      [encryption('.*'), alias('a')],
      ['delete Interceptor/d@vCluster=prod', 'update AliasTopic/a@vCluster=prod'],
    ],
    [
      'a virtual topic',
      [],
      [
        interceptor(
          'a',
          'VirtualSqlTopicPlugin',
          { priority: 1, virtualTopic: 'v', statement: 'SELECT * FROM raw' },
          PROD,
        ),
        mask('m', 'v', ['card']),
      ],
      ['create Interceptor/m@vCluster=prod', 'create Interceptor/a@vCluster=prod'],
    ],
    [
      'the first one, while another mask for it stays',
      [mask('m', '.*', ['card'])],
      [mask('m', '.*', ['card']), alias('a'), mask('n', 'a', ['card'])],
      ['create AliasTopic/a@vCluster=prod', 'create Interceptor/n@vCluster=prod'],
    ],
    [
      'two at once, with a mask for both',
      [alias('a'), mask('m', 'a', ['card'])],
      [alias('a'), alias('b'), alias('c'), mask('m', 'a|b|c', ['card'])],
      [
        'update Interceptor/m@vCluster=prod',
        'create AliasTopic/b@vCluster=prod',
        'create AliasTopic/c@vCluster=prod',
      ],
    ],
    [
      'one that is not decrypted any more',
      [alias('a'), encryption('a|b'), decryption('d', 'b')],
      [alias('a'), encryption('a|b'), alias('b')],
      ['delete Interceptor/d@vCluster=prod', 'create AliasTopic/b@vCluster=prod'],
    ],
    [
      'what is written by it is encrypted',
      [alias('a'), encryption('a')],
      [alias('a'), alias('b'), encryption('a|b')],
      ['update Interceptor/enc@vCluster=prod', 'create AliasTopic/b@vCluster=prod'],
    ],
  ])('waits for what protects it: %s', (_, before, after, order) => {
    const { order: found, told } = planned(before, after);
    expect({ order: found, told }).toEqual({ order, told: [] });
  });
});

it.each<[string, readonly Resource[], Resource, JsonObject]>([
  ['what protects writes', [], encryption('v'), PROD],
  ['what is for others', [group()], mask('m', 'v', ['card'], OF_BOB), IN_GROUP],
])('a virtual topic does not wait for %s', (_, live, protecting, scope) => {
  const statement = 'SELECT * FROM raw';
  const shown = interceptor(
    'a',
    'VirtualSqlTopicPlugin',
    { priority: 1, virtualTopic: 'v', statement },
    scope,
  );
  const { plan } = planned(live, [...live, shown, protecting]);
  expect(
    plan.changes.map(({ address, dependsOn }) => [address.split('@')[0], dependsOn.length]),
  ).toContainEqual(['Interceptor/a', 0]);
});

it('the first name of a hidden topic waits for what protects it', () => {
  const added = [alias('a', '$TOPIC'), mask('m', 'a', ['card'])];
  const order = ['create Interceptor/m@vCluster=prod', 'create AliasTopic/a@vCluster=prod'];
  expect(planned([], added, { TOPIC: 'raw' }).order).toEqual(order);
});

it('a name with a weaker mask waits for that, and is told as masked in part', () => {
  const before = [alias('a'), mask('m', 'a', ['card'])];
  const { order, plan } = planned(before, [...before, alias('b'), weak('n', 'b')]);
  expect(order).toEqual(['create Interceptor/n@vCluster=prod', 'create AliasTopic/b@vCluster=prod']);
  expect(plan.weakenings?.map(({ parts }) => parts)).toEqual(
    Array(3).fill([expect.objectContaining({ names: ['card'], topics: ['b'], loss: 'part' })]),
  );
});

describe('what is masked as soon as it is decrypted', () => {
  const closed = [encryption('a|b')];
  const masked = [...closed, decryption('d', 'b'), mask('m', 'b', ['card'])];
  const named = [alias('a'), encryption('a'), decryption('d', 'b')];
  it.each<[string, readonly Resource[], readonly Resource[], readonly string[]]>([
    [
      'both are new',
      closed,
      masked,
      ['create Interceptor/m@vCluster=prod', 'create Interceptor/d@vCluster=prod'],
    ],
    [
      'the decryption goes, and the mask is for others',
      [encryption('b'), decryption('n', 'b'), late('m', 10, 'b')],
      [encryption('b'), late('m', 10, 'x')],
      ['delete Interceptor/n@vCluster=prod', 'update Interceptor/m@vCluster=prod'],
    ],
    [
      'both are for others',
      [encryption('b'), decryption('n', 'b'), late('m', 10, 'b')],
      [encryption('b'), decryption('n', 'x'), late('m', 10, 'y')],
      ['update Interceptor/n@vCluster=prod', 'update Interceptor/m@vCluster=prod'],
    ],
    [
      'both are for more topics',
      masked,
      [...closed, decryption('d', 'a|b'), mask('m', 'a|b', ['card'])],
      ['update Interceptor/m@vCluster=prod', 'update Interceptor/d@vCluster=prod'],
    ],
    [
      'a topic gets the name for which both are',
      named,
      [...named, alias('b'), mask('m', 'b', ['card'])],
      ['create Interceptor/m@vCluster=prod', 'create AliasTopic/b@vCluster=prod'],
    ],
  ])('is never in clear: %s', (_, before, after, order) => {
    expect(planned(before, after).order).toEqual(order);
  });
});

it.each<[string, number, (at: number) => Resource, (at: number) => Resource]>([
  [
    'interceptors that do not change',
    710,
    (at) => mask(`m${at}`, `t${at}`, ['card']),
    (at) => alias(`y${at}`),
  ],
  [
    'clients with an interceptor that changes, for other topics',
    450,
    (at) => mask(`m${at}`, `t${at}`, ['card'], { ...PROD, username: `u${at}` }),
    (at) => alias(`y${at}`, `prodraw${at}`),
  ],
])('is judged beside any number of %s', (_, length, maskAt, nameAt) => {
  const some = (make: (at: number) => Resource) => Array.from({ length }, (_one, at) => make(at));
  const masks = some(maskAt);
  const changed = masks.flatMap((one): readonly Resource[] => {
    const scope = one.metadata['scope'] as JsonObject;
    return 'username' in scope ? [mask(one.metadata.name, 'x', ['card'], scope)] : [];
  });
  const wide = mask('m', 't0|y', ['card']);
  const { resources } = liveStateOf([...WORLD, alias('t0'), mask('m', 't0', ['card']), ...masks]);
  const changes = [wide, ...changed, ...some(nameAt)].map((after): Change => {
    const address = identify(kindOf(after.kind), after);
    const before = resources.get(address);
    const about = { address, after, dependsOn: [], stage: 1 } as const;
    return before === undefined
      ? { action: 'create', ...about }
      : { action: 'update', ...about, before, fields: [] };
  });
  expect(assessChanges(resources, changes, catalog.kinds).unjudged).toBe(0);
});

it('nobody lacks a protection for a while for the sake of a part of one', () => {
  const at = (priority: number, scope: JsonObject, { metadata, spec, ...one }: Resource): Resource => ({
    ...one,
    metadata: { ...metadata, scope },
    spec: { ...spec, priority },
  });
  const { plan, order } = planned(
    [group('bob'), at(1, IN_GROUP, weak('m', '[ab]'))],
    [group('bob', 'eve'), at(5, OF_BOB, mask('m', 'a?b', ['card'])), decryption('d', 'a|', IN_GROUP, 2)],
  );
  expect(order).toEqual([
    'update GatewayGroup/g',
    'create Interceptor/m@vCluster=prod,username=bob',
    'create Interceptor/d@vCluster=prod,group=g',
    'delete Interceptor/m@vCluster=prod,group=g',
  ]);
  expect(plan.exposures ?? []).toEqual([]);
});

describe('what nobody decrypts', () => {
  it.each<[string, readonly Resource[], readonly Resource[], readonly string[]]>([
    [
      'by an exemption that is new with the decryption',
      [encryption('a')],
      [encryption('a'), decryption('d', 'a'), off('d', OF_BOB)],
      ['create Interceptor/d@vCluster=prod,username=bob', 'create Interceptor/d@vCluster=prod'],
    ],
    [
      'by one that is new when the decryption reaches another topic',
      [encryption('a|b'), decryption('d', 'a')],
      [encryption('a|b'), decryption('d', 'a|b'), decryption('d', 'a', OF_BOB)],
      ['create Interceptor/d@vCluster=prod,username=bob', 'update Interceptor/d@vCluster=prod'],
    ],
    [
      'by one that is new with the decryption of all topics, of which another one decrypts some throughout',
      [encryption('.*'), decryption('c', 'a')],
      [encryption('.*'), decryption('c', 'a'), decryption('d', '.*'), off('d', OF_BOB)],
      ['create Interceptor/d@vCluster=prod,username=bob', 'create Interceptor/d@vCluster=prod'],
    ],
    [
      'in a group that it joins once nothing decrypts there',
      [encryption('a'), decryption('d', 'a', IN_GROUP), group('eve')],
      [encryption('a'), group('eve', 'bob')],
      ['delete Interceptor/d@vCluster=prod,group=g', 'update GatewayGroup/g'],
    ],
    [
      'when decryption and exemption get another name',
      [encryption('a'), decryption('d', 'a'), off('d', OF_BOB)],
      [encryption('a'), decryption('f', 'a'), off('f', OF_BOB)],
      [
        'create Interceptor/f@vCluster=prod,username=bob',
        'create Interceptor/f@vCluster=prod',
        'delete Interceptor/d@vCluster=prod',
        'delete Interceptor/d@vCluster=prod,username=bob',
      ],
    ],
  ])('is not decrypted for a moment: %s', (_, before, after, order) => {
    const { order: found, told } = planned(before, after);
    expect(found).toEqual(order);
    expect(told.filter((text) => text.startsWith('bob '))).toEqual([]);
  });

  it('is masked after it is decrypted throughout a run that renumbers both', () => {
    const numbered = (by: number) => [
      encryption('a'),
      decryption('d', 'a', PROD, 5 + by),
      late('m', 10 + by),
    ];
    const up = planned(numbered(0), numbered(10)).order;
    const down = planned(numbered(10), numbered(0)).order;
    expect(up).toEqual(['update Interceptor/m@vCluster=prod', 'update Interceptor/d@vCluster=prod']);
    expect(down).toEqual(up.toReversed());
  });
});

describe('a decryption that goes with a hundred masks', () => {
  const topics = Array.from({ length: 100 }, (_, at) => `t${at}`);
  const masks = topics.map((topic) => late(`mask-${topic}`, 10, topic));
  const [closed, open] = [[encryption('.*')], [encryption('.*'), decryption('d', '.*'), ...masks]];
  it.each<[string, readonly Resource[], readonly Resource[], number]>([
    ['comes after all of them', closed, open, 100],
    ['goes before any of them', open, closed, 0],
  ])('%s', (_, before, after, place) => {
    const { order, plan } = planned(before, after);
    expect(order.findIndex((change) => change.endsWith('Interceptor/d@vCluster=prod'))).toBe(place);
    expect(plan.weakenings?.filter(({ until }) => until !== undefined) ?? []).toEqual([]);
  });
});

it('tells what is open for a while where a run takes any order', () => {
  const tellOf = (before: readonly Resource[], after: readonly Resource[]): readonly string[] => {
    const { plan } = planned(before, after);
    const { resources } = liveStateOf([...WORLD, ...before]);
    const free = plan.changes.map((change) => ({ ...change, dependsOn: [] }));
    return assessChanges(resources, free, catalog.kinds).weakenings.flatMap((one) =>
      one.until === undefined
        ? []
        : `${one.username ?? '*'} ${one.certainty} ${one.protection}: ${JSON.stringify(one.parts[0])} ${one.from.join()} ${one.until}`,
    );
  };
  expect(tellOf([alias('a'), mask('m', 'a', ['card'])], [alias('a'), alias('b'), mask('m', 'a|b', ['card'])]))
    .toMatchInlineSnapshot(`
    [
      "bob weaker masking: {"what":"field","names":["card"],"loss":"whole","topics":["b"],"pattern":"a"} AliasTopic/b@vCluster=prod Interceptor/m@vCluster=prod",
      "eve weaker masking: {"what":"field","names":["card"],"loss":"whole","topics":["b"],"pattern":"a"} AliasTopic/b@vCluster=prod Interceptor/m@vCluster=prod",
      "* weaker masking: {"what":"field","names":["card"],"loss":"whole","topics":["b"],"pattern":"a"} AliasTopic/b@vCluster=prod Interceptor/m@vCluster=prod",
    ]
  `);
  expect(tellOf([encryption('a')], [encryption('a'), decryption('d', 'a'), off('d', OF_BOB)]))
    .toMatchInlineSnapshot(`
    [
      "bob weaker encryption: {"what":"field","names":["card"],"loss":"undone","topics":[],"pattern":"a"} Interceptor/d@vCluster=prod Interceptor/d@vCluster=prod,username=bob",
    ]
  `);
  // Another decryption that bob is exempt from throughout makes it no better.
  const former = [encryption('a'), decryption('c', 'a'), off('c', OF_BOB)];
  expect(tellOf(former, [...former, decryption('d', 'a'), off('d', OF_BOB)])).toHaveLength(1);
  expect(
    tellOf(
      [encryption('a'), decryption('d', 'a'), late('m', 10)],
      [encryption('a'), decryption('d', 'a', PROD, 15), late('m', 20)],
    ),
  ).toMatchInlineSnapshot(`
    [
      "bob cannot-tell masking: {"what":"field","names":["card"],"loss":"undone","topics":[],"pattern":"a"} Interceptor/d@vCluster=prod Interceptor/m@vCluster=prod",
      "eve cannot-tell masking: {"what":"field","names":["card"],"loss":"undone","topics":[],"pattern":"a"} Interceptor/d@vCluster=prod Interceptor/m@vCluster=prod",
      "* cannot-tell masking: {"what":"field","names":["card"],"loss":"undone","topics":[],"pattern":"a"} Interceptor/d@vCluster=prod Interceptor/m@vCluster=prod",
    ]
  `);
});

it('tells of a mask that no longer comes late enough, where a weaker one does', () => {
  const all = (priority: number) => [
    encryption('a'),
    decryption('d', 'a'),
    weak('n', 'a'),
    late('m', priority),
  ];
  const told = (...some: readonly [number, number]) =>
    planned(all(some[0]), all(some[1])).problems.flatMap(({ code, message }) =>
      code === 'unjudged-protection' ? [message] : [],
    );
  expect(told(20, 2)).toMatchInlineSnapshot(`
    [
      "cannot tell whether clients of prod (all other clients, bob and eve) have as strong masking: card of a",
    ]
  `);
  expect(told(30, 20)).toEqual([]);
});

it('tells of a mask that no longer comes late enough, where another one does for some of its topics', () => {
  const told = (topic: string) => {
    const all = (priority: number) => [
      ...[encryption('.*'), decryption('d', '.*')],
      ...[late('m', priority, '.*'), late('n', 30, topic)],
    ];
    return planned(all(20), all(2)).problems.flatMap(({ code, message }) =>
      code === 'unjudged-protection' ? [message] : [],
    );
  };
  expect(told('a')).toEqual([expect.stringContaining('have as strong masking: card')]);
  expect(told('.*')).toEqual([]);
});

it('tells of a mask that comes too late once the decryption before it goes', () => {
  const both = [
    encryption('a'),
    decryption('d', 'a', PROD, 5),
    late('m', 10),
    decryption('e', 'a', PROD, 15),
  ];
  const toldWithout = (name: string): readonly string[] => {
    const { problems } = planned(
      both,
      both.filter(({ metadata }) => metadata.name !== name),
    );
    return problems.flatMap(({ code, message }) => (code === 'unjudged-protection' ? [message] : []));
  };
  expect(toldWithout('e')).toEqual([]);
  expect(toldWithout('d')).toMatchInlineSnapshot(`
    [
      "cannot tell whether clients of prod (all other clients, bob and eve) have as strong masking: card of a, with Interceptor/d@vCluster=prod",
    ]
  `);
});

const TOPICS = ['a', 'b'];
const someInterceptor = fc.record({
  name: fc.constantFrom('m', 'n'),
  does: fc.constantFrom('mask', 'decrypt', 'decrypt', 'nothing'),
  scope: fc.constantFrom(PROD, PROD, IN_GROUP, OF_BOB),
  topic: fc.constantFrom('a', 'b', 'a|b', '.*'),
});
const someState = fc
  .record({
    interceptors: fc.uniqueArray(someInterceptor, {
      maxLength: 4,
      selector: ({ name, scope }) => JSON.stringify([name, scope]),
    }),
    members: fc.subarray(['bob', 'eve']),
    aliases: fc.subarray(TOPICS),
  })
  .map(({ interceptors, members, aliases }) => [
    group(...members),
    encryption('a|b'),
    ...aliases.map((name) => alias(name)),
    ...interceptors.map(({ name, does, scope, topic }) =>
      does === 'mask'
        ? mask(name, topic, ['card'], scope)
        : does === 'decrypt'
          ? decryption(name, topic, scope)
          : off(name, scope),
    ),
  ]);

/** The topics that interceptors of a class are for when a client comes, by trying each. */
function topicsOf(client: Client, state: State, pluginClass: string): ReadonlySet<string> {
  const own = protectionOf(client, state).chain.flatMap((address) => {
    const { spec } = state.get(address as never) as Resource;
    return spec['pluginClass'] === CLASSES + pluginClass ? [(spec['config'] as JsonObject)['topic']] : [];
  });
  return new Set(
    TOPICS.filter((name) => own.some((topic) => new RegExp(`^(?:${topic as string})$`).test(name))),
  );
}

const isNamed = (name: string, state: State): boolean =>
  state.has(`AliasTopic/${name}@vCluster=prod` as never);

it('whoever tries every moment of a run reads nothing in clear that the plan does not tell', () => {
  let looked = 0;
  const passing = ({ weakenings = [] }: Plan) => weakenings.filter(({ until }) => until !== undefined);
  fc.assert(
    fc.property(someState, someState, (live, wanted) => {
      const { plan } = planned(live, wanted);
      const before: State = liveStateOf([...WORLD, ...live]).resources;
      const after = plan.changes.reduce(applyChange, before);
      const states = reachableStates(plan, before);
      for (const client of clientsOf(before, after)) {
        const own = printClient(client, '');
        const isOwn = (one: Parameters<typeof toClient>[0]): boolean =>
          printClient(toClient(one), '') === own;
        const told = new Set(
          passing(plan)
            .filter(isOwn)
            .map(({ protection }) => protection),
        );
        const closed = TOPICS.filter((name) =>
          [before, after].every((state) => !topicsOf(client, state, 'DecryptPlugin').has(name)),
        );
        const masks = (state: State) => topicsOf(client, state, 'FieldLevelDataMaskingPlugin');
        const was = TOPICS.filter((name) => isNamed(name, before));
        const isMasked = was.every((name) => masks(before).has(name));
        const behind = TOPICS.filter(
          (name) => !was.includes(name) && isMasked && isNamed(name, after) && masks(after).has(name),
        );
        /** Whether the topic with the names is read in clear by one of them. */
        const isClear = (state: State): boolean => {
          const [decrypted, masked] = [topicsOf(client, state, 'DecryptPlugin'), masks(state)];
          return TOPICS.some((name) => isNamed(name, state) && decrypted.has(name) && !masked.has(name));
        };
        const isNever =
          was.length > 0 && was.every((name) => isNamed(name, after)) && ![before, after].some(isClear);
        const isWhole = plan.exposures?.some((one) => !one.lasting && isOwn(one)) === true;
        for (const state of states) {
          const opened = closed.filter((name) => topicsOf(client, state, 'DecryptPlugin').has(name));
          const shown = behind.filter((name) => isNamed(name, state) && !masks(state).has(name));
          looked += closed.length + behind.length;
          if (isNever && isClear(state) && !isWhole) expect([...told]).not.toEqual([]);
          if (opened.length > 0) expect(told).toContain('encryption');
          if (shown.length > 0 && !isWhole) expect(told).toContain('masking');
        }
      }
    }),
    { numRuns: orAll(60, 3_000) },
  );
  expect(looked).toBeGreaterThan(0);
});
