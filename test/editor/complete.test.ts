import { describe, expect, it } from 'vitest';
import { completeAt } from '../../src/editor/complete.ts';
import { cursorIn, lookAt } from '../support/look.ts';
import { cluster, projectOf, account, documentOf, alias, all } from '../support/documents.ts';

const FILES = {
  'gwconf.yaml': projectOf({
    dev: "files: [base], variables: { replicas: 3 }, publicVariables: [REGION], protection: { pii: ['*.Mask'] }",
    prod: 'files: [base, prod]',
  }),
  'base/clients.yaml': all(
    cluster('shop', '{ aclEnabled: false }'),
    account('shop-app', 'shop'),
    documentOf('GatewayServiceAccount', '{ name: other-app }', '{ type: LOCAL }'),
    documentOf('GatewayGroup', '{ name: shoppers }', '{ members: [{ name: shop-app, vCluster: shop }] }'),
    alias('orders.v1', 'orders', 'shop'),
  ),
  'prod/only.yaml': cluster('partners', '{ aclEnabled: false }'),
};

const look = lookAt(FILES);

function at(marked: string, path = 'base/new.yaml') {
  const { file, offset } = cursorIn(path, marked);
  const items = completeAt(look, file, offset);
  return {
    labels: items.map(({ label }) => label),
    of: (label: string) => items.find((one) => one.label === label),
    textOf: (label: string) => {
      const edit = items.find((one) => one.label === label)?.textEdit;
      return edit && 'range' in edit
        ? [edit.newText, edit.range.start.character, edit.range.end.character]
        : undefined;
    },
  };
}

const INTERCEPTOR = `apiVersion: gateway/v2
kind: Interceptor
metadata: { name: mask, scope: { vCluster: shop } }
spec:
  pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin
  priority: 1
`;

