import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { describe, expect, it, onTestFinished } from 'vitest';
import { KubeError, openCluster } from '../../src/controller/kube.ts';
import { reconcile, type Outcome } from '../../src/controller/reconcile.ts';
import type { GatewayConfig, Status } from '../../src/controller/resource.ts';
import { type Taken, makeTurns } from '../../src/controller/lease.ts';
import { declaredByOthers, findForeign, othersOf } from '../../src/controller/declared-elsewhere.ts';
import { makeQueue } from '../../src/controller/queue.ts';
import { readSource } from '../../src/controller/source.ts';
import { asValid } from '../../src/model/resource.ts';
import { startGateway } from '../../src/testing.ts';
import { virtualClock } from '../support/clock.ts';
import type { ShownPlan } from '../../src/plan/secrets/redact.ts';
import { projectOf } from '../support/documents.ts';
import { serveHttp } from '../support/listen.ts';
import { mask } from '../support/masks.ts';
import { fileOf } from '../support/plans.ts';
import { quickHost } from '../support/quick-key.ts';

const PASSWORD = 'password-of-the-gateway';
const ADMIN = [{ username: 'admin', password: PASSWORD, admin: true }];
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const login = { metadata: { name: 'login' }, data: { user: base64('admin'), password: base64(PASSWORD) } };
const noKube = { get: () => Promise.reject(new Error('a folder is not of the API server')) };

function makeFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'controller-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

function resourceOf(folder: string, spec: Partial<GatewayConfig['spec']>): GatewayConfig {
  return {
    apiVersion: 'gwconf.io/v1alpha1',
    kind: 'GatewayConfig',
    metadata: { name: 'app', namespace: 'team', uid: 'u', resourceVersion: '1', generation: 1 },
    spec: { source: { folder }, gateway: { url: '' }, ...spec },
  } as GatewayConfig;
}

/** What the controller makes of a resource that waits for approval of what this folder has; with a plan, that is approved. */
function lookAt(
  folder: string,
  url: string,
  data = {},
): (approvedPlan?: string, status?: Status) => Promise<Outcome> {
  return (approvedPlan, status = {}) =>
    reconcile(
      quickHost(),
      { get: () => Promise.resolve({ ...login, data: { ...login.data, ...data } } as never) },
      {
        ...resourceOf(folder, {
          mode: 'approve',
          variablesFrom: [{ secret: 'login' }],
          gateway: { url: url, credentialsSecret: 'login' },
          ...(approvedPlan === undefined ? {} : { approvedPlan }),
        }),
        status,
      },
      {
        folders: [folder],
        journal: join(makeFolder(), 'j'),
        signal: new AbortController().signal,
        removes: false,
      },
    );
}

const interceptor = (token: string): string =>
  `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: e }\nspec: { pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin, priority: 1, config: { topic: a, kmsConfig: { vault: { uri: "http://vault", version: 1, token: "${token}" } } } }\n`;

const PASSTHROUGH = { vCluster: 'passthrough' };
const REMOVAL = asValid({
  ...{ apiVersion: 'gwconf/v1', kind: 'Removal', metadata: { name: 'r' } },
  spec: { remove: ['Interceptor/p@vCluster=passthrough'], reason: 'r' },
});

const LOST = (action: string): string =>
  `all other clients in passthrough lose masking permanently, with the ${action} of Interceptor/p@vCluster=passthrough`;

