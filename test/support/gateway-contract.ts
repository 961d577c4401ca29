import { afterEach, describe, expect, it } from 'vitest';
import type { Options } from '../../src/emulator/embedded-state.ts';
import { GatewayError, type Gateway } from '../../src/gateway/gateway.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Kind } from '../../src/model/kind.ts';
import { identify } from '../../src/model/identity.ts';
import { normalForm } from '../../src/model/normal/normal-form.ts';
import type { Resource } from '../../src/model/resource.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { examplesNeededBy, kindOf, resource } from './kinds.ts';
import { account, accountIn, alias, cluster, group } from './resources.ts';

/** An empty gateway of one's own, and how to let go of it. */
export type Opened = { readonly gateway: Gateway; readonly close: () => Promise<void> };

/** What everything that calls itself a Gateway does. `open` may be asked for a gateway with other habits. */
export function describeGateway(name: string, open: (options?: Options) => Promise<Opened>): void {
  const opened: Opened[] = [];
  const fresh = async (options?: Options): Promise<Hand> => {
    const one = await open(options);
    opened.push(one);
    return handOn(one.gateway);
  };
  afterEach(async () => {
    for (const { close } of opened.splice(0)) await close();
  });

  describe(`${name}: every kind`, () => everyKind(fresh));
  describe(`${name}: what makes two resources the same one`, () => identity(fresh));
  describe(`${name}: what it gives back`, () => roundTrips(fresh));
  describe(`${name}: what it refuses to take`, () => refusedPuts(fresh));
  describe(`${name}: what it refuses to delete`, () => refusedRemovals(fresh));
}

type Fresh = (options?: Options) => Promise<Hand>;
/** The port, with kinds found by the resources. */
type Hand = {
  readonly gateway: Gateway;
  readonly put: (...resources: readonly Resource[]) => Promise<string>;
  readonly remove: (resource: Resource) => Promise<string>;
  readonly list: (kind: string) => Promise<readonly Resource[]>;
};

function handOn(gateway: Gateway): Hand {
  return {
    gateway,
    async put(...resources) {
      let last = '';
      for (const resource of resources) last = await gateway.put(kindOf(resource.kind), resource);
      return last;
    },
    remove: (resource) => gateway.remove(kindOf(resource.kind), resource),
    list: async (name) => {
      const kind = kindOf(name);
      const found = await gateway.list(kind);
      return found.map((resource) => normalForm(kind, resource)).sort(byAddress(kind));
    },
  };
}

function byAddress(kind: Kind): (one: Resource, other: Resource) => number {
  return (one, other) => (identify(kind, one) < identify(kind, other) ? -1 : 1);
}

const rule = (name: string, vCluster?: string, spec: JsonObject = {}): Resource =>
  resource(
    'ConcentrationRule',
    { name, ...inside(vCluster) },
    { pattern: 'events-.*', physicalTopics: { delete: 'all-events' }, ...spec },
  );
const interceptor = (name: string, scope?: JsonObject, spec: JsonObject = {}): Resource =>
  resource('Interceptor', scope === undefined ? { name } : { name, scope }, {
    pluginClass: 'io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin',
    priority: 100,
    config: { topic: 'audit-.*', action: 'BLOCK' },
    ...spec,
  });
const everybody = { vCluster: null, group: null, username: null };

function inside(vCluster: string | undefined): JsonObject {
  return vCluster === undefined ? {} : { vCluster };
}

/** What a call is refused with; the test fails when it is not. */
async function refusal(call: Promise<unknown>): Promise<Pick<GatewayError, 'code' | 'status' | 'message'>> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(GatewayError);
  const { code, status, message } = error as GatewayError; // just held to it
  return { code, status, message };
}

function saying(code: string, status: number, message: string): object {
  return { code, status, message: expect.stringContaining(message) as unknown };
}

