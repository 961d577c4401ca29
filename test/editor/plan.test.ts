import type { WorkspaceEdit } from 'vscode-languageserver-types';
import { describe, expect, it } from 'vitest';
import { openEditor, type Editor } from '../support/editor.ts';
import type { World } from '../support/cli.ts';

const SECRET = 'hvs.CAESIJ-secret-of-the-vault';
const PROJECT = {
  'gwconf.yaml': `
    apiVersion: gwconf/v1
    kind: Project
    environments:
      prod: { gateway: { url: "embedded:gateway.json" }, files: [gateway] }
  `,
  'gateway/topics.yaml': `
    apiVersion: gateway/v2
    kind: AliasTopic
    metadata: { name: orders, vCluster: passthrough }
    spec:
      physicalName: orders-v1
  `,
  'gateway/encrypt.yaml': `
    apiVersion: gateway/v2
    kind: Interceptor
    metadata: { name: encrypt, scope: { vCluster: passthrough } }
    spec:
      pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin
      priority: 1
      config: { topic: a, kmsConfig: { vault: { uri: "https://v", type: TOKEN, token: "\${TOKEN}" } } }
  `,
};

async function takeSnapshot(world: World): Promise<void> {
  const env = { TOKEN: SECRET };
  expect((await world.runWith({ env }, 'apply', '--auto-approve', '--journal', 'none')).code).toBe(0);
  expect((await world.runWith({ env }, 'snapshot', '--out', 'live.json')).code).toBe(0);
}

const withSnapshot = (snapshot: unknown): Promise<Editor> =>
  openEditor(PROJECT, {
    options: { snapshot, trusted: true },
    prepare: takeSnapshot,
    env: { TOKEN: SECRET },
  });

describe('a plan as you type', () => {
  it('marks what changes at its line, compared with a snapshot', async () => {
    const editor = await withSnapshot('live.json');
    const path = 'gateway/topics.yaml';
    editor.open(path, editor.world.read(path).replace('orders-v1', 'orders-v2'));
    expect(await editor.shows(path, /^change/)).toEqual([
      {
        range: { start: { line: 4, character: 16 }, end: { line: 4, character: 25 } },
        severity: 3,
        source: 'gwconf plan',
        message: 'change /spec/physicalName of AliasTopic/orders@vCluster=passthrough',
      },
    ]);
    editor.type(path, editor.world.read(path).replace('name: orders,', 'name: bills,'));
    await editor.shows(path, /^create AliasTopic\/bills@vCluster=passthrough$/);
  });

  it('is made for the environments that have a snapshot, and says so where one cannot be read', async () => {
    const editor = await withSnapshot({ prod: 'live.json' });
    const path = 'gateway/topics.yaml';
    editor.open(path, editor.world.read(path).replace('orders-v1', 'orders-v2'));
    await editor.shows(path, /^change/);
    const absolute = await openEditor(PROJECT, {
      options: (folder) => ({ snapshot: `${folder}/live.json`, trusted: true }),
      prepare: takeSnapshot,
      env: { TOKEN: SECRET },
    });
    absolute.open(path, absolute.world.read(path).replace('orders-v1', 'orders-v2'));
    await absolute.shows(path, /^change/);
    const without = await withSnapshot('none.json');
    without.open(path);
    expect(await without.problems(path)).toEqual([]);
    expect(await without.says(/none\.json/)).toMatch(/none\.json cannot be read/);
  });

  it('tells a rename what the gateway has', async () => {
    const editor = await withSnapshot('live.json');
    const path = 'gateway/topics.yaml';
    const renamed = (around: string): Promise<WorkspaceEdit> =>
      editor.ask('textDocument/rename', path, around, { newName: 'sales' });
    editor.open(path, editor.world.read(path).replace('name: orders,', 'name: bills,'));
    await editor.shows(path, /^create AliasTopic\/bills/);
    expect(JSON.stringify(await renamed('name: bi|lls'))).not.toContain('kind: Removal');
    editor.type(path, editor.world.read(path).replace('orders-v1', 'orders-v2'));
    await editor.shows(path, /^change/);
    const edit = await renamed('name: ord|ers');
    expect(JSON.stringify(edit.documentChanges)).toContain('from: AliasTopic/orders@vCluster=passthrough');
    expect(Object.values(edit.changeAnnotations ?? {})).toMatchObject([{ needsConfirmation: false }]);
  });

  it('reads no snapshot outside of the project', async () => {
    const editor = await withSnapshot('../live.json');
    expect(await editor.says(/live\.json/)).toMatch(/live\.json cannot be read/);
  });
});