describe('a resource of the controller', () => {
  it('is approved with the hidden values that it had, and no others', async () => {
    await using gateway = await startGateway({ users: ADMIN });
    const folder = makeFolder();
    writeFileSync(join(folder, 'gwconf.yaml'), projectOf({ prod: 'files: [files]' }));
    mkdirSync(join(folder, 'files'));
    const look = lookAt(folder, gateway.url);
    writeFileSync(join(folder, 'files/a.yaml'), interceptor('hvs.token-that-was-reviewed'));
    const first = await look();
    expect([first.state, first.message]).toEqual(['waiting', expect.stringContaining('1 to create')]);
    writeFileSync(join(folder, 'files/a.yaml'), interceptor('hvs.token-of-somebody-else'));
    expect((await look(first.plan?.digest)).state).toBe('waiting');
    expect(await gateway.list('Interceptor')).toEqual([]);
    writeFileSync(join(folder, 'files/a.yaml'), interceptor('hvs.token-that-was-reviewed'));
    expect((await look(first.plan?.digest)).reason).toBe('Applied');
  });

  it.each([
    [
      'silence',
      'lint: { lost-protection: off, weakened-protection: off }\n',
      [mask('p', '.*', [], PASSTHROUGH)],
      LOST('update'),
    ],
    ['accept', '', [REMOVAL], `${LOST('delete')} (accepted: r)`],
    [
      'make it hard to tell',
      '',
      [mask('p', '(?=a).*', ['card'], PASSTHROUGH)],
      'cannot tell whether all other clients in passthrough have as strong masking, since a value is hidden or cannot be judged: card (topic)',
    ],
  ])('tells who approves what clients lose, though its files %s that', async (_, rules, files, loss) => {
    await using gateway = await startGateway({ users: ADMIN });
    await gateway.put(mask('p', '.*', ['card'], PASSTHROUGH));
    const folder = makeFolder();
    writeFileSync(join(folder, 'gwconf.yaml'), `${projectOf({ prod: 'files: [a.yaml]' })}${rules}`);
    writeFileSync(join(folder, 'a.yaml'), fileOf(...files));
    const { plan } = await lookAt(folder, gateway.url)();
    expect(plan?.losses).toEqual([loss]);
  });

  it.each([
    ['what a policy says', 'mandatory'],
    ['names', 'advisory'],
  ])('tells the same of words of its files, whatever a Secret begins with: %s', async (_, severity) => {
    await using gateway = await startGateway({ users: ADMIN });
    const folder = makeFolder();
    const words = 'github_pat_11A_github_pat_11B';
    const project = projectOf({ prod: 'files: [a.yaml]' });
    const rule = `{ name: r, expression: 'object.metadata.name == ""', message: ${words}, severity: ${severity}, examples: { pass: [{ object: { metadata: { name: "" } } }], fail: [{ object: { metadata: { name: a } } }] } }`;
    writeFileSync(join(folder, 'gwconf.yaml'), `${project}policies: { rules: [${rule}] }\n`);
    writeFileSync(
      join(folder, 'a.yaml'),
      `apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: ${words} }\nspec: { physicalName: "\${TOKEN}" }\n`,
    );
    const told = (token: string) => lookAt(folder, gateway.url, { TOKEN: base64(token) })();
    const [one, other] = [await told('github_pat_11Aqqqqqqq'), await told('github_pat_11Bzzzzzzz')];
    expect([one.message, one.plan?.changes]).toEqual([other.message, other.plan?.changes]);
    expect(JSON.stringify(one)).toContain(words);
  });

  it('is approved once, and not again when somebody has changed the gateway back', async () => {
    await using gateway = await startGateway({ users: ADMIN });
    const before = mask('p', '.*', ['card'], PASSTHROUGH);
    await gateway.put(before);
    const folder = makeFolder();
    writeFileSync(join(folder, 'gwconf.yaml'), projectOf({ prod: 'files: [a.yaml]' }));
    writeFileSync(join(folder, 'a.yaml'), fileOf(mask('p', '.*', ['card', 'iban'], PASSTHROUGH)));
    const look = lookAt(folder, gateway.url);
    const first = (await look()).plan?.digest ?? '';
    const applied = await look(first);
    expect([applied.reason, applied.plan?.digest]).toEqual(['Applied', first]);
    await gateway.put(before); // by somebody who needs it so
    const again = await look(first, { lastAppliedPlan: first });
    expect([again.state, again.made]).toEqual(['waiting', 0]);
    expect((await look(again.plan?.digest, { lastAppliedPlan: first })).reason).toBe('Applied');
  });

  it('is approved with what clients lose by it, and not once that is more', async () => {
    await using gateway = await startGateway({ users: ADMIN });
    for (const name of ['p', 'q']) await gateway.put(mask(name, '.*', ['card'], PASSTHROUGH));
    const folder = makeFolder();
    writeFileSync(join(folder, 'gwconf.yaml'), projectOf({ prod: 'files: [a.yaml]' }));
    writeFileSync(join(folder, 'a.yaml'), fileOf(REMOVAL));
    const look = lookAt(folder, gateway.url);
    const { plan } = await look();
    expect(plan?.losses).toEqual([]);
    await gateway.put(mask('q', '.*', ['iban'], PASSTHROUGH)); // by somebody else
    const second = await look(plan?.digest);
    expect([second.state, second.plan?.losses]).toEqual([
      'waiting',
      [expect.stringContaining('weaker masking')],
    ]);
    expect((await look(second.plan?.digest)).reason).toBe('Applied');
  });

  it('is approved with each client that loses by it, also those that no message names', async () => {
    await using gateway = await startGateway({ users: ADMIN });
    const users = Array.from({ length: 8 }, (_, at) => `user-${at}`);
    const own = (username: string) => mask('own', '.*', ['card'], { ...PASSTHROUGH, username });
    const accounts = users.map((name) => ({
      ...{ apiVersion: 'gateway/v2', kind: 'GatewayServiceAccount' },
      ...{ metadata: { name, vCluster: 'passthrough' }, spec: { type: 'LOCAL' } },
    }));
    await gateway.put(mask('p', '.*', ['card'], PASSTHROUGH), own('user-7'), ...accounts);
    const folder = makeFolder();
    writeFileSync(join(folder, 'gwconf.yaml'), projectOf({ prod: 'files: [a.yaml]' }));
    writeFileSync(join(folder, 'a.yaml'), fileOf(REMOVAL));
    const look = lookAt(folder, gateway.url);
    const { plan } = await look();
    const idle = { pluginClass: 'com.example.Own', priority: 1, config: {} };
    await gateway.put(own('user-6'), { ...own('user-7'), spec: idle }); // by somebody else
    const second = await look(plan?.digest);
    expect([second.state, second.plan?.losses]).toEqual(['waiting', plan?.losses]);
  });

  it('is approved with the files that it had, and not with others of the same revision', async () => {
    await using gateway = await startGateway({ users: ADMIN });
    let packed = Buffer.alloc(0);
    const url = `${await serveHttp((_, response) => response.end(packed))}/`;
    const env = (name: string): string | undefined =>
      name === 'GWCONF_ARTIFACT_HOSTS' ? 'http://127.0.0.1' : undefined;
    const look = async (token: string, approvedPlan?: string): Promise<Outcome> => {
      const project = projectOf({ prod: 'files: [files]' });
      const files = { 'gwconf.yaml': project, 'files/a.yaml': interceptor(token) };
      const entries = Object.entries(files).map(([name, body]) => ({
        header: { name, size: body.length, type: 'file' as const, mtime: new Date(0) },
        body,
      }));
      packed = gzipSync(await packTar(entries));
      const digest = `sha256:${createHash('sha256').update(packed).digest('hex')}`;
      const status = { artifact: { url, digest, revision: 'main@sha1:\u001b[2J1234' } };
      return reconcile(
        { ...quickHost(), env },
        { get: () => Promise.resolve({ ...login, status } as never) },
        resourceOf('', {
          mode: 'approve',
          source: { flux: { kind: 'GitRepository', name: 'app' } },
          gateway: { url: gateway.url, credentialsSecret: 'login' },
          ...(approvedPlan === undefined ? {} : { approvedPlan }),
        }),
        {
          folders: [],
          journal: join(makeFolder(), 'j'),
          signal: new AbortController().signal,
          removes: false,
        },
      );
    };
    const first = await look('hvs.token-that-was-reviewed');
    expect([first.state, first.revision]).toEqual(['waiting', 'main@sha1:\\u001b[2J1234']);
    expect((await look('hvs.token-of-somebody-else', first.plan?.digest)).state).toBe('waiting');
    expect(await gateway.list('Interceptor')).toEqual([]);
    expect((await look('hvs.token-that-was-reviewed', first.plan?.digest)).reason).toBe('Applied');
  });

  it('says that the API server forbids a Secret, and does not stay as ready as it was', async () => {
    const words = 'secrets "login" is forbidden: \u001b[2J';
    const { state, reason, message } = await reconcile(
      quickHost(),
      { get: () => Promise.reject(new KubeError(403, words)) },
      resourceOf('', { gateway: { url: 'https://gateway.example', credentialsSecret: 'login' } }),
      { folders: [], journal: '/nowhere', signal: new AbortController().signal, removes: false },
    );
    expect([state, reason, message]).toEqual(['failed', 'Forbidden', words.replace('\u001b', '\\u001b')]);
  });

  it('is told what keeps it when it is deleted, and what says what to delete is gone', async () => {
    const { signal } = new AbortController();
    const { reason, message } = await reconcile(
      quickHost(),
      { get: () => Promise.resolve(undefined) },
      resourceOf('', {
        source: { configMap: { name: 'files' } },
        gateway: { url: 'https://gateway.example' },
      }),
      { folders: [], journal: '/nowhere', signal, removes: true },
    );
    expect([reason, message]).toEqual([
      'SourceMissing',
      'the ConfigMap files does not exist in the namespace team; until that is mended, the finalizer gwconf.io/prune keeps the resource, which is deleted: take it away to leave the gateway as it is',
    ]);
  });

  it('is told what keeps it when it is deleted, and its gateway does not answer', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'gwconf.yaml'), projectOf({ prod: 'files: [a.yaml]' }));
    writeFileSync(join(folder, 'a.yaml'), interceptor('hvs.token'));
    const server = await serveHttp((_, response) => response.writeHead(403).end());
    const { state, message } = await reconcile(
      quickHost(),
      noKube,
      resourceOf(folder, { mode: 'apply', gateway: { url: server } }),
      {
        ...{ folders: [folder], journal: join(makeFolder(), 'j'), removes: true },
        signal: new AbortController().signal,
      },
    );
    expect(state).toBe('failed');
    expect(message).toContain('; until that is mended, the finalizer gwconf.io/prune keeps the resource');
  });

  it.each([
    ['never applied anything', { lastAppliedRevision: undefined }, 0],
    ['applied elsewhere, and is not let in here', { ready: 'False' }, 0],
    ['applied elsewhere, before it named this gateway', { observedGeneration: 0 }, 0],
    ['nobody may read any more', { isForbidden: true }, 0],
    ['is let in, which keeps it', {}, 1],
    [
      'waits for its first approval, which keeps it',
      { ready: 'False', lastAppliedRevision: undefined, pendingPlan: {} },
      1,
    ],
    [
      'waits for this one to leave it what it declares, which keeps it',
      { ready: 'False', lastAppliedRevision: undefined, reason: 'DeclaredElsewhere' },
      1,
    ],
  ])('is deleted with what another one declares that %s', async (_, about: object, count) => {
    const { isForbidden, ready, reason, ...status } = {
      ...{ isForbidden: false, ready: 'True', reason: '' },
      ...{ observedGeneration: 1, lastAppliedRevision: 'x', ...about },
    };
    const folder = makeFolder();
    writeFileSync(join(folder, 'gwconf.yaml'), projectOf({ prod: 'files: [files]' }));
    mkdirSync(join(folder, 'files'));
    writeFileSync(join(folder, 'files/a.yaml'), interceptor('hvs.token'));
    const own = resourceOf(folder, {
      mode: 'apply',
      variablesFrom: [{ secret: 'login' }],
      gateway: { url: 'https://gateway.example' },
    });
    const conditions = [{ type: 'Ready', status: ready, lastTransitionTime: '', reason, message: '' }];
    const other = {
      ...{ ...own, metadata: { ...own.metadata, namespace: 'other', uid: 'v' } },
      status: { ...status, conditions },
    } as GatewayConfig;
    const get = (): Promise<never> =>
      isForbidden ? Promise.reject(new KubeError(403, '')) : Promise.resolve(login as never);
    const options = { folders: [folder], journal: '/nowhere', others: [other] };
    expect(await declaredByOthers(quickHost(), { get }, own, options)).toHaveProperty('size', count);
  });

  it.each([
    ['is older', { creationTimestamp: '2026-01-01T00:00:00Z' }, {}, 'other declares, too; it is older'],
    ['is as old, with a name that comes before', {}, {}, 'other declares, too; it is older'],
    ['is as old, with a name that comes after', { name: 'z' }, {}, undefined],
    ['is younger', { creationTimestamp: '2026-01-03T00:00:00Z' }, {}, undefined],
    ['never applied anything', {}, { lastAppliedRevision: undefined }, undefined],
    ['is not let in now', {}, { ready: 'False' }, 'other declares, too'],
    ['is of another namespace', { namespace: 'a' }, {}, 'a resource of another namespace declares, too'],
    ['is of another namespace, and not let in now', { namespace: 'a' }, { ready: 'False' }, undefined],
    [
      'is of another namespace, and waits',
      { namespace: 'a' },
      { ready: 'False', pendingPlan: {} },
      'declares',
    ],
  ])('does not change what one declares that %s, where that has it', async (_, metadata, about, told) => {
    const { ready, ...status } = { ready: 'True', observedGeneration: 1, lastAppliedRevision: 'x', ...about };
    const folder = makeFolder();
    writeFileSync(join(folder, 'gwconf.yaml'), projectOf({ prod: 'files: [files]' }));
    mkdirSync(join(folder, 'files'));
    const alias = { name: 'a', vCluster: 'p' };
    const document = {
      apiVersion: 'gateway/v2',
      kind: 'AliasTopic',
      metadata: alias,
      spec: { physicalName: 'a' },
    };
    writeFileSync(join(folder, 'files/a.yaml'), JSON.stringify(document));
    const gateway = { url: 'https://gateway.example' };
    const resource = resourceOf(folder, { mode: 'apply', gateway });
    const creationTimestamp = '2026-01-02T00:00:00Z';
    const own = { ...resource, metadata: { ...resource.metadata, name: 'own', creationTimestamp } };
    const conditions = [{ type: 'Ready', status: ready, lastTransitionTime: '', reason: '', message: '' }];
    const other = {
      ...{ ...own, metadata: { ...own.metadata, name: 'other', uid: 'v', ...metadata } },
      status: { ...status, conditions },
    } as unknown as GatewayConfig;
    const kube = {
      get: (path: string) =>
        Promise.resolve((path.includes('gatewayconfigs') ? other : login) as unknown as never),
    };
    const changes = [
      { address: 'AliasTopic/a@vCluster=p', action: 'update' },
    ] as unknown as ShownPlan['changes'];
    const options = { folders: [folder], journal: '/nowhere', others: [other] };
    const why = await findForeign(quickHost(), kube, own, changes, options);
    if (told === undefined) expect(why).toBeUndefined();
    else expect(why).toContain(told);
  });

  it.each([
    ['another one for its gateway', {}, {}, 1],
    ['one that writes its URL otherwise', {}, { gateway: { url: 'https://u@gateway.example/' } }, 1],
    ['one of another gateway', {}, { gateway: { url: 'https://other.example' } }, 0],
    ['itself, as it was', { uid: 'u' }, {}, 0],
    ['one that is deleted, too', { deletionTimestamp: '2026-01-01T00:00:00Z' }, {}, 0],
    ['one that only plans', {}, { mode: 'plan' }, 0],
    ['one that says no mode', {}, { mode: undefined }, 0],
  ])('is deleted with regard to what is declared by %s', (_, metadata, spec, count) => {
    const own = resourceOf('', { mode: 'apply', gateway: { url: 'https://gateway.example' } });
    const other = {
      metadata: { ...own.metadata, uid: 'v', ...metadata },
      spec: { ...own.spec, ...spec },
    } as GatewayConfig;
    expect(othersOf(own, [other])).toHaveLength(count);
  });

  it('does not take the page of a proxy for an answer of the API server, nor for a bug', async () => {
    const server = await serveHttp((_, response) => response.end('<html>'));
    const folder = makeFolder();
    const config = join(folder, 'config.json');
    const cluster = { server, 'insecure-skip-tls-verify': true };
    const kubeconfig = {
      ...{ clusters: [{ name: 'c', cluster }], users: [{ name: 'u', user: {} }] },
      ...{ contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }], 'current-context': 'c' },
    };
    writeFileSync(config, JSON.stringify(kubeconfig));
    const host = { ...quickHost(), env: (name: string) => (name === 'KUBECONFIG' ? config : undefined) };
    await expect(openCluster(host).get('/api/v1/namespaces/a/secrets/b')).rejects.toThrow(
      new KubeError(0, 'the API server does not answer with JSON: a proxy may'),
    );
  });

  it('holds its projects to 4 MB of files unless the operator says otherwise', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'gwconf.yaml'), projectOf({ prod: 'files: [files]' }));
    mkdirSync(join(folder, 'files'));
    writeFileSync(join(folder, 'files/a.yaml'), `${interceptor('hvs.token')}# ${'x'.repeat(4e6)}\n`);
    const look = async (more: object): Promise<string> => {
      const resource = resourceOf(folder, { gateway: { url: 'http://127.0.0.1:9' } });
      const { signal } = new AbortController();
      const options = { folders: [folder], journal: join(folder, 'j'), signal, removes: false };
      return (await reconcile(quickHost(), noKube, resource, { ...options, ...more })).message;
    };
    expect(await look({})).toContain('larger than 4 MB');
    expect(await look({ maxInputBytes: 5e6 })).toContain('127.0.0.1:9');
  });

  it('is told that a disk fails it, which is neither its files nor a bug', async () => {
    await using gateway = await startGateway({ users: ADMIN });
    const folder = makeFolder();
    writeFileSync(join(folder, 'gwconf.yaml'), projectOf({ prod: 'files: [a.yaml]' }));
    writeFileSync(join(folder, 'a.yaml'), interceptor('hvs.token'));
    const look = (source: string, journal: string): Promise<Outcome> =>
      reconcile(
        quickHost(),
        { get: () => Promise.resolve(login as never) },
        resourceOf(source, {
          mode: 'apply',
          gateway: { url: gateway.url, credentialsSecret: 'login' },
        }),
        { folders: [folder], journal, signal: new AbortController().signal, removes: false },
      );
    const file = join(folder, 'a.yaml');
    for (const [ended, why] of [
      [await look(folder, file), 'a file is where a folder is expected, so nothing was begun'],
      [await look(file, makeFolder()), 'ENOTDIR'],
    ] as const) {
      expect([ended.state, ended.reason]).toEqual(['failed', 'DiskError']);
      expect(ended.message).toContain(why);
    }
  });

  it('is deleted whatever a disk makes of what another namespace declares', async () => {
    await using gateway = await startGateway({ users: ADMIN });
    const folder = makeFolder();
    writeFileSync(join(folder, 'gwconf.yaml'), projectOf({ prod: 'files: [a.yaml]' }));
    writeFileSync(join(folder, 'a.yaml'), interceptor('hvs.token'));
    const own = resourceOf(folder, {
      ...{ mode: 'apply', prune: true },
      gateway: { url: gateway.url, credentialsSecret: 'login' },
    });
    const status = {
      ...{ observedGeneration: 1, lastAppliedRevision: 'x' },
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '', reason: '', message: '' }],
    };
    const source = { folder: join(folder, 'a.yaml') };
    const other = { ...own, spec: { ...own.spec, source }, status };
    const { state } = await reconcile(quickHost(), { get: () => Promise.resolve(login as never) }, own, {
      ...{ folders: [folder], journal: join(makeFolder(), 'j'), signal: new AbortController().signal },
      ...{
        removes: true,
        others: [{ ...other, metadata: { ...own.metadata, namespace: 'other' } } as GatewayConfig],
      },
    });
    expect(state).toBe('done');
  });

  it('is refused with a folder that leads into itself again and again', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'gwconf.yaml'), 'a: 1\n');
    for (const name of ['a', 'b']) symlinkSync('.', join(folder, name));
    await expect(
      readSource(quickHost(), noKube, resourceOf(folder, {}), { folders: [folder] }),
    ).rejects.toThrow('lies more than 20 folders deep');
  });
});

