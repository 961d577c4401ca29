import { describe, expect, it } from 'vitest';
import { readTerraform, type TerraformState } from '../../../src/declare/terraform/read-terraform.ts';
import { hiddenPlaces, stateRemovals } from '../../../src/declare/terraform/declare-terraform.ts';
import { commandFor } from '../../../src/declare/terraform/terraform-state.ts';
import type { Json, JsonObject } from '../../../src/model/json/json.ts';
import { knownKind } from '../../../src/model/kind.ts';
import type { Problem } from '../../../src/model/problem.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { interceptorValues, rawState, shownState, type TerraformResource } from '../../support/terraform.ts';

const cluster = (name: string, spec: JsonObject = {}): TerraformResource => ({
  type: 'gateway_virtual_cluster_v2',
  name: 'cluster',
  values: {
    name,
    spec: {
      acl_enabled: false,
      acl_mode: null,
      acls: null,
      bootstrap_servers: null,
      client_properties: { PLAIN: { 'sasl.mechanism': 'PLAIN' } },
      super_users: [],
      type: 'Standard',
      ...spec,
    },
  },
});
const account = (name: string, vcluster: string | null, spec: JsonObject): TerraformResource => ({
  type: 'gateway_service_account_v2',
  name: 'account',
  values: { name, vcluster, spec },
});

