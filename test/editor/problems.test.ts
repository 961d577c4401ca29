import { describe, expect, it } from 'vitest';
import { dedent } from '../support/expect-problems.ts';
import { openEditor, type Editor } from '../support/editor.ts';
import { alias, cluster, documentOf, projectOf } from '../support/documents.ts';

const MASK = dedent(`
  apiVersion: gateway/v2
  kind: Interceptor
  metadata: { name: mask, scope: { vCluster: passthrough } }
  spec:
    pluginClass: io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin
    priority: 1
    config:
      policies:
        - name: all
          fields: [email]
          rule: { type: MASK_ALL }
`);
const PROJECT = {
  'gwconf.yaml': projectOf({ dev: 'files: [shared, dev]', prod: 'files: [shared, prod]' }),
  'shared/mask.yaml': MASK,
  'dev/topics.yaml': alias('orders', 'orders-v2', 'passthrough'),
  'prod/topics.yaml': alias('orders', 'orders-v2', 'passthrough'),
};

const codesOf = async (editor: Editor, path: string): Promise<readonly unknown[]> =>
  (await editor.problems(path)).map(({ code }) => code);

describe('problems while typing', () => {
  it('are those of the text in the editor, where they are, with what to do', async () => {
    const editor = await openEditor(PROJECT);
    editor.open('shared/mask.yaml');
    expect(await editor.problems('shared/mask.yaml')).toEqual([]);
    editor.type('shared/mask.yaml', MASK.replace('priority', 'priorty'));
    const problems = await editor.problems('shared/mask.yaml');
    expect(problems.find(({ code }) => code === 'unknown-field')).toMatchObject({
      severity: 1,
      code: 'unknown-field',
      source: 'gwconf',
      message: 'Interceptor/mask@vCluster=passthrough has no field priorty in /spec\ndid you mean priority?',
      range: { start: { line: 5, character: 2 }, end: { line: 5, character: 9 } },
    });
    editor.type('shared/mask.yaml', MASK);
    expect(await editor.problems('shared/mask.yaml')).toEqual([]);
    expect(editor.told).toEqual([]);
  });

  it('are those of other files, too', async () => {
    const editor = await openEditor(PROJECT);
    editor.open('dev/topics.yaml');
    editor.type('dev/topics.yaml', MASK);
    expect(await codesOf(editor, 'dev/topics.yaml')).toEqual(['duplicate-resource']);
    const [twice] = await editor.problems('dev/topics.yaml');
    expect(twice?.relatedInformation).toEqual([
      {
        location: {
          uri: editor.uriOf('shared/mask.yaml'),
          range: { start: { line: 2, character: 18 }, end: { line: 2, character: 22 } },
        },
        message: 'the other place',
      },
    ]);
  });

  it('begin with the environments that have them, where not all that have the file do', async () => {
    const editor = await openEditor({
      ...PROJECT,
      'prod/payments.yaml': cluster('payments'),
    });
    editor.open('shared/mask.yaml', MASK.replace('passthrough', 'payments'));
    const [dangling] = await editor.problems('shared/mask.yaml');
    expect(dangling?.message).toMatch(/^dev: Interceptor\/mask@vCluster=payments refers to /);
  });

  it('are those of gwconf.yaml, of policies and of tests', async () => {
    const editor = await openEditor({
      ...PROJECT,
      'gwconf.yaml': projectOf({ dev: 'files: [shared, dev]' }, 'policies: { files: [rules.policy.yaml] }\n'),
      'rules.policy.yaml': `
        apiVersion: gwconf/v1
        kind: Policy
        metadata: { name: low }
        spec: { expression: object.spec.priority < , message: low }
      `,
      'mask.gwtest.yaml': `
        apiVersion: gwconf/v1
        kind: Test
        cases: [{ name: all, as: "*", expect: { protectdBy: [masking] } }]
      `,
    });
    expect(await codesOf(editor, 'gwconf.yaml')).toEqual([]);
    expect(await codesOf(editor, 'rules.policy.yaml')).toContain('missing-field');
    expect(await codesOf(editor, 'mask.gwtest.yaml')).toContain('unknown-field');
    editor.open('mask.gwtest.yaml');
    editor.type(
      'mask.gwtest.yaml',
      editor.world.read('mask.gwtest.yaml').replace('protectdBy', 'protectedBy'),
    );
    expect(await codesOf(editor, 'mask.gwtest.yaml')).toEqual([]);
    editor.open('gwconf.yaml', editor.world.read('gwconf.yaml').replace('files: [shared', 'flies: [shared'));
    expect(await codesOf(editor, 'gwconf.yaml')).toContain('unknown-field');
    expect(editor.told).toEqual([]);
  });

  it('of a document come before those between documents', async () => {
    const editor = await openEditor(PROJECT);
    editor.open('shared/mask.yaml');
    await editor.problems('shared/mask.yaml');
    const before = editor.history.length;
    editor.type(
      'shared/mask.yaml',
      MASK.replace('passthrough', 'nowhere').replace('spec:', 'spec:\n  extra: 1'),
    );
    await editor.problems('shared/mask.yaml');
    const codes = editor.history.slice(before).map(({ diagnostics }) => diagnostics.map(({ code }) => code));
    expect(codes[0]).toEqual(['unknown-field']);
    expect(new Set(codes.at(-1))).toEqual(new Set(['unknown-field', 'dangling-reference']));
  });

  it('are a carriage return alone, where programs differ in whether a line ends', async () => {
    const editor = await openEditor(PROJECT);
    editor.open('shared/mask.yaml', `# one\n# two\r# three\n${MASK}`);
    const [first, ...others] = await editor.problems('shared/mask.yaml');
    expect(first).toMatchObject({ code: 'invalid-yaml', range: { start: { line: 1, character: 5 } } });
    expect(others).toEqual([]);
  });

  it('of a file that no environment has are those that no other file could take back', async () => {
    const editor = await openEditor(PROJECT);
    editor.open(
      'drafts/over.yaml',
      `kind: AliasTopic
apiVersion: gateway/v2
overlay: true
metadata: { name: orders, vCluster: passthrough }
spec: { physicalName: orders-v3 }
---
kind: AliasTopic
apiVersion: gateway/v2
metadata: { name: bills, vCluster: shop }
spec: { physicalNme: bills-v1 }
`,
    );
    expect(await codesOf(editor, 'drafts/over.yaml')).toEqual(['missing-field', 'unknown-field']);
  });

  it('are told of a file that no environment has', async () => {
    const editor = await openEditor({ ...PROJECT, 'drafts/mask.yaml': MASK.replace('spec:', 'sepc:') });
    expect(await codesOf(editor, 'drafts/mask.yaml')).toEqual([]);
    editor.open('drafts/mask.yaml');
    expect(await codesOf(editor, 'drafts/mask.yaml')).toContain('unknown-field');
  });

  it('are those of the disk again once it has changed', async () => {
    const editor = await openEditor(PROJECT);
    editor.open('dev/topics.yaml');
    expect(await codesOf(editor, 'shared/mask.yaml')).toEqual([]);
    editor.world.write('shared/mask.yaml', MASK.replace('priority', 'priorty'));
    await editor.connection.sendNotification('workspace/didChangeWatchedFiles', {
      changes: [{ uri: editor.uriOf('shared/mask.yaml'), type: 2 }],
    });
    expect(await codesOf(editor, 'shared/mask.yaml')).toContain('unknown-field');
  });

  it('quote no secret', async () => {
    const editor = await openEditor({
      ...PROJECT,
      'dev/encrypt.yaml': `
        apiVersion: gateway/v2
        kind: Interceptor
        metadata: { name: encrypt }
        spec:
          pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin
          priority: two
          config: { kmsConfig: { vault: { uri: "http://v", type: TOKEN, token: hvs.CAESIJ-secret, tokn: hvs.CAESIJ-secret } } }
      `,
    });
    const problems = await editor.problems('dev/encrypt.yaml');
    expect(problems.map(({ code }) => code)).toContain('literal-secret');
    expect(JSON.stringify(problems)).not.toContain('CAESIJ');
    editor.open('dev/encrypt.yaml');
    const actions = await editor.actions('dev/encrypt.yaml', '|token:');
    expect(JSON.stringify(actions)).not.toContain('CAESIJ');
  });
});