function everyKind(fresh: Fresh): void {
  for (const kind of catalog.kinds.values()) {
    const { example } = kind;
    if (kind.removal === undefined) {
      it(`lists ${kind.name}, which nobody writes`, async () => {
        const { list } = await fresh();
        expect((await list(kind.name)).every((item) => item.kind === kind.name)).toBe(true);
      });
      continue;
    }
    it(`creates ${kind.name}, knows it again, and lets it go once`, async () => {
      const { put, remove, list } = await fresh();
      await put(...examplesNeededBy(kind));
      expect(await put(example)).toBe('created');
      expect(await list(kind.name)).toContainEqual(normalForm(kind, example));
      expect(await put(example)).toBe('unchanged');
      expect(await remove(example)).toBe('removed');
      expect(await list(kind.name)).not.toContainEqual(normalForm(kind, example));
      expect(await remove(example)).toBe('absent');
    });
  }

  it('updates what is there', async () => {
    const { put, list } = await fresh();
    expect(await put(rule('events'))).toBe('created');
    expect(await put(rule('events', undefined, { pattern: 'clicks-.*' }))).toBe('updated');
    expect((await list('ConcentrationRule'))[0]?.spec['pattern']).toBe('clicks-.*');
  });

  it('takes many calls at once', async () => {
    const { put, list } = await fresh();
    await put(cluster('prod'));
    const aliases = Array.from({ length: 200 }, (_, at) => alias(`topic-${at}`, 'prod'));
    await Promise.all(aliases.map((one) => put(one)));
    expect(await list('AliasTopic')).toHaveLength(200);
  });
}

function identity(fresh: Fresh): void {
  it('takes a virtual cluster that is left out for passthrough', async () => {
    const { put, list } = await fresh();
    await put(alias('orders'));
    expect(await put(alias('orders', 'passthrough', { physicalCluster: 'main' }))).toBe('unchanged');
    expect(await list('AliasTopic')).toHaveLength(1);
  });

  it('keeps one name in two virtual clusters apart', async () => {
    const { put, remove, list } = await fresh();
    await put(cluster('one'), cluster('two'), alias('orders', 'one'), alias('orders', 'two'));
    expect(await remove(alias('orders', 'one'))).toBe('removed');
    expect((await list('AliasTopic')).map(({ metadata }) => metadata)).toEqual([
      { name: 'orders', vCluster: 'two' },
    ]);
  });

  it('keeps interceptors of one name apart by their scopes, each of which can go alone', async () => {
    const { put, remove, list } = await fresh();
    const scopes = [
      everybody,
      { vCluster: 'prod' },
      { vCluster: 'prod', group: 'readers' },
      { vCluster: 'prod', username: 'nobody' },
      { username: 'nobody' },
      { group: 'readers' },
    ];
    await put(cluster('prod'), group('readers'), interceptor('guard'));
    await put(...scopes.map((scope) => interceptor('guard', scope)));
    expect(await list('Interceptor')).toHaveLength(7);
    expect(await remove(interceptor('guard', { username: 'nobody' }))).toBe('removed');
    expect(await remove(interceptor('guard', everybody))).toBe('removed');
    expect(await remove(interceptor('guard'))).toBe('removed');
    expect(await list('Interceptor')).toHaveLength(4);
  });

  it('takes an interceptor without a scope for one of passthrough, and three nulls for one of everybody', async () => {
    const { put, list } = await fresh();
    await put(interceptor('local'), interceptor('everywhere', everybody));
    expect((await list('Interceptor')).map(({ metadata }) => metadata)).toEqual([
      { name: 'everywhere', scope: everybody },
      { name: 'local', scope: { vCluster: 'passthrough', group: null, username: null } },
    ]);
    expect(await put(interceptor('local', { vCluster: 'passthrough' }))).toBe('unchanged');
  });

  it('takes names of interceptors that need an escape in a path', async () => {
    const { put, remove } = await fresh();
    for (const name of ['a/b', 'a b?c#d', '100%', 'é@,=', 'resolve']) {
      expect(await put(interceptor(name))).toBe('created');
      expect(await remove(interceptor(name))).toBe('removed');
      expect(await remove(interceptor(name))).toBe('absent');
    }
  });
}

