import type { WorkspaceEdit } from 'vscode-languageserver-types';
import { describe, expect, it } from 'vitest';
import { definitionsAt, findSymbols, highlightsAt, referencesAt } from '../../src/editor/navigate.ts';
import { foldingOf, lensesOf, outlineOf } from '../../src/editor/outline.ts';
import type { Look } from '../../src/editor/look.ts';
import { renamableAt, renameAt } from '../../src/editor/rename.ts';
import { lookAt } from '../support/look.ts';
import { projectOf, cluster, account, documentOf, all } from '../support/documents.ts';

const FILES: Readonly<Record<string, string>> = {
  'gwconf.yaml': projectOf({
    dev: 'files: [base], variables: { partitions: 3 }, external: [GatewayServiceAccount/shop-app@vCluster=shop]',
    prod: "files: [base, prod], protect: [{ address: 'Interceptor/mask*', reason: cards }]",
  }),
  'base/clients.yaml': all(
    cluster('shop', '{ aclEnabled: false }'),
    account('shop-app', 'shop'),
    `apiVersion: gateway/v2
kind: GatewayGroup
metadata: { name: shoppers }
spec:
  members:
    - name: shop-app
      vCluster: shop
`,
    documentOf('AliasTopic', '{ name: orders, vCluster: "shop" }', '{ physicalName: orders-v1 }'),
    `apiVersion: gwconf/v1
kind: UserMapping
metadata: { name: anna, vCluster: shop }
spec: { principal: a-b-c, groups: [shoppers] }
`,
  ),
  'base/mask.yaml': `apiVersion: gateway/v2
kind: Interceptor
metadata: { name: mask, scope: { vCluster: shop, group: shoppers } }
spec:
  pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin
  priority: 10
  config:
    topic: orders
    policies: [{ name: a, rule: { type: MASK_ALL }, fields: [card] }]
---
apiVersion: gateway/v2
kind: Interceptor
metadata: { name: own, scope: { vCluster: shop, username: shop-app } }
spec:
  comment: |
    for
    one
  pluginClass: io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin
  priority: 20
  config: { topic: 'audit', action: BLOCK }
`,
  'prod/over.yaml': `apiVersion: gateway/v2
kind: Interceptor
overlay: true
metadata: { name: mask, scope: { vCluster: shop, group: shoppers } }
spec: { priority: 99 }
`,
  'a.gwtest.yaml': `apiVersion: gwconf/v1
kind: Test
cases:
  - name: masked
    as: { username: shop-app, virtualCluster: shop, groups: [shoppers] }
    expect: { chain: ['Interceptor/mask@vCluster=shop,group=shoppers'] }
`,
};

const look = lookAt(FILES);
const uriOf = (path: string): string => `file:///p/${path}`;

/** The offset in a file of a text in its context. */
function place(path: string, context: string, text = context): readonly [typeof look, never, number] {
  const whole = FILES[path] ?? '';
  const offset = whole.indexOf(context) + context.lastIndexOf(text) + 1;
  return [look, look.files.get(path) as never, offset];
}

type Found = {
  readonly uri: string;
  readonly range: { readonly start: { line: number; character: number } };
};

/** Places as editors show them, from one. */
function shown(found: readonly Found[]): readonly string[] {
  return found
    .map(
      ({ uri, range: { start } }) =>
        `${uri.replace('file:///p/', '')}:${start.line + 1}:${start.character + 1}`,
    )
    .sort();
}

describe('definition', () => {
  it.each([
    ['base/mask.yaml', 'group: shoppers', 'shoppers', ['base/clients.yaml:13:19']],
    ['base/mask.yaml', 'username: shop-app', 'shop-app', ['base/clients.yaml:8:19']],
    ['base/clients.yaml', '- name: shop-app', 'shop-app', ['base/clients.yaml:8:19']],
    ['base/clients.yaml', '  vCluster: shop', 'shop', ['base/clients.yaml:3:19']],
    ['base/clients.yaml', 'groups: [shoppers', 'shoppers', ['base/clients.yaml:13:19']],
    ['a.gwtest.yaml', 'username: shop-app', 'shop-app', ['base/clients.yaml:8:19']],
    ['a.gwtest.yaml', 'groups: [shoppers', 'shoppers', ['base/clients.yaml:13:19']],
    ['a.gwtest.yaml', 'Interceptor/mask', 'mask', ['base/mask.yaml:3:19', 'prod/over.yaml:4:19']],
    ['gwconf.yaml', 'GatewayServiceAccount/', 'Account', ['base/clients.yaml:8:19']],
    ['gwconf.yaml', "'Interceptor/mask*", 'mask', ['base/mask.yaml:3:19', 'prod/over.yaml:4:19']],
    ['prod/over.yaml', 'name: mask', 'mask', ['base/mask.yaml:3:19', 'prod/over.yaml:4:19']],
    ['base/mask.yaml', 'topic: orders', 'orders', ['base/clients.yaml:21:19']],
    ['base/mask.yaml', 'priority: 10', '10', []],
  ])('in %s, of %s at %s', (path, context, text, found) => {
    expect(shown(definitionsAt(...place(path, context, text), uriOf))).toEqual(found);
  });
});

