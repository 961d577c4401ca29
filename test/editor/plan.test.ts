import type { CodeLens, WorkspaceEdit } from 'vscode-languageserver-types';
import { describe, expect, it, vi } from 'vitest';
import { startGateway, type TestGateway } from '../../src/testing.ts';
import { openEditor, type Editor } from '../support/editor.ts';
import type { World } from '../support/cli.ts';
import { dedent } from '../support/expect-problems.ts';
import { encrypting, projectOf } from '../support/documents.ts';

const SECRET = 'hvs.CAESIJ-secret-of-the-vault';
const PROJECT = {
  'gwconf.yaml': projectOf({ prod: 'gateway: { url: "embedded:gateway.json" }, files: [gateway]' }),
  'gateway/topics.yaml': `
    apiVersion: gateway/v2
    kind: AliasTopic
    metadata: { name: orders, vCluster: passthrough }
    spec:
      physicalName: orders-v1
  `,
  'gateway/encrypt.yaml': encrypting('${TOKEN}', 'topic: a'),
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
        message: expect.stringMatching(
          /^change \/spec\/physicalName of AliasTopic\/orders@vCluster=passthrough\nas of 20\d\d-\d\d-\d\d \d\d:\d\d UTC$/,
        ) as string,
      },
    ]);
    editor.type(path, editor.world.read(path).replace('name: orders,', 'name: bills,'));
    await editor.shows(path, /^create AliasTopic\/bills@vCluster=passthrough\\n/);
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

  it('says "no changes" only of what was compared where a variable has no value', async () => {
    const path = 'gateway/encrypt.yaml';
    const titleWith = async (env: Readonly<Record<string, string>>): Promise<string | undefined> => {
      const options = { snapshot: 'live.json', trusted: true };
      const editor = await openEditor(PROJECT, { options, prepare: takeSnapshot, env });
      editor.open(path);
      return vi.waitFor(async () => {
        const params = { textDocument: { uri: editor.uriOf(path) } };
        const [lens] = await editor.request<CodeLens[]>('textDocument/codeLens', params);
        expect(lens?.command?.title).toMatch(/^prod: /);
        return lens?.command?.title;
      });
    };
    expect(await titleWith({ TOKEN: SECRET })).toMatch(/^prod: no changes, as of /);
    expect(await titleWith({})).toMatch(/^prod: no changes in what was compared, as of /);
  });

  it('reads no snapshot outside of the project', async () => {
    const editor = await withSnapshot('../live.json');
    expect(await editor.says(/live\.json/)).toMatch(/live\.json cannot be read/);
  });
});

describe('what a plan does to objects that no file declares', () => {
  it('is at the Removal that deletes them, or at the environment of gwconf.yaml', async () => {
    const editor = await withSnapshot('live.json');
    const path = 'gateway/topics.yaml';
    editor.open('gwconf.yaml');
    editor.open(path, '# nothing');
    expect(await editor.shows('gwconf.yaml', /in no file/)).toMatchObject([
      {
        range: { start: { line: 3, character: 2 }, end: { line: 3, character: 6 } },
        source: 'gwconf plan',
        message: expect.stringMatching(
          /^1 object of the gateway is in no file, and left alone: AliasTopic\/orders@vCluster=passthrough\nas of /,
        ) as string,
      },
    ]);
    editor.type(
      path,
      'apiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: old }\nspec:\n  reason: nobody reads it\n' +
        '  remove: [AliasTopic/orders@vCluster=passthrough]\n',
    );
    const [mark] = await editor.shows(path, /^delete AliasTopic\/orders@vCluster=passthrough\\n/);
    expect(mark?.range.start).toEqual({ line: 5, character: 11 });
    expect(await editor.problems('gwconf.yaml')).toEqual([]);
  });
});