describe('a project that is opened', () => {
  const LAYERS = {
    'gwconf.yaml': projectOf({ prod: 'files: [base, prod]' }),
    'base/mask.yaml': MASK.replace('  priority: 1\n', '  priorty: 1\n'),
    'base/topics.yaml': alias('orders', '""', 'passthrough'),
    'base/members.yaml': documentOf(
      'GatewayGroup',
      '{ name: payments }',
      '{ members: [], externalGroups: [g] }',
    ),
    'prod/masking.yaml': `
      kind: Interceptor
      apiVersion: gateway/v2
      metadata: { name: mask, scope: { vCluster: passthrough } }
      "over\\u006cay": true
      spec: { priority: 1, priorty: null }
    `,
    'prod/orders.yaml': `
      apiVersion: gateway/v2
      kind: AliasTopic
      metadata: { name: orders, vCluster: passthrough }
      overlay: true
      spec: { physicalName: orders-v1 }
    `,
    'base/users.yaml': `
      apiVersion: gwconf/v1
      kind: UserMapping
      metadata: { name: alice, vCluster: passthrough }
      spec: { principal: alice, groups: [payments] }
    `,
  };

  /** The codes of what was shown of a file, in turn. */
  const turnsOf = async (editor: Editor, path: string): Promise<readonly (readonly unknown[])[]> => {
    await editor.problems(path);
    const turns = editor.history.filter(({ uri }) => uri === editor.uriOf(path));
    return turns.map(({ diagnostics }) => diagnostics.map(({ code }) => code));
  };

  it('has the problems of its open documents at once, and those between documents once all are read', async () => {
    const path = 'dev/topics.yaml';
    const text = dedent(
      documentOf('AliasTopic', '{ name: orders, vCluster: sales }', '{ physicalNme: orders-v2 }'),
    );
    const editor = await openEditor(PROJECT, { opened: { [path]: text } });
    const [first, last, ...more] = await turnsOf(editor, path);
    expect(first).toEqual(['missing-field', 'unknown-field']);
    expect(last).toEqual(['missing-field', 'unknown-field', 'dangling-reference']);
    expect(more).toEqual([]);
  });

  it('shows nothing that the other files would take back', async () => {
    for (const [path, text] of Object.entries(LAYERS)) {
      const editor = await openEditor(LAYERS, { opened: { [path]: dedent(text) } });
      const turns = await turnsOf(editor, path);
      expect([path, turns]).toEqual([path, path.startsWith('prod') ? [['overlaid-file']] : []]);
      const broken = await openEditor(LAYERS, { opened: { [path]: `${dedent(text)}a: [` } });
      const [first] = await turnsOf(broken, path);
      expect([path, first]).toEqual([path, ['invalid-yaml']]);
    }
  });
});