describe('references', () => {
  it('are all that name an account: its group, an interceptor, a test, and the project file', () => {
    const found = referencesAt(...place('base/clients.yaml', 'name: shop-app', 'shop-app'), uriOf, {
      withDeclaration: false,
    });
    expect(shown(found)).toEqual([
      'a.gwtest.yaml:5:21',
      'base/clients.yaml:16:13',
      'base/mask.yaml:13:59',
      'gwconf.yaml:4:66',
    ]);
  });

  it('are all that name a group, also a document that adds a member to it', () => {
    const found = referencesAt(...place('base/clients.yaml', 'name: shoppers', 'shoppers'), uriOf, {
      withDeclaration: true,
    });
    expect(shown(found)).toEqual([
      'a.gwtest.yaml:5:62',
      'base/clients.yaml:13:19',
      'base/clients.yaml:27:36',
      'base/mask.yaml:3:57',
      'prod/over.yaml:4:57',
    ]);
  });

  it('of a file are what an editor highlights', () => {
    expect(shown(highlightsAt(...place('base/mask.yaml', 'name: mask', 'mask')))).toEqual([
      'base/mask.yaml:3:19',
    ]);
  });
});

/** The files after an edit. */
function after(edit: WorkspaceEdit, files = FILES): Record<string, string> {
  const changed: Record<string, string> = {};
  for (const change of edit.documentChanges ?? []) {
    if (!('edits' in change)) continue;
    const path = change.textDocument.uri.replace('file:///p/', '');
    const lines = (files[path] ?? '').split('\n');
    const offsetOf = ({ line, character }: { line: number; character: number }): number =>
      lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
    const edits = change.edits.flatMap((one) => ('range' in one && 'newText' in one ? [one] : []));
    changed[path] = edits
      .sort((one, other) => offsetOf(other.range.start) - offsetOf(one.range.start))
      .reduce(
        (text, { range, newText }) =>
          text.slice(0, offsetOf(range.start)) + newText + text.slice(offsetOf(range.end)),
        files[path] ?? '',
      );
  }
  return changed;
}