function roundTrips(fresh: Fresh): void {
  it('gives back fields that it does not know', async () => {
    const { gateway, put } = await fresh();
    const newer = {
      ...alias('orders'),
      spec: { physicalName: 'orders-v1', newerField: { deep: [1, null] } },
    };
    await put(newer);
    const [found] = await gateway.list(kindOf('AliasTopic'));
    expect(found?.spec['newerField']).toEqual({ deep: [1, null] });
    expect(await put(newer)).toBe('unchanged');
  });

  it('gives back configs to the letter', async () => {
    const { gateway, put } = await fresh();
    const config = {
      nothing: null,
      deep: { 'dotted.key': ['b', 'a', { x: 1.5 }] },
      text: '{{record.key}} ${SECRET}',
    };
    await put(interceptor('custom', undefined, { pluginClass: 'org.example.Custom', config }));
    const [found] = await gateway.list(kindOf('Interceptor'));
    expect(found?.spec['config']).toEqual(config);
  });

  it('takes back everything that it lists, and finds nothing changed', async () => {
    const { gateway, put } = await fresh();
    await put(
      cluster('prod', { aclEnabled: true, superUsers: ['boss'] }),
      cluster('rest', { aclEnabled: true, aclMode: 'REST_API', acls: [] }),
      alias('orders'),
      alias('orders', 'prod'),
      rule('events'),
      account('app-one'),
      accountIn('prod', 'app-two', 'somebody'),
      group('readers', { name: 'app-one' }, { name: 'app-two', vCluster: 'prod' }),
      interceptor('guard', everybody),
      interceptor('guard', { group: 'readers' }),
    );
    for (const kind of catalog.kinds.values()) {
      if (kind.removal === undefined) continue;
      for (const listed of await gateway.list(kind))
        expect(await gateway.put(kind, listed)).toBe('unchanged');
    }
  });

  it('takes no notice of the order of a set', async () => {
    const { put } = await fresh();
    await put(account('app-one'), account('app-two'));
    await put(group('readers', { name: 'app-one' }, { name: 'app-two' }));
    expect(
      await put(group('readers', { name: 'app-two' }, { name: 'app-one', vCluster: 'passthrough' })),
    ).toBe('unchanged');
  });

  it('ignores what it owns', async () => {
    const { put } = await fresh();
    await put(cluster('prod'));
    const spec = { bootstrapServers: 'elsewhere:9092', clientProperties: { a: 'b' } };
    expect(await put(cluster('prod', spec))).toBe('unchanged');
  });

  it('makes an account EXTERNAL that was LOCAL', async () => {
    const { put } = await fresh();
    await put(account('payments'));
    expect(await put(account('payments', 'somebody'))).toBe('updated');
  });
}