describe.each([
  ['a state file', rawState],
  ['the output of terraform show', shownState],
])('%s', (_, print) => {
  const read = (...resources: readonly TerraformResource[]): TerraformState =>
    stateOf(print(...resources)).value;
  const problemsOf = (...resources: readonly TerraformResource[]): readonly Problem[] =>
    stateOf(print(...resources)).problems;

  it('has the resources of the gateway, in the shape of the API', () => {
    const acl = {
      resource_pattern: { resource_type: 'TOPIC', name: 'customers', pattern_type: 'LITERAL' },
      principal: 'User:app',
      host: '*',
      operation: 'READ',
      permission_type: 'ALLOW',
    };
    const { managed } = read(
      cluster('prod', { acl_enabled: true, acl_mode: 'REST_API', acls: [acl] }),
      account('orders', 'prod', { type: 'EXTERNAL', external_names: ['CN=orders'] }),
      account('local', null, { type: 'LOCAL', external_names: null }),
      {
        name: 'audit',
        values: interceptorValues('audit', { topic: '.*' }, { vcluster: 'prod', username: 'a' }),
      },
    );
    expect(valuesOf(managed)).toEqual({
      'VirtualCluster/prod': {
        metadata: { name: 'prod' },
        spec: {
          aclEnabled: true,
          aclMode: 'REST_API',
          acls: [
            {
              resourcePattern: { resourceType: 'TOPIC', name: 'customers', patternType: 'LITERAL' },
              principal: 'User:app',
              host: '*',
              operation: 'READ',
              permissionType: 'ALLOW',
            },
          ],
          clientProperties: { PLAIN: { 'sasl.mechanism': 'PLAIN' } },
          superUsers: [],
          type: 'Standard',
        },
      },
      'GatewayServiceAccount/orders@vCluster=prod': {
        metadata: { name: 'orders', vCluster: 'prod' },
        spec: { type: 'EXTERNAL', externalNames: ['CN=orders'] },
      },
      'GatewayServiceAccount/local@vCluster=passthrough': {
        metadata: { name: 'local' },
        spec: { type: 'LOCAL' },
      },
      'Interceptor/audit@vCluster=prod,username=a': {
        metadata: { name: 'audit', scope: { vCluster: 'prod', username: 'a' } },
        spec: {
          pluginClass: 'io.conduktor.gateway.interceptor.EncryptPlugin',
          priority: 1,
          config: { topic: '.*' },
        },
      },
    });
  });

  it('has the addresses of modules, counts and keys as Terraform prints them', () => {
    const of = (name: string, more: Partial<TerraformResource>): TerraformResource => ({
      name: 'audit',
      values: interceptorValues(name, {}),
      ...more,
    });
    const state = read(
      of('one', { key: 0 }),
      of('two', { key: 'eu-west' }),
      of('six', { module: 'module.gateway["eu"]' }),
    );
    expect([...state.managed.values()].flatMap(({ from }) => from)).toEqual([
      'conduktor_gateway_interceptor_v2.audit[0]',
      'conduktor_gateway_interceptor_v2.audit["eu-west"]',
      'module.gateway["eu"].conduktor_gateway_interceptor_v2.audit',
    ]);
  });

  it('says what is global, which the provider cannot express', () => {
    const resource = {
      name: 'all',
      values: interceptorValues('all', {}, { vcluster: null, group: null, username: null }),
    };
    expect([...read(resource).managed.keys()]).toEqual(['Interceptor/all@global']);
    expect(sentences(problemsOf(resource))).toEqual([
      'conduktor_gateway_interceptor_v2.all applies to every client of the gateway; the provider read a global interceptor; its next apply would have made another one, for passthrough only',
    ]);
  });

  it.each([
    [null, 'Interceptor/i@vCluster=passthrough'],
    [{ vcluster: null, group: 'g', username: null }, 'Interceptor/i@vCluster=passthrough,group=g'],
    [{ vcluster: 'a', group: null, username: null }, 'Interceptor/i@vCluster=a'],
  ])('fills in passthrough as the provider does: %j', (scope, address) => {
    expect([...read({ name: 'i', values: interceptorValues('i', {}, scope) }).managed.keys()]).toEqual([
      address,
    ]);
  });

  it('keeps an empty config, nulls in it and keys of prototypes', () => {
    const config = JSON.parse('{"a": null, "b": {}, "__proto__": {"x": 1}, "constructor": []}') as Json;
    const { managed } = read(
      { name: 'empty', values: interceptorValues('empty', {}) },
      { name: 'odd', values: interceptorValues('odd', config) },
    );
    const configs = [...managed.values()].map(({ resource }) => JSON.stringify(resource.spec['config']));
    expect(configs).toEqual(['{}', JSON.stringify(config)]);
  });

  it('tells of a config that is no object, or has a key twice', () => {
    const of = (config: string): readonly string[] =>
      sentences(
        problemsOf({
          name: 'i',
          values: { name: 'i', scope: null, spec: { plugin_class: 'a.B', priority: 1, config } },
        }),
      );
    expect(of('{"a": 12345678901234567890}')).toEqual([]);
    const unread = 'conduktor_gateway_interceptor_v2.i has a config that';
    expect(of('[1]')[0]).toContain(`${unread} is not a JSON object`);
    expect(of('{"a": 1, "a": 2}')[0]).toContain(`${unread} has a map with two equal keys`);
    expect(of('canary-7f3a')[0]).toContain(`${unread} is not JSON;`);
    expect(of('['.repeat(100_000))[0]).toContain(`${unread} is nested deeper than 1024 levels`);
  });

  it('hides what Terraform hides, and in a config that it hides as a whole what may be secret', () => {
    const config = {
      topic: '.*',
      kmsConfig: {
        vault: { uri: 'http://vault:8200', token: 's3cr3t', custom: 'unknown', pin: 4711, on: true },
      },
    };
    const { managed } = read({
      name: 'i',
      values: interceptorValues('i', config),
      sensitive: [['spec', 'config'], ['spec', 'comment'], ['name']],
    });
    const [[address, one] = []] = [...managed];
    if (address === undefined || one === undefined) throw new Error('nothing is managed');
    expect(one.sensitive).toEqual(expect.arrayContaining(['/spec/config', '/metadata/name']));
    expect(hiddenPlaces(knownKind(address, catalog.kinds), one)).toEqual([
      '/spec/config/kmsConfig/vault/custom',
      '/spec/config/kmsConfig/vault/pin',
    ]);
  });

  it('has tokens without their text, and how to issue another one', () => {
    const state = read({
      type: 'gateway_token_v2',
      name: 'app',
      values: { vcluster: 'prod', username: 'orders', lifetime_seconds: 3600, token: 'eyJ-canary' },
      sensitive: [['token']],
    });
    expect(state.managed.size).toBe(0);
    expect(state.tokens).toEqual([
      {
        from: 'conduktor_gateway_token_v2.app',
        username: 'orders',
        vCluster: 'prod',
        lifetimeSeconds: 3600,
      },
    ]);
    expect(state.tokens.map(commandFor)).toEqual([
      'gwconf token issue --account orders --virtual-cluster prod --lifetime 3600s',
    ]);
  });

  it('counts what is not of the gateway, and leaves out what Terraform only reads', () => {
    const { managed, others } = read(
      { type: 'conduktor_console_topic_v2', name: 'topic', values: { name: 'orders' } },
      { type: 'conduktor_console_topic_v2', name: 'other', values: { name: 'other' } },
      { type: 'aws_s3_bucket', name: 'state', values: { id: 'state' } },
      { mode: 'data', name: 'i', values: interceptorValues('i', {}) },
    );
    expect(managed.size).toBe(0);
    expect([...others]).toEqual([
      ['conduktor_console_topic_v2', 2],
      ['aws_s3_bucket', 1],
    ]);
  });

  it('tells of what Terraform would replace, has replaced, manages twice, or does not tell us', () => {
    const of = (name: string, more: Partial<TerraformResource> = {}): TerraformResource => ({
      name,
      values: interceptorValues('i', {}),
      ...more,
    });
    const found = sentences(
      problemsOf(
        of('tainted', { status: 'tainted' }),
        of('old', { status: 'deposed' }),
        of('twice', { values: interceptorValues('i', { topic: 'other' }) }),
        of('later', { type: 'gateway_group_v2' }),
        of('newer', { values: { ...interceptorValues('n', {}), colour: 'red' } }),
        of('nameless', { values: { name: null, spec: {} } }),
        of('hidden', { values: interceptorValues('h', {}), sensitive: [['name']] }),
        of('class', { values: interceptorValues('c', {}), sensitive: [['spec', 'plugin_class']] }),
      ),
    );
    const type = 'conduktor_gateway_interceptor_v2';
    expect(found).toEqual([
      `${type}.tainted is tainted: Terraform would replace it; look whether the gateway has it as it should be`,
      `${type}.old is left over from a replacement; look whether the gateway has it as it should be`,
      `${type}.twice is Interceptor/i@vCluster=passthrough, as ${type}.tainted is, with other values; keep the values that this gateway has, and take out of the state only what is of this gateway: one of them may be of another`,
      'conduktor_gateway_group_v2.later is of a type that gwconf does not know; export it from the gateway, or write its document',
      `${type}.newer has the attribute colour, which gwconf does not know; compare its document with the gateway`,
      `${type}.nameless cannot be taken over: expected metadata.name and spec; export it from the gateway, or write its document`,
      `${type}.hidden has /metadata/name, which Terraform hides, and files show; if it is a secret, replace it on the gateway first`,
      `${type}.class has /spec/pluginClass, which Terraform hides, and files show; if it is a secret, replace it on the gateway first`,
    ]);
  });

  it('takes dependents out of the state first, with words that a shell reads as they are', () => {
    const state = read(
      cluster('prod'),
      account('orders', 'prod', { type: 'LOCAL' }),
      { type: 'gateway_token_v2', name: 'app', values: { username: 'orders' } },
      { name: 'audit', key: "it's", values: interceptorValues('audit', {}) },
    );
    expect(stateRemovals(state, catalog.kinds)).toEqual([
      "terraform state rm 'conduktor_gateway_token_v2.app'",
      String.raw`terraform state rm 'conduktor_gateway_interceptor_v2.audit["it'\''s"]'`,
      "terraform state rm 'conduktor_gateway_service_account_v2.account'",
      "terraform state rm 'conduktor_gateway_virtual_cluster_v2.cluster'",
    ]);
  });

  it('knows OpenTofu by its registry', () => {
    const provider = 'registry.opentofu.org/conduktor/conduktor';
    const state = read({ name: 'i', provider, values: interceptorValues('i', {}) });
    expect(stateRemovals(state, catalog.kinds)).toEqual([
      "tofu state rm 'conduktor_gateway_interceptor_v2.i'",
    ]);
  });

  it('has nothing when there is nothing', () => {
    expect(read()).toEqual({ program: 'terraform', managed: new Map(), tokens: [], others: new Map() });
  });
});

