import type {
  CodeLens,
  CompletionItem,
  DocumentHighlight,
  DocumentSymbol,
  FoldingRange,
  Hover,
  Location,
  Range,
  WorkspaceEdit,
  WorkspaceSymbol,
} from 'vscode-languageserver-types';
import { describe, expect, it } from 'vitest';
import { openEditor, type Editor } from '../support/editor.ts';
import { projectOf, documentOf } from '../support/documents.ts';

const FILES = {
  'gwconf.yaml': projectOf({
    dev: 'files: [base], variables: { priority: 5 }',
    prod: "files: [base, prod], variables: { priority: 6 }, protect: [{ address: 'Interceptor/mask*', reason: cards }]",
  }),
  'base/clients.yaml': `apiVersion: gateway/v2
kind: VirtualCluster
metadata: { name: shop }
spec: { aclEnabled: false }
---
apiVersion: gateway/v2
kind: GatewayServiceAccount
metadata: { name: shop-app, vCluster: shop }
spec: { type: LOCAL }
---
apiVersion: gateway/v2
kind: GatewayGroup
metadata: { name: shoppers }
spec: { members: [{ name: shop-app, vCluster: shop }] }
---
apiVersion: gateway/v2
kind: AliasTopic
metadata: { name: orders, vCluster: shop }
spec: { physicalName: orders-v1 }
`,
  'base/mask.yaml': `apiVersion: gateway/v2
kind: Interceptor
metadata: { name: mask, scope: { vCluster: shop, group: shoppers } }
spec:
  pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin
  priority: \${var.priority}
  config:
    topic: orders
    schemaRegistryConfig:
      host: https://sr.example.com
      additionalConfigs: { basic.auth.user.info: 'user:hunter2-hunter2' }
    policies: [{ name: a, rule: { type: MASK_ALL }, fields: [card] }]
`,
  'prod/over.yaml': `apiVersion: gateway/v2
kind: Interceptor
overlay: true
metadata: { name: mask, scope: { vCluster: shop, group: shoppers } }
spec: { comment: cards }
`,
  'all.gwtest.yaml': `apiVersion: gwconf/v1
kind: Test
cases:
  - name: masked
    as: { username: shop-app, virtualCluster: shop }
    expect: { chain: ['Interceptor/mask@vCluster=shop,group=shoppers'] }
`,
};

const MASK = FILES['base/mask.yaml'];

/** Places as people count them, from one, sorted. */
function shown(editor: Editor, found: readonly Location[] | null): readonly string[] {
  const folder = editor.uriOf('');
  return (found ?? [])
    .map(
      ({ uri, range: { start } }) => `${uri.slice(folder.length)}:${start.line + 1}:${start.character + 1}`,
    )
    .sort();
}

const MASKING = 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin';