describe('completion', () => {
  it('begins a document with its kind, or with a whole template', () => {
    expect(at('‸').labels).toEqual(
      expect.arrayContaining(['apiVersion', 'kind', 'Interceptor …', 'FieldLevelDataMaskingPlugin …']),
    );
    expect(at('‸').textOf('AliasTopic …')?.[0]).toContain('kind: AliasTopic\n');
    expect(at('kind: ‸').labels).toEqual(expect.arrayContaining(['AliasTopic', 'UserMapping', 'Removal']));
    expect(at('kind: ‸').labels).not.toContain('ConcentratedTopic'); // only the gateway creates it
    expect(at('apiVersion: ‸').labels).toEqual(['gateway/v2', 'gwconf/v1']);
  });

  it('offers the fields that are not there yet, those that must be first, with what is known of them', () => {
    const found = at('kind: AliasTopic\nmetadata:\n  name: a\n  ‸\nspec: {}\n');
    expect(found.labels).toEqual(['vCluster']);
    expect(found.of('vCluster')?.documentation).toMatchObject({
      value: expect.stringContaining('The virtual cluster of the resource') as string,
    });
    expect(found.textOf('vCluster')).toEqual(['vCluster: ${0:passthrough}', 2, 2]);
    expect(at('kind: AliasTopic\nspec:\n  ‸').labels).toEqual(['physicalName', 'physicalCluster']);
    expect(at('kind: AliasTopic\nspec:\n  phy‸').textOf('physicalName')).toEqual(['physicalName: $0', 2, 5]);
    expect(at('kind: AliasTopic\nspec: { phy‸ }').labels).toContain('physicalName');
    expect(at('kind: AliasTopic\n‸').labels.slice(0, 3)).toEqual(['apiVersion', 'metadata', 'spec']);
    expect(at('kind: AliasTopic\n‸').labels).toEqual(expect.arrayContaining(['protect', 'overlay']));
  });

  it('begins the items of a list', () => {
    const found = at('kind: GatewayGroup\nmetadata: { name: g }\nspec:\n  members:\n    ‸');
    expect(found.textOf('name')?.[0]).toBe('- name: $0');
    expect(at('kind: GatewayGroup\nspec:\n  members:\n    - ‸').textOf('name')?.[0]).toBe('name: $0');
    expect(at('kind: GatewayGroup\nspec:\n  members:\n    - name: a\n      ‸').labels).toEqual(['vCluster']);
  });

  it('offers the values of a field', () => {
    expect(at('kind: GatewayServiceAccount\nspec:\n  type: ‸').labels).toEqual(['LOCAL', 'EXTERNAL']);
    expect(at('kind: VirtualCluster\nspec:\n  aclEnabled: ‸').labels).toEqual(['true', 'false']);
  });

  it('offers plugin classes, and the fields of the config of one', () => {
    const classes = at('kind: Interceptor\nspec:\n  pluginClass: Mask‸');
    expect(classes.labels).toContain('io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin');
    expect(at(`${INTERCEPTOR}  config:\n    ‸`).labels).toEqual(
      expect.arrayContaining(['topic', 'policies']),
    );
    expect(at(`${INTERCEPTOR}  config:\n    policies:\n      - rule:\n          type: ‸`).labels).toContain(
      'MASK_ALL',
    );
  });

  it.each([
    ['kind: AliasTopic\nmetadata:\n  vCluster: ‸', ['partners', 'shop', 'passthrough']],
    ['kind: Interceptor\nmetadata:\n  scope: { group: ‸ }', ['shoppers']],
    ['kind: Interceptor\nmetadata:\n  scope: { vCluster: shop, username: ‸ }', ['shop-app']],
    ['kind: Interceptor\nmetadata:\n  scope:\n    username: ‸', ['other-app']],
    ['kind: GatewayGroup\nspec:\n  members:\n    - vCluster: shop\n      name: ‸', ['shop-app']],
    ['kind: GatewayGroup\nspec: { members: [{ name: ‸ }] }', ['other-app']],
    ['kind: UserMapping\nmetadata: { name: u }\nspec:\n  principal: x\n  groups: [‸]', ['shoppers']],
    [`${INTERCEPTOR}  config:\n    topic: ‸`, ['orders.v1']],
  ])('offers the names of objects in %j', (marked, names) => {
    expect(at(marked).labels.filter((label) => label !== '.*')).toEqual(names);
  });

  it('says in which environments a name is, and escapes a topic where a pattern stands', () => {
    expect(at('kind: AliasTopic\nmetadata:\n  vCluster: ‸').of('partners')?.detail).toBe(
      'VirtualCluster in prod',
    );
    expect(at(`${INTERCEPTOR}  config:\n    topic: ‸`).textOf('orders.v1')?.[0]).toBe('orders\\.v1');
  });

  it('offers variables, and never a value of one', () => {
    const found = at('kind: AliasTopic\nspec:\n  physicalName: x-${‸');
    expect(found.labels).toEqual(expect.arrayContaining(['var.replicas', 'REGION']));
    expect(found.textOf('REGION')).toEqual(['REGION}', 20, 20]);
    expect(at('a: "${RE‸}"').textOf('REGION')).toEqual(['REGION', 6, 8]);
  });

  it('offers addresses in files of gwconf', () => {
    const address = 'AliasTopic/orders.v1@vCluster=shop';
    expect(at('kind: Removal\nspec:\n  remove:\n    - ‸').labels).toContain(address);
    expect(at('kind: Removal\nspec:\n  remove:\n    ‸').textOf(address)?.[0]).toBe(`- ${address}`);
    const project = 'apiVersion: gwconf/v1\nkind: Project\nenvironments:\n  dev:\n    ';
    expect(at(`${project}external: [‸]`, 'gwconf.yaml').labels).toContain(address);
    expect(at(`${project}manages:\n      - kind: ‸`, 'gwconf.yaml').labels).toContain('Interceptor');
    expect(at(`${project}sec‸`, 'gwconf.yaml').labels).toContain('security');
    expect(at(`${project}security: ‸`, 'gwconf.yaml').labels).toContain('PLAINTEXT');
    const test =
      'kind: Test\ncases:\n  - as: { username: shop-app, virtualCluster: shop }\n    expect:\n      ';
    expect(at(`${test}protectedBy: [‸]`, 'a.gwtest.yaml').labels).toEqual(
      expect.arrayContaining(['masking', 'pii']),
    );
    expect(at(`${test}chain: [‸]`, 'a.gwtest.yaml').labels).toContain(address);
    expect(at('kind: Test\nenvironment: ‸', 'a.gwtest.yaml').labels).toEqual(['dev', 'prod']);
    expect(
      at('kind: Test\ncases:\n  - as: { virtualCluster: shop, username: ‸ }', 'a.gwtest.yaml').labels,
    ).toEqual(['shop-app']);
    expect(at('cases:\n  - topic: ‸', 'a.gwtest.yaml').labels).toEqual(['orders.v1']);
    expect(at('kind: Policy\nspec:\n  match: { kind: ‸ }', 'a.policy.yaml').labels).toContain('AliasTopic');
  });

  it('offers nothing in a comment', () => {
    expect(at('# kind: ‸\n').labels).toEqual([]);
  });
});