describe('a folder that is opened', () => {
  it('gets no variable of the environment, unless the user trusts it', async () => {
    const files = {
      ...PROJECT,
      'dev/topics.yaml': alias('orders', '"${TOPIC}"', 'passthrough'),
    };
    const env = { TOPIC: 'orders', GWCONF_PUBLIC_VARIABLES: 'TOPIC' };
    const wary = await openEditor(files, { env });
    expect(await codesOf(wary, 'dev/topics.yaml')).toEqual(['cannot-tell']);
    const trusting = await openEditor(files, { env, options: { trusted: true } });
    expect(await codesOf(trusting, 'dev/topics.yaml')).toEqual([]);
  });
});

describe('formatting', () => {
  it('is that of gwconf fmt', async () => {
    const editor = await openEditor(PROJECT);
    const text = MASK.replace(
      'apiVersion: gateway/v2\nkind: Interceptor',
      'kind: Interceptor\napiVersion: gateway/v2',
    );
    editor.open('shared/mask.yaml', text);
    const edits = await editor.request<[]>('textDocument/formatting', {
      textDocument: { uri: editor.uriOf('shared/mask.yaml') },
      options: { tabSize: 2, insertSpaces: true },
    });
    expect(editor.apply('shared/mask.yaml', edits)).toBe(MASK);
  });
});
