import { describe, expect, it } from 'vitest';
import { memoryGateway, type EmbeddedGateway } from '../../src/emulator/memory.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import type { JsonObject } from '../../src/model/json/json.ts';
import type { Context } from '../../src/model/kind.ts';
import type { Problem } from '../../src/model/problem.ts';
import type { Rules } from '../../src/model/rules.ts';
import { makePlan } from '../../src/plan/make-plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { NO_VARIABLES } from '../../src/schema/yaml/interpolate.ts';
import { kindOf, resource } from '../support/kinds.ts';

const { kinds } = catalog;
type Fields = { readonly kind: string; readonly metadata: JsonObject; readonly spec: JsonObject };

function loaded(...all: readonly Fields[]): ReturnType<typeof load> {
  const own = (kind: string): boolean => kind === 'UserMapping';
  const text = all
    .map(({ kind, ...rest }) =>
      JSON.stringify({ apiVersion: own(kind) ? 'gwconf/v1' : 'gateway/v2', kind, ...rest }),
    )
    .join('\n---\n');
  return load([{ path: 'a.yaml', text, named: true }], catalog, NO_VARIABLES);
}

async function gatewayWith(...all: readonly Fields[]): Promise<EmbeddedGateway> {
  const gateway = memoryGateway(kinds);
  for (const { kind, metadata, spec } of all) await gateway.put(kindOf(kind), resource(kind, metadata, spec));
  return gateway;
}

async function planFor(
  wanted: Fields,
  gateway: EmbeddedGateway,
  rules: Rules = {},
  context: Context = {},
): Promise<ReturnType<typeof makePlan>> {
  const live = await readLive(gateway, [...kinds.values()]);
  return makePlan(loaded(wanted).value, live, kinds, { gateway: gateway.url, rules, context });
}

const errorsOf = (problems: readonly Problem[]): readonly string[] =>
  problems.filter(({ severity }) => severity === 'error').map(({ code, message }) => `${code}: ${message}`);

const cluster = (spec: JsonObject): Fields => ({ kind: 'VirtualCluster', metadata: { name: 'prod' }, spec });
const account = (spec: JsonObject): Fields => ({
  kind: 'GatewayServiceAccount',
  metadata: { name: 'app' },
  spec,
});

describe('the ACL mode of a virtual cluster', () => {
  const off = cluster({ aclEnabled: false, aclMode: 'KAFKA_API' });
  const rest = cluster({ aclEnabled: true, aclMode: 'REST_API', acls: [] });

  it.each([
    { what: 'off to REST_API', from: off, to: rest },
    { what: 'REST_API to off', from: rest, to: off },
  ])('is not changed in place from $what: the gateway would refuse it', async ({ from, to }) => {
    const gateway = await gatewayWith(from);
    const put = gateway.put(kindOf('VirtualCluster'), resource(to.kind, to.metadata, to.spec));
    await expect(put).rejects.toMatchObject({ status: 409 });
    const { value, problems } = await planFor(to, gateway);
    expect(value.changes).toMatchObject([{ action: 'replace', because: ['/spec/aclMode'] }]);
    expect(errorsOf(problems)).toEqual([expect.stringMatching(/^cannot-replace: /)]);
  });

  it('may be set where the gateway has none', async () => {
    const { value, problems } = await planFor(rest, await gatewayWith(cluster({ aclEnabled: false })));
    expect(value.changes).toMatchObject([{ action: 'update' }]);
    expect(problems).toEqual([]);
  });
});

describe('a member that comes twice', () => {
  const mapping: Fields = {
    kind: 'UserMapping',
    metadata: { name: 'app' },
    spec: { principal: 'sub-1', groups: ['readers', 'readers'] },
  };
  const group = (...members: readonly JsonObject[]): Fields => ({
    kind: 'GatewayGroup',
    metadata: { name: 'readers' },
    spec: { members },
  });

  it.each([[{ name: 'app' }], [{ name: 'app', vCluster: 'passthrough' }]])(
    'from a mapping and from the list of the group, %j, is sent once',
    (member) => {
      const { value, problems } = loaded(mapping, group(member));
      expect(problems).toEqual([]);
      expect(value.get('GatewayGroup/readers' as never)?.resource.spec).toEqual({ members: [member] });
    },
  );

  it.each([
    [{ name: 'app' }, { name: 'app' }],
    [{ name: 'app' }, { name: 'app', vCluster: 'passthrough' }],
  ])('in one list, %j and %j, is an error, and the gateway refuses it', async (one, other) => {
    const { problems } = loaded(mapping, group(one, other));
    expect(errorsOf(problems)).toEqual([
      'repeated-item: GatewayGroup/readers has the item at /spec/members/1 twice, which the gateway rejects',
    ]);
    const gateway = await gatewayWith(account({ type: 'LOCAL' }));
    const put = gateway.put(
      kindOf('GatewayGroup'),
      resource('GatewayGroup', { name: 'readers' }, { members: [one, other] }),
    );
    await expect(put).rejects.toMatchObject({ status: 400 });
  });
});