describe('a comparison with a gateway', () => {
  const path = 'gateway/topics.yaml';
  const TOPIC = {
    apiVersion: 'gateway/v2',
    kind: 'AliasTopic',
    metadata: { name: 'orders', vCluster: 'passthrough' },
    spec: { physicalName: 'orders-v2' },
  };
  const users = [{ username: 'ada', password: SECRET, admin: true }];

  /** A gateway, and an editor on a project that names it. */
  async function openWith(
    gateway: TestGateway,
    { trusted = true, password = SECRET }: { readonly trusted?: boolean; readonly password?: string } = {},
  ): Promise<Editor & { readonly compare: (...names: string[]) => Promise<unknown> }> {
    const files = {
      'gwconf.yaml': PROJECT['gwconf.yaml'].replace('embedded:gateway.json', gateway.url),
      [path]: PROJECT[path],
    };
    const env = { GWCONF_USER: 'ada', GWCONF_PASSWORD: password, GWCONF_ALLOW_EXEC: '1' };
    const editor = await openEditor(files, {
      options: { trusted },
      env,
      opened: { [path]: dedent(PROJECT[path]) },
    });
    await editor.problems(path);
    const compare = (...names: string[]): Promise<unknown> =>
      editor.request('workspace/executeCommand', { command: 'gwconf.compare', arguments: names });
    return { ...editor, compare };
  }

  it('is made when somebody asks, by reading alone, with the login of other commands; again only when asked again', async () => {
    await using gateway = await startGateway({ users, resources: [TOPIC] });
    const editor = await openWith(gateway);
    const [lens] = await editor.request<CodeLens[]>('textDocument/codeLens', {
      textDocument: { uri: editor.uriOf(path) },
    });
    expect(lens?.command).toEqual({
      title: 'compare with the gateway of prod',
      command: 'gwconf.compare',
      arguments: ['prod'],
    });
    expect(gateway.requests).toEqual([]);
    await editor.request('workspace/executeCommand', lens?.command ?? {});
    expect(await editor.says(/^prod/)).toMatch(/^prod: 1 change, as of 20\d\d-\d\d-\d\d \d\d:\d\d UTC$/);
    const [mark] = await editor.shows(path, /^change/);
    expect(mark?.message).toMatch(
      /^change \/spec\/physicalName of AliasTopic\/orders@vCluster=passthrough\nas of /,
    );
    expect(new Set(gateway.requests.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(gateway.requests.every(({ status }) => status === 200)).toBe(true);

    gateway.clearRequests();
    await gateway.put({ ...TOPIC, spec: { physicalName: 'orders-v3' } });
    editor.type(path, dedent(PROJECT[path]).replace('orders-v1', 'orders-v3').replace('orders,', 'bills,'));
    await editor.shows(path, /^create AliasTopic\/bills/);
    editor.type(path, dedent(PROJECT[path]).replace('orders-v1', 'orders-v3'));
    await editor.shows(path, /^change/);
    expect(gateway.requests).toEqual([]);
    await editor.compare();
    await editor.says(/^prod: 1 change, /);
    expect(gateway.requests).not.toEqual([]);
    expect(await editor.problems(path)).toEqual([]);
  });

  it('says that errors block the plan, where the gateway does not have what files declare', async () => {
    await using gateway = await startGateway({ users, security: 'PLAINTEXT' });
    const editor = await openWith(gateway);
    editor.type(path, 'apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: shop }\nspec: {}\n');
    await editor.compare('prod');
    expect(editor.told).toEqual([
      expect.stringMatching(/^prod: blocked by errors, which gwconf plan shows, as of 20/),
    ]);
  });

  it('is refused for a folder that is not trusted, and for an environment that is not there', async () => {
    await using gateway = await startGateway({ users });
    const wary = await openWith(gateway, { trusted: false });
    expect(await wary.request('textDocument/codeLens', { textDocument: { uri: wary.uriOf(path) } })).toEqual([
      expect.objectContaining({ command: { title: 'no protection', command: '' } }),
    ]);
    await wary.compare('prod');
    expect(wary.told).toEqual(['no gateway is asked for a folder that you do not trust']);
    const editor = await openWith(gateway);
    await editor.compare('prd');
    expect(editor.told).toEqual(['name one of the environments: prod']);
    expect(gateway.requests).toEqual([]);
  });

  it('that fails is a message without the secrets, and the editor goes on', async () => {
    await using gateway = await startGateway({ users });
    const editor = await openWith(gateway, { password: 'another-secret-of-mine' });
    await editor.compare('prod');
    expect(editor.told).toHaveLength(1);
    expect(editor.told[0]).toMatch(/401/);
    expect(editor.told.join()).not.toContain('another-secret');
    gateway.setFaults([{ status: 500, body: `no: ${SECRET}` }]);
    const other = await openWith(gateway);
    await other.compare('prod');
    expect(other.told).toEqual([expect.stringContaining('500')]);
    expect(other.told.join()).not.toContain('CAESIJ');
    editor.type(path, dedent(PROJECT[path]).replace('physicalName', 'physicalNme'));
    expect((await editor.problems(path)).map(({ code }) => code)).toContain('unknown-field');
  });

  it('that fails says what helps in an editor, where nobody gives flags', async () => {
    const { 'gwconf.yaml': named, ...files } = PROJECT;
    const told = async (setting: string, env: Readonly<Record<string, string>> = {}): Promise<string> => {
      const project = named.replace('url: "embedded:gateway.json"', setting);
      const editor = await openEditor(
        { 'gwconf.yaml': project, ...files },
        { options: { trusted: true }, env },
      );
      await editor.request('workspace/executeCommand', { command: 'gwconf.compare', arguments: ['prod'] });
      expect(editor.told).toHaveLength(1);
      return editor.told.join();
    };
    expect(await told('user: ada')).toBe(
      'no gateway URL: write gateway.url for prod in gwconf.yaml, or set GWCONF_URL where the editor is started',
    );
    const closed = await told('url: "http://127.0.0.1:1"');
    expect(closed).toContain('check the host and port of gateway.url of gwconf.yaml');
    await using gateway = await startGateway({ users });
    const open = await told(`url: "${gateway.url}"`);
    expect(open).toContain(
      'set GWCONF_USER and GWCONF_PASSWORD, or use gateway.user of gwconf.yaml and GWCONF_PASSWORD_FILE',
    );
    expect([closed, open].join()).not.toMatch(/--\w/);
  });

  it('holds for the gateway that gwconf.yaml names: for another one nothing is said', async () => {
    await using gateway = await startGateway({ users, resources: [TOPIC] });
    const editor = await openWith(gateway);
    await editor.compare('prod');
    await editor.shows(path, /^change/);
    editor.open('gwconf.yaml', editor.world.read('gwconf.yaml').replace(/127.0.0.1:\d+/, '127.0.0.1:1'));
    await editor.says(/^prod/);
    await vi.waitFor(async () => expect(await editor.problems(path)).toEqual([]));
  });
});