describe('rename', () => {
  it('changes every name and address, and says to the gateway what moved', () => {
    const asked = renamableAt(...place('a.gwtest.yaml', 'Interceptor/mask', 'mask'));
    expect(asked).toMatchObject({ placeholder: 'mask' });
    const edit = renameAt(...place('base/mask.yaml', 'name: mask', 'mask'), 'hide', {
      uriOf,
      isLive: () => undefined,
    });
    if ('refusal' in edit) throw new Error(edit.refusal);
    const changed = after(edit);
    expect(Object.keys(changed).sort()).toEqual(['a.gwtest.yaml', 'base/mask.yaml', 'prod/over.yaml']);
    expect(changed['a.gwtest.yaml']).toContain("chain: ['Interceptor/hide@vCluster=shop,group=shoppers']");
    expect(changed['prod/over.yaml']).toContain('{ name: hide,');
    expect(changed['base/mask.yaml']).toContain('from: Interceptor/mask@vCluster=shop,group=shoppers\n');
    expect(changed['base/mask.yaml']).toContain('to: Interceptor/hide@vCluster=shop,group=shoppers\n');
    expect(Object.values(edit.changeAnnotations ?? {})).toMatchObject([{ needsConfirmation: true }]);
    const again = lookAt({ ...FILES, ...changed });
    expect(again.environments.flatMap(({ problems }) => problems)).toEqual([]);
    expect([...(again.environments[1]?.declared.keys() ?? [])]).toContain(
      'Interceptor/hide@vCluster=shop,group=shoppers',
    );
  });

  it('keeps a name with a comma one name, also in braces', () => {
    const edit = renameAt(...place('base/mask.yaml', 'name: mask', 'mask'), 'hide, {all}', {
      uriOf,
      isLive: () => false,
    });
    if ('refusal' in edit) throw new Error(edit.refusal);
    const changed = after(edit);
    expect(changed['prod/over.yaml']).toContain('{ name: "hide, {all}",');
    const again = lookAt({ ...FILES, ...changed });
    expect([...(again.environments[1]?.declared.keys() ?? [])]).toContain(
      'Interceptor/hide, {all}@vCluster=shop,group=shoppers',
    );
  });

  it('moves what is in a virtual cluster with it', () => {
    const edit = renameAt(...place('base/clients.yaml', 'name: shop }', 'shop'), 'store', {
      uriOf,
      isLive: () => undefined,
    });
    if ('refusal' in edit) throw new Error(edit.refusal);
    const changed = after(edit);
    const again = lookAt({ ...FILES, ...changed });
    expect(again.environments.flatMap(({ problems }) => problems)).toEqual([]);
    const addresses = [...(again.environments[0]?.declared.keys() ?? [])];
    expect(addresses.filter((address) => address.includes('shop'))).toEqual([
      'GatewayServiceAccount/shop-app@vCluster=store',
      'GatewayGroup/shoppers',
      'Interceptor/mask@vCluster=store,group=shoppers',
      'Interceptor/own@vCluster=store,username=shop-app',
    ]);
    expect(changed['base/clients.yaml']).toContain('vCluster: "store"');
    expect(changed['base/clients.yaml']).toContain('to: AliasTopic/orders@vCluster=store');
    expect(changed['gwconf.yaml']).toContain('GatewayServiceAccount/shop-app@vCluster=store');
    expect(changed['a.gwtest.yaml']).toContain('virtualCluster: store');
  });

  it('says to the gateway of each environment what moved, also of an interceptor that is global', () => {
    const global = documentOf(
      'Interceptor',
      '{ name: audit, scope: { vCluster: null } }',
      "{ pluginClass: io.conduktor.gateway.interceptor.safeguard.ReadOnlyTopicPolicyPlugin, priority: 1, config: { topic: 'audit', action: BLOCK } }",
    );
    const files = {
      'gwconf.yaml': projectOf({ dev: 'files: [both, dev]', prod: 'files: [both, prod]' }),
      'both/topics.yaml': documentOf('AliasTopic', '{ name: orders, vCluster: shop }', '{ physicalName: a }'),
      'dev/all.yaml': all(cluster('shop'), global),
      'prod/all.yaml': all(
        cluster('shop'),
        global,
        documentOf('AliasTopic', '{ name: bills, vCluster: shop }', '{ physicalName: b }'),
      ),
    };
    const look = lookAt(files);
    const file = look.files.get('prod/all.yaml') ?? { path: '', text: '' };
    const renamed = (name: string, to: string): Readonly<Record<string, string>> => {
      const edit = renameAt(look, file, file.text.indexOf(`name: ${name}`) + 7, to, {
        uriOf,
        isLive: () => undefined,
      });
      if ('refusal' in edit) throw new Error(edit.refusal);
      const changed = after(edit, files);
      const again = lookAt({ ...files, ...changed });
      expect(again.environments.flatMap(({ problems }) => problems)).toEqual([]);
      return changed;
    };
    for (const [path, text] of Object.entries(renamed('audit', 'log'))) {
      expect(path).toMatch(/^(?:dev|prod)\/all/);
      expect(text).toContain('- from: Interceptor/audit@global\n      to: Interceptor/log@global\n');
    }
    const changed = renamed('shop', 'store');
    expect(changed['both/topics.yaml']).toContain('to: AliasTopic/orders@vCluster=store\n');
    expect(changed['dev/all.yaml']).toContain('to: VirtualCluster/store\n');
    expect(changed['dev/all.yaml']).not.toContain('bills');
    expect(changed['prod/all.yaml']).toContain('to: AliasTopic/bills@vCluster=store\n');
  });

  it('changes the topic in the config of what protects it', () => {
    const edit = renameAt(...place('base/clients.yaml', 'name: orders', 'orders'), 'sales.v2', {
      uriOf,
      isLive: () => undefined,
    });
    if ('refusal' in edit) throw new Error(edit.refusal);
    const changed = after(edit);
    expect(changed['base/mask.yaml']).toContain('topic: sales.v2\n');
    const again = lookAt({ ...FILES, ...changed });
    const file = again.files.get('base/clients.yaml') as never;
    expect(lensesOf(again, file).map(({ command }) => command?.title)).toEqual(['masking']);
  });

  it('changes the topic in cases of tests and in ACLs that mean it, and no other one of its name', () => {
    const acl = (name: string, type: string, pattern: string): string =>
      `{ resourcePattern: { resourceType: ${type}, name: ${name}, patternType: ${pattern} }, principal: 'User:shop-app', host: '*', operation: READ, permissionType: DENY }`;
    const acls = [
      acl('orders', 'TOPIC', 'LITERAL'),
      acl('orders', 'TOPIC', 'PREFIXED'),
      acl('orders', 'GROUP', 'LITERAL'),
    ];
    const files = {
      ...FILES,
      'base/clients.yaml': (FILES['base/clients.yaml'] ?? '').replace(
        'aclEnabled: false',
        `aclEnabled: true, aclMode: REST_API, acls: [${acls.join(', ')}]`,
      ),
      'b.gwtest.yaml': `apiVersion: gwconf/v1
kind: Test
cases:
  - { as: { username: shop-app, virtualCluster: shop }, topic: orders, expect: { chain: [] } }
  - { as: { username: shop-app, virtualCluster: other }, topic: orders, expect: { chain: [] } }
  - { as: { username: shop-app, virtualCluster: shop }, topic: undeclared, expect: { chain: [] } }
`,
    };
    const within = lookAt(files);
    const file = within.files.get('base/clients.yaml') as { path: string; text: string };
    const found = referencesAt(within, file, file.text.indexOf('name: orders, vCluster') + 7, uriOf, {
      withDeclaration: false,
    });
    const name = file.text.split('\n')[3]?.indexOf('name: orders') ?? 0;
    expect(shown(found)).toEqual([
      'b.gwtest.yaml:4:64',
      `base/clients.yaml:4:${name + 7}`,
      'base/mask.yaml:8:12',
    ]);
    const test = within.files.get('b.gwtest.yaml') as typeof file;
    const at = (text: string): number => test.text.indexOf(text) + 8;
    expect(shown(definitionsAt(within, test, at('topic: orders'), uriOf))).toEqual([
      'base/clients.yaml:21:19',
    ]);
    expect(definitionsAt(within, test, at('topic: undeclared'), uriOf)).toEqual([]);
    const edit = renameAt(within, test, at('topic: orders'), 'sales', { uriOf, isLive: () => undefined });
    if ('refusal' in edit) throw new Error(edit.refusal);
    expect(JSON.stringify(edit).split('"newText":"sales"')).toHaveLength(5);
  });

  it('changes the principals of ACLs, and super users', () => {
    const acl = `{ resourcePattern: { resourceType: TOPIC, name: a, patternType: LITERAL }, principal: 'User:shop-app', host: '*', operation: READ, permissionType: DENY }`;
    const files = {
      ...FILES,
      'base/clients.yaml': (FILES['base/clients.yaml'] ?? '').replace(
        'aclEnabled: false',
        `aclEnabled: true, aclMode: REST_API, acls: [${acl}]`,
      ),
    };
    const within = lookAt(files);
    const file = within.files.get('base/clients.yaml') ?? { path: '', text: '' };
    const edit = renameAt(within, file, file.text.indexOf('name: shop-app') + 7, 'store-app', {
      uriOf,
      isLive: () => undefined,
    });
    if ('refusal' in edit) throw new Error(edit.refusal);
    expect(JSON.stringify(edit)).toContain('"newText":"User:store-app"');
    const users = {
      ...files,
      'base/clients.yaml': files['base/clients.yaml'].replace(/acls: \[.*\]/, 'superUsers: [shop-app]'),
    };
    const other = lookAt(users);
    const there = other.files.get('base/clients.yaml') ?? { path: '', text: '' };
    const found = definitionsAt(other, there, there.text.indexOf('[shop-app') + 3, uriOf);
    expect(shown(found)).toEqual(['base/clients.yaml:8:19']);
  });

  it('says which rules no longer match', () => {
    const edit = renameAt(...place('base/mask.yaml', 'name: mask', 'mask'), 'hide', {
      uriOf,
      isLive: () => undefined,
    });
    expect(JSON.stringify(edit)).toContain('is not matched by what matches the old one at gwconf.yaml:5.');
  });

  it('adds no Removal for what the gateway has not', () => {
    const edit = renameAt(...place('base/mask.yaml', 'name: own', 'own'), 'mine', {
      uriOf,
      isLive: () => false,
    });
    if ('refusal' in edit) throw new Error(edit.refusal);
    expect(after(edit)['base/mask.yaml']).not.toContain('Removal');
  });

  it.each([
    [
      'base/clients.yaml',
      'name: shop-app',
      'shop-app',
      'a b',
      'this cannot be the name of a GatewayServiceAccount: expected 3 to 64 letters, digits, - or _',
    ],
    ['base/clients.yaml', 'name: shop-app', 'shop-app', 'shop-app', 'the name is the same'],
    [
      'base/clients.yaml',
      'name: shop-app',
      'shop-app',
      'anna',
      'GatewayServiceAccount/anna@vCluster=shop is declared already',
    ],
    ['base/mask.yaml', 'name: own', 'own', '..', 'this name does not fit in a URL'],
    ['base/mask.yaml', 'name: own', 'own', '*x', 'a name with ${ or * is to be written by hand'],
    ['base/mask.yaml', 'name: own', 'own', '${X}', 'a name with ${ or * is to be written by hand'],
    ['base/mask.yaml', 'priority: 10', '10', 'x', 'this is not the name of an object'],
  ])('in %s refuses %s, %s to %s', (path, context, text, name, refusal) => {
    expect(renameAt(...place(path, context, text), name, { uriOf, isLive: () => undefined })).toEqual({
      refusal,
    });
  });
});