describe('a value that a rule takes from the gateway', () => {
  const ignoring = (address: string, path: string): Rules =>
    ({
      ignore: [
        { address, path, reason: 'by hand', place: { file: { path: 'gwconf.yaml', text: '' }, offset: 0 } },
      ],
    }) as Rules;

  it('is checked with the type that the file asks for', async () => {
    const gateway = await gatewayWith(account({ type: 'EXTERNAL', externalNames: ['sub-1'] }));
    const rules = ignoring('GatewayServiceAccount/app@*', '/spec/externalNames');
    const { problems } = await planFor(account({ type: 'LOCAL' }), gateway, rules);
    expect(errorsOf(problems)).toEqual([
      'conflicting-fields: GatewayServiceAccount/app@vCluster=passthrough: a LOCAL account has no external names; ' +
        '/spec/externalNames is ignored and keeps its value on the gateway',
    ]);
  });

  it('is checked with the ACL mode that the file asks for', async () => {
    const gateway = await gatewayWith(cluster({ superUsers: ['boss'] }));
    const rules = ignoring('VirtualCluster/prod', '/spec/superUsers');
    const wanted = cluster({ aclEnabled: true, aclMode: 'REST_API', acls: [] });
    const { problems } = await planFor(wanted, gateway, rules);
    expect(errorsOf(problems)).toEqual([
      'conflicting-fields: VirtualCluster/prod: aclMode REST_API excludes superUsers; ' +
        '/spec/superUsers is ignored and keeps its value on the gateway',
    ]);
  });

  it('is checked for the gateway version that the environment names', async () => {
    const gateway = await gatewayWith(cluster({ type: 'Partner', aclEnabled: true, superUsers: ['a'] }));
    const rules = ignoring('VirtualCluster/prod', '/spec/type');
    const wanted = cluster({ aclEnabled: true, superUsers: ['b'] });
    expect(errorsOf((await planFor(wanted, gateway, rules)).problems)).toEqual([]);
    const { problems } = await planFor(wanted, gateway, rules, { version: '3.4.0' });
    expect(errorsOf(problems)).toEqual([expect.stringMatching(/^newer-field: .*3\.5\.0/)]);
  });

  it('is no problem where nothing is sent', async () => {
    const gateway = await gatewayWith(cluster({ superUsers: ['boss'] }));
    const { problems } = await planFor(
      cluster({}),
      gateway,
      ignoring('VirtualCluster/prod', '/spec/superUsers'),
    );
    expect(problems).toEqual([]);
  });
});

const interceptor = (name: string): Fields => ({
  kind: 'Interceptor',
  metadata: { name, scope: { vCluster: 'passthrough' } },
  spec: { pluginClass: 'com.example.Own', priority: 1, config: { depth: 1 } },
});

describe('a name that cannot be written in a URL', () => {
  it.each(['.', '..', 'half \ud800 a pair'])('is an error where it is declared: %j', (name) => {
    expect(errorsOf(loaded(interceptor(name)).problems)).toEqual([
      `invalid-value: the name ${JSON.stringify(name)} does not fit in a URL, so this Interceptor could never be deleted`,
    ]);
  });

  it('is no problem of a kind whose delete has the name in its body', () => {
    const alias: Fields = { kind: 'AliasTopic', metadata: { name: '..' }, spec: { physicalName: 'orders' } };
    expect(errorsOf(loaded(alias).problems)).toEqual([]);
  });

  it('is an error where what has it would be deleted', async () => {
    const live = await readLive(await gatewayWith(interceptor('..')), [...kinds.values()]);
    const { problems } = makePlan(new Map(), live, kinds, { gateway: 'memory:gateway', prune: ['*'] });
    expect(errorsOf(problems)).toEqual([
      expect.stringContaining('would be deleted, but the name ".." cannot be written in a URL'),
    ]);
  });
});

describe('a live interceptor whose config is no map', () => {
  it.each([['a text'], [['a', 'list']], [7], [true]])(
    'is read, and only its own change is in question: %j',
    async (config) => {
      const wanted = interceptor('odd');
      const odd = { apiVersion: 'gateway/v2', ...wanted, spec: { ...wanted.spec, config } };
      const gateway: EmbeddedGateway = {
        ...(await gatewayWith(interceptor('even'))),
        list: (kind) => Promise.resolve(kind.name === 'Interceptor' ? [kind.read(odd)] : []),
      };
      const { value, problems } = await planFor(wanted, gateway);
      expect(errorsOf(problems)).toEqual([]);
      expect(value.changes).toMatchObject([{ action: 'update', before: { spec: { config } } }]);
      expect((await planFor(interceptor('other'), gateway)).value).toMatchObject({
        changes: [{ action: 'create' }],
      });
    },
  );
});
