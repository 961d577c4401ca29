import { describe, expect, it } from 'vitest';
import type { CodeAction } from 'vscode-languageserver-types';
import { dedent } from '../support/expect-problems.ts';
import { openEditor, type Editor } from '../support/editor.ts';
import { projectOf } from '../support/documents.ts';

const TOPIC = dedent(`
  apiVersion: gateway/v2
  kind: AliasTopic
  metadata: { name: orders, vCluster: passthrough }
  spec:
    physicalName: orders-v2
`);
const PROJECT = {
  'gwconf.yaml': projectOf({ dev: 'files: [topics.yaml, mask.yaml]' }),
  'topics.yaml': TOPIC,
  'mask.yaml': `
    apiVersion: gateway/v2
    kind: Interceptor
    metadata: { name: encrypt }
    spec:
      pluginClass: EncryptPlugin
      priority: 1
      config:
        kmsConfig:
          vault: { uri: "https://v", type: TOKEN, token: hvs.CAESIJ-secret }
  `,
};

const titled = async (editor: Editor, path: string, around: string, title: RegExp): Promise<string> => {
  const found = (await editor.actions(path, around)).find((one) => title.test(one.title));
  expect(found?.title).toMatch(title);
  return editor.after(path, found);
};

describe('code actions', () => {
  it('write what was meant in place of a misspelt field, kind and class', async () => {
    const editor = await openEditor(PROJECT);
    editor.open(
      'topics.yaml',
      TOPIC.replace('physicalName', 'phyiscalName').replace('AliasTopic', 'AliasTopics'),
    );
    expect(await titled(editor, 'topics.yaml', 'Alias|Topics', /^Write AliasTopic$/)).toContain(
      'kind: AliasTopic\n',
    );
    editor.type('topics.yaml', TOPIC.replace('physicalName', 'phyiscalName'));
    expect(await titled(editor, 'topics.yaml', 'phy|iscalName', /^Write physicalName$/)).toBe(TOPIC);
    editor.open('mask.yaml');
    expect(await titled(editor, 'mask.yaml', '|EncryptPlugin', /^Write /)).toContain(
      'pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin\n',
    );
  });

  it('write the name that a reference may mean, but not with all sure cures, since the object may be about to come', async () => {
    const files = {
      ...PROJECT,
      'topics.yaml': `${TOPIC}---
apiVersion: gateway/v2
kind: VirtualCluster
metadata: { name: shop }
`,
    };
    const editor = await openEditor(files);
    const typed = files['topics.yaml'].replace('passthrough', 'shpo');
    editor.open('topics.yaml', typed);
    expect(await titled(editor, 'topics.yaml', 'vCluster: sh|po', /^Write shop$/)).toContain(
      'vCluster: shop }',
    );
    const offered = await editor.actions('topics.yaml', 'vCluster: sh|po');
    expect(offered.map(({ kind }) => kind)).not.toContain('source.fixAll.gwconf');
    const moved = `${typed}---
apiVersion: gwconf/v1
kind: Removal
metadata: { name: moves }
spec: { reason: typo, moved: [{ from: VirtualCluster/shp, to: VirtualCluster/sohp }] }
`;
    editor.type('topics.yaml', moved);
    expect(await titled(editor, 'topics.yaml', 'to: Virtual|Cluster', /^Write /)).toContain(
      'to: VirtualCluster/shop }',
    );
  });

  it('correct a glob: its kind in gwconf.yaml, and a pattern that means a topic otherwise', async () => {
    const gwconf = `apiVersion: gwconf/v1
kind: Project
environments:
  dev:
    files: [topics.yaml, mask.yaml]
    topics: topics.txt
    manages: ['AliasTopik/or*', '!AliasTopik/x', 'alias-topics/*']
`;
    const editor = await openEditor({
      ...PROJECT,
      'topics.txt': 'customers-eu\n',
      'gwconf.yaml': gwconf,
      'mask.yaml': PROJECT['mask.yaml']
        .replace('EncryptPlugin', 'io.conduktor.gateway.interceptor.EncryptPlugin')
        .replace('config:', "config:\n        topic: 'custmers-.*'"),
    });
    editor.open('gwconf.yaml');
    const fixed = gwconf.replace("'AliasTopik/or*'", 'AliasTopic/or*');
    expect(await titled(editor, 'gwconf.yaml', "'AliasTop|ik/or*", /^Write /)).toBe(fixed);
    const negated = gwconf.replace("'!AliasTopik/x'", '"!AliasTopic/x"');
    expect(await titled(editor, 'gwconf.yaml', '!Alias|Topik', /^Write /)).toBe(negated);
    editor.type('gwconf.yaml', gwconf.replace(/manages.*/, ''));
    editor.open('mask.yaml');
    const text = await titled(editor, 'mask.yaml', "'custmers|-.*'", /^Write /);
    expect(text).toContain('topic: customers-.*\n');
  });

  it('write a key once in a map, also where two may mean it', async () => {
    const editor = await openEditor(PROJECT);
    editor.open('topics.yaml', TOPIC.replace('physicalName: orders-v2', 'physicalNam: a\n  physicalNme: b'));
    const fixed = await titled(editor, 'topics.yaml', 'physical|Nam: a', /^Fix all/);
    expect(fixed).toContain('  physicalName: a\n  physicalNme: b\n');
  });

  it('are only of the sort that is asked for', async () => {
    const editor = await openEditor(PROJECT);
    editor.open('topics.yaml', TOPIC.replace('physicalName', 'phyiscalName'));
    const start = { line: 4, character: 4 };
    const asked = (only: readonly string[]): Promise<readonly CodeAction[]> =>
      editor.request('textDocument/codeAction', {
        textDocument: { uri: editor.uriOf('topics.yaml') },
        range: { start, end: start },
        context: { diagnostics: [], only },
      });
    expect((await asked(['source.fixAll'])).map(({ kind }) => kind)).toEqual(['source.fixAll.gwconf']);
    expect((await asked(['refactor'])).map(({ kind }) => kind)).toEqual(['refactor.rewrite']);
    expect(await asked(['source.fixAll.other', 'ref'])).toEqual([]);
  });

  it('add a field that must be there', async () => {
    const editor = await openEditor(PROJECT);
    editor.open('topics.yaml', TOPIC.replace('  physicalName: orders-v2\n', '  physicalCluster: main\n'));
    const text = await titled(editor, 'topics.yaml', '|spec:', /^Add physicalName$/);
    expect(text).toBe(TOPIC.replace('orders-v2\n', '…\n  physicalCluster: main\n'));
  });

  it('put a variable in the place of a secret, which is in no action', async () => {
    const editor = await openEditor(PROJECT);
    editor.open('mask.yaml');
    const text = await titled(editor, 'mask.yaml', '|token:', /^Write \$\{GW_/);
    expect(text).toMatch(/token: "\$\{GW_[A-Z_]*ENCRYPT[A-Z_]*TOKEN\}" \}/);
    expect(text).not.toContain('CAESIJ');
  });

  it('ignore a problem with a comment, which has to say why', async () => {
    const editor = await openEditor(PROJECT);
    editor.open('mask.yaml');
    const text = await titled(editor, 'mask.yaml', '|token:', /^Ignore literal-secret here$/);
    expect(text).toContain('# gwconf-ignore literal-secret: \n      vault:');
    editor.open('topics.yaml', TOPIC.replace(/spec:[^]*/, 'spec: {}\n'));
    const offered = await editor.actions('topics.yaml', '|spec: {}');
    expect(offered.map(({ title }) => title)).toContain('Add physicalName');
    expect(offered.map(({ title }) => title)).not.toContain('Ignore missing-field here'); // it would stay an error
  });

  it('put a removal in the place of a document', async () => {
    const editor = await openEditor(PROJECT);
    editor.open('topics.yaml');
    const text = await titled(
      editor,
      'topics.yaml',
      '|spec:',
      /^Remove AliasTopic\/orders@vCluster=passthrough from the gateway$/,
    );
    expect(text).toBe(
      dedent(`
        apiVersion: gwconf/v1
        kind: Removal
        metadata:
          name: remove-orders-vCluster-passthrough
        spec:
          remove:
            - AliasTopic/orders@vCluster=passthrough
          reason: say why
      `),
    );
  });

  it('fix all that has one likely cure at once', async () => {
    const editor = await openEditor(PROJECT);
    const wrong = TOPIC.replace('physicalName', 'phyiscalName');
    editor.open('topics.yaml', `${wrong}---\n${wrong.replace('orders,', 'bills,')}`);
    const text = await titled(editor, 'topics.yaml', '|kind', /^Fix all/);
    expect(text).toBe(`${TOPIC}---\n${TOPIC.replace('orders,', 'bills,')}`);
  });
});