it('prints keys of for_each as HCL does', () => {
  const keys = ['a"b', 'a\\b', '${x}', '%{if}', 'é', 'a\nb'];
  const state = stateOf(
    rawState(...keys.map((key, at) => ({ name: 'i', key, values: interceptorValues(`i${at}`, {}) }))),
  );
  expect([...state.value.managed.values()].flatMap(({ from }) => from)).toEqual(
    [String.raw`a\"b`, String.raw`a\\b`, '$${x}', '%%{if}', 'é', String.raw`a\nb`].map(
      (key) => `conduktor_gateway_interceptor_v2.i["${key}"]`,
    ),
  );
});

it.each([
  ['', 'is not JSON', 'show -json'],
  ['nonsense', 'is not JSON', 'show -json'],
  ['[]', 'is not a JSON object', 'show -json'],
  ['{}', 'is neither output of terraform show -json nor a state file', 'show -json'],
  ['{"version": "v1", "resources": []}', 'is neither output of terraform show -json', 'show -json'],
  ['{"version": 4, "version": 4, "serial": 1}', 'has a map with two equal keys', 'show -json'],
  ['{"version": 3, "serial": 1, "modules": []}', 'is a state of version 3; expected 4', 'show -json'],
  ['{"format_version": "2.0", "values": {}}', 'has the format version 2.0', 'state pull'],
  ['{"format_version": "1.2", "planned_values": {}}', 'is a plan of Terraform, not a state', 'show -json'],
  ['{"serial": 1, "encrypted_data": "x"}', 'is an encrypted state of OpenTofu', 'tofu show -json'],
  [`{"version":${'['.repeat(2000)}`, 'is nested deeper than 1024 levels', 'show -json'],
  ['{\0"\0a\0"\0', 'is UTF-16, not UTF-8', 'show -json'],
])('refuses what is not a state: %s', (text, message, hint) => {
  const { value, problems } = readTerraform(text, 'state.json', catalog.kinds);
  expect(value).toBeUndefined();
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatchObject({ code: 'invalid-state', severity: 'error' });
  expect(problems[0]?.message).toContain(`state.json ${message}`);
  expect(problems[0]?.hint).toContain(hint);
});