describe('rename, while some names are not known', () => {
  const over = FILES['prod/over.yaml'] ?? '';
  const refusalIn = (files: Readonly<Record<string, string>>, problems: Look['problems'] = []): unknown => {
    const within = { ...lookAt({ ...FILES, ...files }), problems };
    const file = within.files.get('base/mask.yaml') ?? { path: '', text: '' };
    return renameAt(within, file, file.text.indexOf('name: mask') + 6, 'hide', {
      uriOf,
      isLive: () => undefined,
    });
  };

  it.each([
    ['a document that is not YAML', over.replace('99 }', '99')],
    ['a document of a kind that there is not', over.replace('kind: Interceptor', 'kind: Intercept')],
    ['a document with a list in place of its metadata', over.replace(/metadata: .*/, 'metadata: []')],
  ])('refuses because of %s', (_, text) => {
    expect(refusalIn({ 'prod/over.yaml': text })).toEqual({
      refusal: expect.stringMatching(
        /^prod\/over\.yaml:\d has an error, so not all names are known; mend it first$/,
      ) as string,
    });
  });

  it('refuses because of an error in gwconf.yaml, and not because of one in a test', () => {
    const errorIn = (path: string): Look['problems'] => {
      const file = look.files.get(path) as never;
      return [{ code: 'unknown-field', severity: 'error', message: 'no', at: { file, offset: 0 } }];
    };
    expect(refusalIn({}, errorIn('gwconf.yaml'))).toEqual({
      refusal: 'gwconf.yaml:1 has an error, so not all names are known; mend it first',
    });
    expect(refusalIn({}, errorIn('a.gwtest.yaml'))).toHaveProperty('documentChanges');
  });

  it('goes on with an error that hides no name', () => {
    expect(refusalIn({ 'prod/over.yaml': over.replace('priority: 99', 'prioriti: 99') })).toHaveProperty(
      'documentChanges',
    );
  });
});