describe('an editor that asks', () => {
  it('completes what nobody has saved yet, by what other files declare', async () => {
    const editor = await openEditor(FILES);
    editor.open('base/mask.yaml', MASK.replace('group: shoppers', 'group: '));
    const names = await editor.ask<CompletionItem[]>(
      'textDocument/completion',
      'base/mask.yaml',
      'group: | }',
    );
    expect(names.map(({ label, detail }) => `${label}: ${detail ?? ''}`)).toEqual(['shoppers: GatewayGroup']);
    editor.type('base/mask.yaml', `${MASK}---\nkind: AliasTopic\nspec:\n  ph`);
    const fields = await editor.ask<CompletionItem[]>('textDocument/completion', 'base/mask.yaml', '  ph|');
    expect(fields.map(({ label }) => label)).toEqual(['physicalName', 'physicalCluster']);
  });

  it.each([
    ['kinds', 'new.yaml', 'kind: |', 'GatewayGroup'],
    ['plugin classes', 'new.yaml', 'kind: Interceptor\nspec: { pluginClass: | }', MASKING],
    [
      'fields of a config',
      'new.yaml',
      `kind: Interceptor\nspec:\n  pluginClass: ${MASKING}\n  config: { | }`,
      'policies',
    ],
    ['values of a field', 'new.yaml', 'kind: GatewayServiceAccount\nspec: { type: | }', 'EXTERNAL'],
    ['virtual clusters', 'new.yaml', 'kind: AliasTopic\nmetadata: { vCluster: | }', 'shop'],
    [
      'topics',
      'new.yaml',
      `kind: Interceptor\nspec:\n  pluginClass: ${MASKING}\n  config: { topic: | }`,
      'orders',
    ],
    ['accounts', 'all.gwtest.yaml', 'cases: [{ as: { virtualCluster: shop, username: | } }]', 'shop-app'],
    ['groups', 'all.gwtest.yaml', 'cases: [{ as: { virtualCluster: shop, groups: [|] } }]', 'shoppers'],
    [
      'members of groups',
      'new.yaml',
      'kind: GatewayGroup\nspec: { members: [{ vCluster: shop, name: | }] }',
      'shop-app',
    ],
    ['environments', 'all.gwtest.yaml', 'kind: Test\nenvironment: |', 'prod'],
    ['protection types', 'all.gwtest.yaml', 'cases: [{ expect: { protectedBy: [|] } }]', 'masking'],
    ['fields of gwconf.yaml', 'gwconf.yaml', 'apiVersion: gwconf/v1\nkind: Project\n|', 'policies'],
    ['fields of policies', 'rule.policy.yaml', 'kind: Policy\nspec:\n  |', 'match'],
    ['kinds in policies', 'rule.policy.yaml', 'kind: Policy\nspec:\n  match: { kind: | }', 'AliasTopic'],
    [
      'environments in policies',
      'rule.policy.yaml',
      'kind: Policy\nspec:\n  match: { environment: | }',
      'prod',
    ],
    ['variables', 'new.yaml', 'kind: AliasTopic\nspec: { physicalName: "${|" }', 'var.priority'],
    [
      'addresses in gwconf.yaml',
      'gwconf.yaml',
      'kind: Project\napiVersion: gwconf/v1\nenvironments: { dev: { files: [base], protect: [{ address: | }] } }',
      'AliasTopic/orders@vCluster=shop',
    ],
    [
      'addresses in tests',
      'all.gwtest.yaml',
      'cases: [{ expect: { chain: [|] } }]',
      'Interceptor/mask@vCluster=shop,group=shoppers',
    ],
  ] as const)('completes %s', async (_what, path, marked, label) => {
    const editor = await openEditor({ ...FILES, 'base/new.yaml': '', 'rule.policy.yaml': '' });
    const at = path === 'new.yaml' ? 'base/new.yaml' : path;
    await editor.problems(at);
    editor.open(at, marked.replace('|', ''));
    const found = await editor.ask<CompletionItem[] | null>('textDocument/completion', at, marked);
    expect((found ?? []).map((one) => one.label)).toContain(label);
  });

  it('hovers over a value, an interceptor and a topic', async () => {
    const editor = await openEditor(FILES);
    editor.open('base/mask.yaml');
    const hover = async (path: string, around: string): Promise<string> => {
      const found = await editor.ask<Hover | null>('textDocument/hover', path, around);
      return found === null ? '' : JSON.stringify(found.contents);
    };
    expect(await hover('base/mask.yaml', '${var|.priority}')).toContain('Value:\\n- dev: 5\\n- prod: 6');
    expect(await hover('base/mask.yaml', 'name: ma|sk')).toContain('Runs for 1 client in dev: shop-app.');
    expect(await hover('base/clients.yaml', 'name: ord|ers')).toContain('masking by Interceptor/mask');
    expect(await hover('base/mask.yaml', 'hunter2|')).not.toContain('hunter2');
    expect(await hover('base/mask.yaml', 'prio|rity:')).toContain(
      'Interceptors with lower priority run first',
    );
    expect(await hover('base/mask.yaml', 'fie|lds: [card]')).toContain('The fields to mask');
    expect(await hover('gwconf.yaml', 'files|: [base], ')).toContain(
      'Folders and files, relative to this file',
    );
    expect(await hover('base/clients.yaml', 'kind: Alias|Topic')).toContain('An alias of a topic');
    expect(await hover('base/mask.yaml', 'vCluster: sh|op')).toContain('VirtualCluster/shop, declared at');
  });

  it('goes to where a name is declared, and to all that name it', async () => {
    const editor = await openEditor(FILES);
    const definition = await editor.ask<Location[]>(
      'textDocument/definition',
      'all.gwtest.yaml',
      'Interceptor/ma|sk',
    );
    expect(shown(editor, definition)).toEqual(['base/mask.yaml:3:19', 'prod/over.yaml:4:19']);
    const leads = async (path: string, around: string): Promise<readonly string[]> =>
      shown(editor, await editor.ask<Location[]>('textDocument/definition', path, around));
    const [account, group] = ['base/clients.yaml:8:19', 'base/clients.yaml:13:19'];
    const layers = ['base/mask.yaml:3:19', 'prod/over.yaml:4:19'];
    expect(await leads('base/clients.yaml', 'members: [{ name: shop|-app')).toEqual([account]);
    expect(await leads('all.gwtest.yaml', 'username: shop|-app')).toEqual([account]);
    expect(await leads('base/mask.yaml', 'group: shop|pers')).toEqual([group]);
    expect(await leads('prod/over.yaml', 'group: shop|pers')).toEqual([group]);
    expect(await leads('prod/over.yaml', 'name: ma|sk')).toEqual(layers);
    expect(await leads('gwconf.yaml', 'Interceptor/ma|sk')).toEqual(layers);
    const variable = await editor.ask<Location[]>(
      'textDocument/definition',
      'base/mask.yaml',
      '${var.prio|rity}',
    );
    expect(shown(editor, variable)).toEqual(['gwconf.yaml:4:38', 'gwconf.yaml:5:45']);
    const references = await editor.ask<Location[]>(
      'textDocument/references',
      'base/clients.yaml',
      'name: shop-|app, vCluster: shop }\nspec',
      {
        context: { includeDeclaration: false },
      },
    );
    expect(shown(editor, references)).toEqual(['all.gwtest.yaml:5:21', 'base/clients.yaml:14:27']);
    const ofGroup = await editor.ask<Location[]>(
      'textDocument/references',
      'base/clients.yaml',
      'name: shop|pers',
      { context: { includeDeclaration: true } },
    );
    expect(shown(editor, ofGroup)).toEqual([group, 'base/mask.yaml:3:57', 'prod/over.yaml:4:57']);
    const highlights = await editor.ask<DocumentHighlight[]>(
      'textDocument/documentHighlight',
      'base/mask.yaml',
      'name: ma|sk',
    );
    expect(highlights.map(({ range }) => range.start)).toEqual([{ line: 2, character: 18 }]);
  });

  it('renames in all files, and says why not', async () => {
    const editor = await openEditor(FILES);
    const asked = await editor.ask<{ range: Range; placeholder: string }>(
      'textDocument/prepareRename',
      'base/mask.yaml',
      'name: ma|sk',
    );
    expect(asked.placeholder).toBe('mask');
    const edit = await editor.ask<WorkspaceEdit>('textDocument/rename', 'base/mask.yaml', 'name: ma|sk', {
      newName: 'hide',
    });
    const texts = (edit.documentChanges ?? []).flatMap((change) =>
      'edits' in change
        ? change.edits.map((one) =>
            'newText' in one ? `${change.textDocument.uri.split('/').at(-1) ?? ''}: ${one.newText}` : '',
          )
        : [],
    );
    expect(texts).toEqual(
      expect.arrayContaining([
        'mask.yaml: hide',
        'over.yaml: hide',
        'all.gwtest.yaml: Interceptor/hide@vCluster=shop,group=shoppers',
        expect.stringContaining('moved:'),
      ]),
    );
    await expect(
      editor.ask('textDocument/rename', 'base/clients.yaml', 'name: shopp|ers', { newName: 'a b' }),
    ).rejects.toThrow('this cannot be the name of a GatewayGroup');
    await expect(editor.ask('textDocument/prepareRename', 'base/mask.yaml', 'prio|rity:')).rejects.toThrow(
      'this is not the name of an object',
    );
  });

  it('renames in an editor that knows no questions about edits', async () => {
    const editor = await openEditor(FILES, { workspaceEdit: {} });
    const edit = await editor.ask<WorkspaceEdit>('textDocument/rename', 'base/mask.yaml', 'name: ma|sk', {
      newName: 'hide',
    });
    expect(Object.keys(edit)).toEqual(['changes']);
    const edits = edit.changes?.[editor.uriOf('base/mask.yaml')] ?? [];
    expect(edits.map((one) => Object.keys(one))).toEqual([
      ['range', 'newText'],
      ['range', 'newText'],
    ]);
    expect(editor.apply('base/mask.yaml', edits)).toMatch(/name: hide[^]*\n---\n[^]*moved:[^]*[^\n]\n$/);
    // Neovim adds an empty line to what is put behind the last line break.
    const lines = editor.world.read('base/mask.yaml').trimEnd().split('\n').length;
    expect(edits.filter(({ range }) => range.end.line >= lines)).toEqual([]);
  });

  it('shows the outline, the objects of the project, folds and lenses', async () => {
    const editor = await openEditor(FILES);
    const textDocument = { uri: editor.uriOf('base/clients.yaml') };
    const outline = await editor.request<DocumentSymbol[]>('textDocument/documentSymbol', { textDocument });
    expect(outline.map(({ name, detail }) => `${detail ?? ''} ${name}`)).toEqual([
      'VirtualCluster shop',
      'GatewayServiceAccount shop-app',
      'GatewayGroup shoppers',
      'AliasTopic orders',
    ]);
    const symbols = await editor.request<WorkspaceSymbol[]>('workspace/symbol', { query: 'mask' });
    expect(symbols.map(({ name }) => name)).toEqual(['Interceptor/mask@vCluster=shop,group=shoppers']);
    const folds = await editor.request<FoldingRange[]>('textDocument/foldingRange', {
      textDocument: { uri: editor.uriOf('base/mask.yaml') },
    });
    expect(folds).toEqual(
      expect.arrayContaining([
        { startLine: 3, endLine: 11 },
        { startLine: 8, endLine: 10 },
      ]),
    );
    const lenses = await editor.request<CodeLens[]>('textDocument/codeLens', {
      textDocument: { uri: editor.uriOf('base/mask.yaml') },
    });
    expect(lenses.map(({ command }) => command?.title)).toEqual(['1 client · masks 1 topic']);
  });

  it('gets nothing of a file that is not in the project', async () => {
    const editor = await openEditor({ ...FILES, 'notes.txt': 'a: 1\n' });
    expect(await editor.ask('textDocument/hover', 'notes.txt', 'a|')).toBeNull();
  });
});