function refusedPuts(fresh: Fresh): void {
  const refuses = (title: string, ...[before, tried, expected, options]: Refusing): void => {
    it(title, async () => {
      const { put, list } = await fresh(options);
      await put(...before);
      const there = await list(tried.kind);
      expect(await refusal(put(tried))).toMatchObject(expected);
      expect(await list(tried.kind)).toEqual(there);
    });
  };
  type Refusing = [before: readonly Resource[], tried: Resource, expected: object, options?: Options];

  // gateway-api A.2: 400
  refuses(
    'a virtual cluster named passthrough, which always exists',
    [],
    cluster('passthrough'),
    saying('refused', 400, 'passthrough'),
  );
  refuses(
    'a name with characters that the kind does not take',
    [],
    alias('a b'),
    saying('refused', 400, 'name'),
  );
  refuses(
    'a resource without a field that it must have',
    [],
    resource('AliasTopic', { name: 'orders' }),
    saying('refused', 400, 'physicalName'),
  );
  refuses(
    'ACLs managed with Kafka commands without a super user',
    [],
    cluster('prod', { aclEnabled: true }),
    saying('refused', 400, 'superUsers'),
  );
  refuses(
    'an EXTERNAL account without an external name',
    [],
    resource('GatewayServiceAccount', { name: 'payments' }, { type: 'EXTERNAL' }),
    saying('refused', 400, 'external name'),
  );
  refuses(
    'an interceptor for a group and a username at once',
    [group('readers')],
    interceptor('guard', { group: 'readers', username: 'me' }),
    saying('refused', 400, 'not both'),
  );
  refuses(
    'an interceptor for a username everywhere',
    [],
    interceptor('guard', { vCluster: null, username: 'me' }),
    saying('refused', 400, 'virtual cluster'),
  );
  refuses(
    "a plugin class of the gateway's own package that is not there",
    [],
    interceptor('guard', undefined, { pluginClass: 'io.conduktor.gateway.interceptor.NoSuchPlugin' }),
    saying('refused', 400, 'NoSuchPlugin'),
  );
  refuses(
    'a config that the plugin does not take',
    [],
    interceptor('guard', undefined, { config: { topic: 1 } }),
    saying('refused', 400, 'config.topic'),
  );
  refuses(
    'a rule that overrides without saying with what',
    [],
    interceptor('guard', undefined, {
      pluginClass: 'io.conduktor.gateway.interceptor.safeguard.CreateTopicPolicyPlugin',
      config: { numPartition: { min: 1, max: 3, action: 'OVERRIDE' } },
    }),
    { code: 'refused', status: 400, message: 'overrideValue must not be null' },
  );

  // gateway-api B.2: 404
  refuses(
    'an alias topic in a virtual cluster that does not exist',
    [],
    alias('orders', 'nowhere'),
    saying('not-found', 404, 'nowhere'),
  );
  refuses(
    'a concentration rule in a virtual cluster that does not exist',
    [],
    rule('events', 'nowhere'),
    saying('not-found', 404, 'nowhere'),
  );
  refuses(
    'a concentration rule on a physical topic that does not exist',
    [],
    rule('events'),
    saying('not-found', 404, 'all-events'),
    { topics: new Map() },
  );
  refuses(
    'a service account in a virtual cluster that does not exist',
    [],
    accountIn('nowhere', 'payments'),
    saying('not-found', 404, 'nowhere'),
  );
  refuses(
    'a group with a member that does not exist',
    [account('payments')],
    group('readers', { name: 'payments' }, { name: 'ghost', vCluster: 'passthrough' }),
    saying('not-found', 404, 'ghost'),
  );
  refuses(
    'a group with a member of another virtual cluster',
    [cluster('prod'), account('payments')],
    group('readers', { name: 'payments', vCluster: 'prod' }),
    saying('not-found', 404, 'payments'),
  );
  refuses(
    'an interceptor for a virtual cluster that does not exist',
    [],
    interceptor('guard', { vCluster: 'nowhere' }),
    saying('not-found', 404, 'nowhere'),
  );
  refuses(
    'an interceptor for a group that does not exist',
    [],
    interceptor('guard', { group: 'ghosts' }),
    saying('not-found', 404, 'ghosts'),
  );

  // gateway-api A.2: 409
  refuses(
    'an alias topic of a Standard virtual cluster on another physical cluster',
    [cluster('prod')],
    alias('orders', 'prod', { physicalCluster: 'second' }),
    saying('conflict', 409, 'type Standard and does not target main'),
    { physicalClusters: ['main', 'second'] },
  );
  refuses(
    'an alias topic of a Partner virtual cluster on a physical cluster that is not configured',
    [partner('shared')],
    alias('orders', 'shared', { physicalCluster: 'third' }),
    saying('conflict', 409, 'type Partner and does not target a valid physical cluster'),
    { physicalClusters: ['main', 'second'] },
  );
  refuses(
    'alias topics of a Partner virtual cluster on two physical clusters',
    [partner('shared'), alias('orders', 'shared', { physicalCluster: 'second' })],
    alias('clicks', 'shared'),
    saying('conflict', 409, 'same physical cluster'),
    { physicalClusters: ['main', 'second'] },
  );
  refuses(
    'another physical cluster for an alias topic that is there',
    [partner('shared'), alias('orders', 'shared')],
    alias('orders', 'shared', { physicalCluster: 'second' }),
    saying('conflict', 409, 'The physical cluster of an alias topic cannot be changed'),
    { physicalClusters: ['main', 'second'] },
  );
  refuses(
    'another ACL mode once ACLs are on',
    [cluster('prod', { aclEnabled: true, superUsers: ['boss'] })],
    cluster('prod', { aclEnabled: true, aclMode: 'REST_API', acls: [] }),
    saying('conflict', 409, 'ACL mode'),
  );
  refuses(
    'a concentration rule on a physical topic with another cleanup policy',
    [],
    rule('events'),
    saying('conflict', 409, 'cleanup.policy'),
    { topics: new Map([['all-events', 'compact']]) },
  );
  refuses(
    'an external name that another account has, in whatever virtual cluster',
    [cluster('prod'), accountIn('prod', 'payments', 'somebody')],
    account('billing', 'somebody'),
    saying('conflict', 409, 'somebody'),
  );

  it('but takes an external name once its account is gone or has another', async () => {
    const { put, remove } = await fresh();
    await put(account('one-account', 'somebody'));
    await remove(account('one-account'));
    expect(await put(account('two-account', 'somebody'))).toBe('created');
    await put(account('two-account', 'anybody'));
    expect(await put(account('three-account', 'somebody'))).toBe('created');
  });

  it('but takes an ACL mode where there was none in force', async () => {
    const { put } = await fresh();
    await put(cluster('prod'));
    expect(await put(cluster('prod', { aclEnabled: true, aclMode: 'REST_API', acls: [] }))).toBe('updated');
  });

  it('but takes concentration rules that make their topics, and those on fitting ones', async () => {
    const { put } = await fresh({ topics: new Map([['both', 'compact,delete']]) });
    expect(await put(rule('own', undefined, { autoManaged: true }))).toBe('created');
    const physicalTopics = { delete: 'made', deleteCompact: 'both' };
    expect(await put(rule('fitting', undefined, { physicalTopics, autoManaged: true }))).toBe('created');
  });

  it('but takes a username that is no account, and a super user that is none', async () => {
    const { put } = await fresh();
    expect(await put(interceptor('guard', { username: 'my.user' }))).toBe('created');
    expect(await put(cluster('prod', { superUsers: ['ghost'] }))).toBe('created');
  });
}