describe('the outline', () => {
  it('has the documents of a file, with the fields of each', () => {
    const [first] = outlineOf(look.files.get('base/mask.yaml') as never);
    expect(first).toMatchObject({ name: 'mask', detail: 'Interceptor' });
    expect(first?.children?.map(({ name }) => name)).toEqual(['pluginClass', 'priority', 'config']);
    expect(outlineOf(look.files.get('gwconf.yaml') as never)[0]?.children?.map(({ name }) => name)).toEqual([
      'dev',
      'prod',
    ]);
    expect(outlineOf(look.files.get('a.gwtest.yaml') as never)[0]?.children?.map(({ name }) => name)).toEqual(
      ['masked'],
    );
  });

  it('of the project finds objects by words of their addresses', () => {
    expect(findSymbols(look, 'inter MASK', uriOf).map(({ name }) => name)).toEqual([
      'Interceptor/mask@vCluster=shop,group=shoppers',
    ]);
    expect(findSymbols(look, '', uriOf).length).toBe(7);
  });

  it('folds documents, maps, lists and texts of several lines', () => {
    const folds = foldingOf(look.files.get('base/mask.yaml') as never).map(({ startLine, endLine }) => [
      startLine,
      endLine,
    ]);
    expect(folds).toEqual(
      expect.arrayContaining([
        [0, 8],
        [3, 8],
        [6, 8],
        [10, 19],
        [13, 19],
        [14, 16],
      ]),
    );
  });
});

describe('lenses', () => {
  it('say for whom an interceptor runs, and what it does', () => {
    const titles = (path: string): readonly (string | undefined)[] =>
      lensesOf(look, look.files.get(path) as never).map(({ command }) => command?.title);
    expect(titles('base/mask.yaml')).toEqual(['2 clients · masks 1 topic', '1 client']);
    expect(titles('base/clients.yaml')).toEqual(['masking']);
  });
});