describe('the path of a file', () => {
  const TREE = {
    ...FILES,
    'gwconf.yaml': projectOf(
      { dev: 'files: [base, p], topics: lists/, gateway: { url: https://g.example.com, ca: ../up }' },
      'policies: { files: [ru] }\n',
    ),
    'lists/topics.txt': 'orders',
    'policies/names.policy.yaml': '',
    'rules.policy.yaml': '',
    'secrets/prod/vault-token': 'hvs.CAESIJ-secret',
    '.hidden/a.txt': '',
    'base/secret.yaml': documentOf(
      'AliasTopic',
      '{ name: secret, vCluster: shop }',
      '{ physicalName: "${file:secrets/pr" }',
    ),
  };
  const labels = async (editor: Editor, path: string, around: string): Promise<readonly string[]> => {
    const items = await editor.ask<CompletionItem[]>('textDocument/completion', path, around);
    return items.map(({ textEdit }) => textEdit?.newText ?? '');
  };

  it('is completed in `${file:…}`, and where gwconf.yaml names files and folders', async () => {
    const editor = await openEditor(TREE);
    editor.open('base/secret.yaml');
    editor.open('gwconf.yaml');
    expect(await labels(editor, 'base/secret.yaml', 'file:|secrets')).toContain('secrets/');
    expect(await labels(editor, 'base/secret.yaml', 'secrets/pr|')).toEqual(['prod/']);
    const all = [
      'all.gwtest.yaml',
      'base/',
      'gwconf.yaml',
      'lists/',
      'policies/',
      'prod/',
      'rules.policy.yaml',
      'secrets/',
    ];
    expect(await labels(editor, 'gwconf.yaml', 'base, p|')).toEqual(all);
    expect(await labels(editor, 'gwconf.yaml', 'files: [ru|')).toEqual(all);
    expect(await labels(editor, 'gwconf.yaml', 'lists/|')).toEqual(['topics.txt']);
  });

  it('leads to nothing outside of the project', async () => {
    const editor = await openEditor(TREE);
    editor.open('gwconf.yaml');
    for (const path of ['../up', '/etc/', 'base/../../']) {
      editor.type('gwconf.yaml', TREE['gwconf.yaml'].replace('../up', path));
      expect(await labels(editor, 'gwconf.yaml', `ca: ${path}|`)).toEqual([]);
    }
  });
});