describe('many resources of one namespace', () => {
  it('keep those of others waiting no longer than one of them takes', async () => {
    const clock = virtualClock();
    const ended: string[] = [];
    const never = new AbortController().signal;
    const queue = makeQueue(clock, 2, async (key) => {
      await clock.wait(60_000, never);
      ended.push(key);
    });
    for (let at = 0; at < 50; at += 1) queue.add(`noisy/r${at}`, 0);
    for (const key of ['one/app', 'other/app']) queue.add(key, 1);
    expect(queue.depth()).toBe(0);
    await clock.wait(200_000, never);
    expect(ended.slice(0, 4).sort()).toEqual(['noisy/r0', 'noisy/r1', 'one/app', 'other/app']);
    expect(queue.depth()).toBe(50 - (ended.length - 2));
    for (let at = 0; at < 50; at += 1) queue.remove(`noisy/r${at}`);
    await queue.stop();
    expect(queue.depth()).toBe(0);
  });
});

describe('a gateway that namespaces share', () => {
  it('is left to a namespace that waits by the one that had it last', async () => {
    const clock = virtualClock();
    const takeTurn = makeTurns(clock);
    const never = new AbortController().signal;
    const free = (): Promise<Taken> =>
      Promise.resolve({ held: { lost: never, release: () => Promise.resolve() } });
    const busy = (): Promise<Taken> => Promise.resolve({ retryInMs: 1 });
    const isMine = async (namespace: string, take = free): Promise<boolean> =>
      'held' in (await takeTurn('gateway', namespace, take));
    expect(await isMine('noisy')).toBe(true);
    expect(await isMine('one', busy)).toBe(false);
    expect(await isMine('noisy')).toBe(false);
    expect('held' in (await takeTurn('elsewhere', 'noisy', free))).toBe(true);
    expect(await isMine('one')).toBe(true);
    expect(await isMine('noisy')).toBe(true);
    expect(await isMine('one', busy)).toBe(false);
    await clock.wait(60_000, never); // it went away
    expect(await isMine('noisy')).toBe(true);
  });
});