it('counts what is incomplete, or has an address that Terraform does not print', () => {
  const shown = {
    format_version: '1.0',
    values: {
      root_module: {
        resources: [null, { address: 'a.b' }, { address: 'a.b\nrm -rf /', type: 'a', values: {} }],
      },
    },
  };
  const raw = {
    version: 4,
    serial: 1,
    resources: [
      { type: 'a', name: 'b' },
      { type: 'a', name: 'b\nc', instances: [{ attributes: {} }] },
      { type: 'a', name: 'b', instances: [{ attributes: {}, index_key: {} }] },
    ],
  };
  for (const state of [shown, raw]) {
    const { problems } = readTerraform(JSON.stringify(state), 'state.json', catalog.kinds);
    expect(sentences(problems)).toEqual([
      'state.json has 3 resources without a type, an address of that type, or attributes; write it with terraform show -json > FILE',
    ]);
  }
});

it('ignores a byte order mark', () => {
  expect(stateOf(`\uFEFF${rawState()}`).value.managed.size).toBe(0);
});

function stateOf(text: string): { readonly value: TerraformState; readonly problems: readonly Problem[] } {
  const { value, problems } = readTerraform(text, 'state.json', catalog.kinds);
  if (value === undefined) throw new Error(problems[0]?.message ?? 'no state');
  return { value, problems };
}

/** Resources without what all of a kind have in common. */
function valuesOf(managed: TerraformState['managed']): object {
  return Object.fromEntries(
    [...managed].map(
      ([
        address,
        {
          resource: { metadata, spec },
        },
      ]) => [address, { metadata, spec }],
    ),
  );
}

function sentences(problems: readonly Problem[]): readonly string[] {
  return problems.map(({ message, hint = '' }) => `${message}; ${hint}`);
}
