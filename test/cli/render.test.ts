import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { makeWorld, verdictOf, wrongUsage } from '../support/cli.ts';
import { documentOf } from '../support/documents.ts';

const FILE = `
  apiVersion: gateway/v2
  kind: GatewayInterceptor
  metadata: { name: own }
  spec:
    pluginClass: com.example.Own
    priority: 1
    config: { note: "\${WORD}", password: hunter2, plain: text, list: [b, a] }
  ---
  apiVersion: gateway/v2
  kind: GatewayGroup
  metadata: { name: g }
  spec: { members: [{ name: bob }, { name: ann, vCluster: a }] }
  ---
  apiVersion: gateway/v2
  kind: AliasTopic
  metadata: { name: orders }
  spec: { physicalName: x }
`;

const OF_ACLS = '{ aclEnabled: "${WORD}", aclMode: KAFKA_API, superUsers: [boss] }';
const OF_TYPE = '{ type: "${WORD}", externalNames: [x] }';

describe('gwconf render', () => {
  it('prints what is compared, in the order of addresses: one name for a kind, defaults filled in, secrets as marks', async () => {
    const world = makeWorld({ 'a.yaml': FILE });
    world.env['WORD'] = 'from-outside';
    const { code, out, err } = await world.run('render', 'a.yaml');
    expect(code).toBe(0);
    expect(verdictOf({ err })).toBe('result: valid');
    expect(out).toBe(`apiVersion: gateway/v2
kind: AliasTopic
metadata:
  name: orders
  vCluster: passthrough
spec:
  physicalName: x
  physicalCluster: main
---
apiVersion: gateway/v2
kind: GatewayGroup
metadata:
  name: g
spec:
  members:
    - name: bob
      vCluster: passthrough
    - name: ann
      vCluster: a
  externalGroups: []
---
apiVersion: gateway/v2
kind: Interceptor
metadata:
  name: own
  scope:
    vCluster: passthrough
    group: null
    username: null
spec:
  pluginClass: com.example.Own
  priority: 1
  config:
    note: (hidden)
    password: (hidden)
    plain: text
    list:
      - b
      - a
  comment: ""
`);
    expect(out + err).not.toMatch(/hunter2|from-outside/);
  });

  it.each<readonly [field: string, document: string, values: readonly [string, string]]>([
    ['ACL flag', documentOf('VirtualCluster', '{ name: a }', OF_ACLS), ['true', 'false']],
    ['type', documentOf('GatewayServiceAccount', '{ name: app }', OF_TYPE), ['LOCAL', 'EXTERNAL']],
  ])('fills in nothing that tells of a hidden %s', async (_, document, values) => {
    const world = makeWorld({ 'a.yaml': document });
    const printed = async (value: string): Promise<string> => {
      world.env['WORD'] = value;
      return (await world.run('render', 'a.yaml')).out;
    };
    const [one, other] = [await printed(values[0]), await printed(values[1])];
    expect(one).toContain('(hidden)');
    expect(one).toBe(other);
  });

  it('prints the same as JSON', async () => {
    const world = makeWorld({ 'a.yaml': FILE });
    world.env['WORD'] = 'x';
    const yaml = await world.run('render', 'a.yaml');
    const json = await world.run('render', 'a.yaml', '-o', 'json');
    expect(JSON.parse(json.out)).toEqual(
      parseAllDocuments(yaml.out).map((document) => document.toJS() as unknown),
    );
  });

  it('prints the same for the same, however it is written', async () => {
    const one = makeWorld({ 'a.yaml': FILE });
    const other = makeWorld({
      'a.yaml': FILE.replace('kind: GatewayInterceptor', 'kind: Interceptor')
        .replace('metadata: { name: own }', 'metadata: { scope: { username: null }, name: own }')
        .replace('{ name: ann, vCluster: a }', '{ vCluster: a, name: ann }'),
    });
    one.env['WORD'] = other.env['WORD'] = 'x';
    const parsed = async (world: typeof one): Promise<unknown> =>
      JSON.parse((await world.run('render', 'a.yaml', '-o', 'json')).out) as unknown;
    expect(await parsed(other)).toEqual(await parsed(one));
  });

  it('turns user mappings into what they become', async () => {
    const world = makeWorld({
      'a.yaml': `
        apiVersion: gwconf/v1
        kind: UserMapping
        metadata: { name: payments-api }
        spec: { principal: x, groups: [g] }
        ---
        apiVersion: gateway/v2
        kind: GatewayGroup
        metadata: { name: g }
        spec: {}
      `,
    });
    const { out } = await world.run('render', 'a.yaml');
    expect(out).toContain('kind: GatewayServiceAccount');
    expect(out).toContain('- name: payments-api');
    expect(out).not.toContain('UserMapping');
  });

  it('prints nothing while there are errors', async () => {
    const world = makeWorld({ 'a.yaml': FILE.replace('"${WORD}"', '"${1WORD}"') });
    const { code, out, err } = await world.run('render', 'a.yaml');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain('error[bad-placeholder]');
    expect(verdictOf({ err })).toBe('result: error');
  });

  it('can be read back, and renders to itself', async () => {
    const world = makeWorld({
      'a.yaml': FILE.replace('"${WORD}"', '"$$$${LATER}"').replace('password: hunter2, ', ''),
    });
    const { out } = await world.run('render', 'a.yaml');
    expect(out).toContain('${LATER}');
    world.write('b.yaml', out.replace('${LATER}', '$$$${LATER}'));
    expect((await world.run('render', 'b.yaml')).out).toBe(out);
  });

  it.each([
    [['-o', 'human'], wrongUsage('render prints -o yaml, -o json')],
    [['-o', 'yaml', '-o', 'json'], wrongUsage('render prints -o yaml, -o json')],
  ])('refuses %j', async (args, told) => {
    const { code, err } = await makeWorld({ 'a.yaml': FILE }).run('render', 'a.yaml', ...args);
    expect([code, err]).toEqual([64, told]);
  });
});