function partner(name: string): Resource {
  return cluster(name, { type: 'Partner', aclEnabled: true, superUsers: ['boss'] });
}

function refusedRemovals(fresh: Fresh): void {
  const refuses = (title: string, before: readonly Resource[], tried: Resource, expected: object): void => {
    it(title, async () => {
      const { put, remove, list } = await fresh();
      await put(...before);
      const there = await list(tried.kind);
      expect(await refusal(remove(tried))).toMatchObject(expected);
      expect(await list(tried.kind)).toEqual(there);
    });
  };

  refuses('passthrough', [], cluster('passthrough'), saying('refused', 400, 'passthrough'));
  const users: readonly (readonly [string, Resource])[] = [
    ['an alias topic', alias('orders', 'prod')],
    ['a concentration rule', rule('events', 'prod')],
    ['a service account', accountIn('prod', 'payments')],
    ['an interceptor', interceptor('guard', { vCluster: 'prod', username: 'me' })],
  ];
  for (const [what, user] of users) {
    refuses(
      `a virtual cluster that ${what} is in`,
      [cluster('prod'), user],
      cluster('prod'),
      saying('conflict', 409, user.metadata.name),
    );
  }
  refuses(
    'a service account that a group lists',
    [account('payments'), group('readers', { name: 'payments' })],
    account('payments'),
    saying('conflict', 409, 'readers'),
  );
  refuses(
    'a group that an interceptor targets',
    [group('groupB'), interceptor('enforce-partition-limit', { group: 'groupB' })],
    group('groupB'),
    {
      code: 'conflict',
      status: 409,
      message: 'The group groupB is still used by the following interceptor(s): enforce-partition-limit',
    },
  );

  it('but deletes them once nothing refers to them', async () => {
    const { put, remove } = await fresh();
    await put(
      cluster('prod'),
      accountIn('prod', 'payments'),
      group('readers', { name: 'payments', vCluster: 'prod' }),
    );
    await put(interceptor('guard', { vCluster: 'prod', group: 'readers' }), group('readers'));
    expect(await remove(accountIn('prod', 'payments'))).toBe('removed');
    expect(await remove(interceptor('guard', { vCluster: 'prod', group: 'readers' }))).toBe('removed');
    expect(await remove(group('readers'))).toBe('removed');
    expect(await remove(cluster('prod'))).toBe('removed');
  });

  it('but deletes an account that is only named as a username or a super user', async () => {
    const { put, remove } = await fresh();
    await put(cluster('prod', { superUsers: ['payments'] }), accountIn('prod', 'payments'));
    await put(interceptor('guard', { username: 'payments' }));
    expect(await remove(accountIn('prod', 'payments'))).toBe('removed');
  });
}
