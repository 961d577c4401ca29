import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runController, type ControllerOptions } from '../../../src/controller/controller.ts';
import type { Outcome } from '../../../src/controller/reconcile.ts';
import type { Spec, Status } from '../../../src/controller/resource.ts';
import { startGateway, type TestGateway } from '../../../src/testing.ts';
import { projectOf } from '../documents.ts';
import { quickHost } from '../quick-key.ts';

/** An object of Kubernetes. */
export type KubeJson = {
  apiVersion?: string;
  kind?: string;
  metadata: {
    name: string;
    namespace?: string;
    uid?: string;
    generation?: number;
    resourceVersion?: string;
    deletionTimestamp?: string;
    finalizers?: string[];
    annotations?: Record<string, string>;
  };
  spec?: Record<string, unknown>;
  status?: unknown;
  [field: string]: unknown;
};

/** An API server: the one in memory, or a real one. */
export type Api = {
  readonly kubeconfig: string;
  /** A namespace with nothing in it. */
  readonly namespace: string;
  readonly call: (
    method: string,
    path: string,
    body?: object,
  ) => Promise<{ readonly status: number; readonly body: KubeJson }>;
  /** The calls that it got; only the one in memory tells. */
  readonly calls?: readonly { readonly method: string; readonly path: string }[];
  /** Answers nothing, or takes no status. */
  readonly setDown?: (down: boolean | 'status') => void;
  readonly close: () => Promise<void>;
};

const ALIAS = 'AliasTopic/orders@vCluster=prod';
const TOKEN = 'vault-token-of-nobody-else';

const ENCRYPT = JSON.stringify({
  apiVersion: 'gateway/v2',
  kind: 'Interceptor',
  metadata: { name: 'encrypt', scope: { vCluster: 'prod' } },
  spec: {
    pluginClass: 'io.conduktor.gateway.interceptor.EncryptPlugin',
    priority: 1,
    config: { topic: 'cards', kmsConfig: { vault: { type: 'TOKEN', token: '${VAULT_TOKEN}' } } },
  },
});

const ENV = new Map([['GWCONF_ARTIFACT_HOSTS', 'http://127.0.0.1']]);
const PROJECT = projectOf({
  prod: "files: [gateway.yaml], manages: ['VirtualCluster/prod', '*@vCluster=prod*']",
});

/** What the controller does, on either API server. */
export function controllerContract(startApi: () => Promise<Api>): void {
  it('creates in mode apply, and says so in the status and in events', async () => {
    const { make, start, gateway, eventsOf } = await world(startApi);
    await make({ mode: 'apply' });
    const { looked, statusOf } = await start();
    await looked(({ reason }) => reason === 'Applied');
    expect(await namesOn(gateway)).toEqual(['orders']);
    const status = await statusOf();
    expect(status.conditions).toMatchObject([{ type: 'Ready', status: 'True', reason: 'Applied' }]);
    expect(status).toMatchObject({ observedGeneration: 1, changes: { total: 0 }, drift: { count: 0 } });
    expect(status.lastAppliedRevision).toMatch(/^sha256:/);
    expect(await eventsOf('Applied')).toEqual([expect.stringContaining('2 changes made')]);
  });

  it('changes nothing in mode plan, and reports what differs', async () => {
    const { make, start, gateway, ask, eventsOf } = await world(startApi);
    await make({});
    const { looked, statusOf } = await start();
    await looked(({ reason }) => reason === 'ChangesFound');
    const again = looked(() => true);
    await ask();
    await again;
    expect(gateway.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
    expect(await statusOf()).toMatchObject({
      conditions: [{ type: 'Ready', status: 'True', reason: 'ChangesFound' }],
      changes: { total: 2, create: 2 },
      drift: { count: 2 },
    });
    expect(await eventsOf('DriftDetected')).toHaveLength(1);
  });

  it('follows its ConfigMap, and brings back what somebody changed by hand', async () => {
    const { make, start, gateway, setFiles, ask, eventsOf } = await world(startApi);
    await make({ mode: 'apply' });
    const { looked } = await start();
    await looked(({ reason }) => reason === 'Applied');
    const changed = looked(({ made }) => made === 1);
    await setFiles(aliases('orders', 'payments'));
    await changed;
    expect(await namesOn(gateway)).toEqual(['orders', 'payments']);
    await gateway.put(alias('orders', 'somewhere-else'));
    const healed = looked(({ made }) => made === 1);
    await ask();
    await healed;
    expect((await gateway.list('AliasTopic')).map(({ spec }) => spec['physicalName'])).toEqual([
      'orders.v1',
      'payments.v1',
    ]);
    expect(await eventsOf('DriftCorrected')).toHaveLength(1);
  });

  it('waits for approval of just this plan', async () => {
    const { make, start, gateway, change, setFiles, eventsOf } = await world(startApi);
    await make({ mode: 'approve' });
    const { looked, statusOf } = await start();
    await looked(({ state }) => state === 'waiting');
    const { pendingPlan: first, conditions } = await statusOf();
    expect(conditions).toMatchObject([{ type: 'Ready', status: 'False', reason: 'PlanPending' }]);
    expect(first).toMatchObject({
      summary: '2 to create',
      changes: [expect.any(String), `create ${ALIAS}`],
      losses: [],
    });
    expect(await eventsOf('PlanPending')).toEqual([expect.stringContaining(first?.digest ?? 'none')]);
    const moved = looked(({ plan }) => plan?.counts.create === 3);
    await setFiles(aliases('orders', 'payments'));
    await moved;
    const still = looked(({ state }) => state === 'waiting');
    await change({ approvedPlan: first?.digest });
    await still;
    expect(await namesOn(gateway)).toEqual([]);
    const applied = looked(({ reason }) => reason === 'Applied');
    await change({ approvedPlan: (await statusOf()).pendingPlan?.digest });
    await applied;
    expect(await namesOn(gateway)).toEqual(['orders', 'payments']);
    expect((await statusOf()).pendingPlan).toBeUndefined();
  });

  it('waits for another approval of a plan that was applied, once somebody has changed the gateway back', async () => {
    const { make, start, gateway, change, setFiles, ask } = await world(startApi);
    const topicOf = async (): Promise<unknown> =>
      (await gateway.list('AliasTopic')).map(({ spec }) => spec['physicalName']);
    await make({ mode: 'apply' });
    const { looked, statusOf } = await start();
    await looked(({ reason }) => reason === 'Applied');
    const waits = looked(({ state }) => state === 'waiting');
    await change({ mode: 'approve' });
    await setFiles(aliases('orders').replace('orders.v1', 'orders.v2'));
    await waits;
    const approve = async (): Promise<void> => {
      const applied = looked(({ reason }) => reason === 'Applied');
      await change({ approvedPlan: (await statusOf()).pendingPlan?.digest });
      await applied;
    };
    await approve();
    expect(await topicOf()).toEqual(['orders.v2']);
    await gateway.put(alias('orders', 'orders.v1'));
    const waitsAgain = looked(({ state, made }) => state === 'waiting' || made > 0);
    await ask();
    await waitsAgain;
    expect(await topicOf()).toEqual(['orders.v1']);
    await approve();
    expect(await topicOf()).toEqual(['orders.v2']);
  });

  it('does nothing while it is suspended', async () => {
    const { make, start, gateway, change } = await world(startApi);
    await make({ mode: 'apply', suspend: true });
    const { looked } = await start();
    const applied = looked(({ reason }) => reason === 'Applied');
    expect(gateway.requests).toEqual([]);
    await change({ suspend: false });
    await applied;
    expect(await namesOn(gateway)).toEqual(['orders']);
  });

  it('leaves the gateway as it is when the resource is deleted', async () => {
    const { make, start, gateway, remove, isGone } = await world(startApi);
    await make({ mode: 'apply' });
    const { looked } = await start();
    await looked(({ reason }) => reason === 'Applied');
    await remove();
    expect(await isGone()).toBe(true);
    expect(await namesOn(gateway)).toEqual(['orders']);
  });

  it('deletes what its files declare with it when spec.prune says so, and nothing else', async () => {
    const { make, start, gateway, remove, isGone, eventsOf } = await world(startApi);
    await gateway.put({
      apiVersion: 'gateway/v2',
      kind: 'VirtualCluster',
      metadata: { name: 'other' },
      spec: {},
    });
    await make({ mode: 'apply', prune: true });
    const { looked } = await start();
    await looked(({ reason }) => reason === 'Applied');
    const pruned = looked(({ made }) => made === 2);
    await remove();
    await pruned;
    await expect.poll(isGone).toBe(true);
    expect(await eventsOf('Pruned')).toHaveLength(1);
    expect(await namesOn(gateway)).toEqual([]);
    expect((await gateway.list('VirtualCluster')).map(({ metadata }) => metadata.name)).toEqual(['other']);
  });

  it('deletes nothing with a resource that never brought the gateway to its files, whatever prune says', async () => {
    const { make, start, gateway, setFiles, remove, isGone } = await world(startApi);
    await gateway.put({ ...alias('orders'), kind: 'VirtualCluster', metadata: { name: 'prod' }, spec: {} });
    await gateway.put(alias('orders', 'by-hand'));
    await setFiles(aliases('orders').replaceAll('prod', 'other')); // which manages does not match
    await make({ mode: 'apply', prune: true });
    const { looked } = await start();
    await looked(({ reason }) => reason === 'InvalidFiles');
    await remove();
    await expect.poll(isGone).toBe(true);
    expect(await namesOn(gateway)).toEqual(['orders']);
  });

  it('deletes nothing with a resource on a gateway that it was given last, and never changed', async () => {
    const { make, start, change, gateway, remove, isGone } = await world(startApi);
    const users = [{ username: 'admin', password: 'conduktor-password', admin: true }];
    await using other = await startGateway({ users });
    await other.put({ ...alias('orders'), kind: 'VirtualCluster', metadata: { name: 'prod' }, spec: {} });
    await other.put(alias('by-hand'));
    await make({ mode: 'apply', prune: true });
    const { looked } = await start();
    await looked(({ reason }) => reason === 'Applied');
    const moved = looked(({ reason }) => reason === 'SourceMissing');
    const source = { configMap: { name: 'absent' } };
    await change({ source, gateway: { url: other.url, credentialsSecret: 'login' } });
    await moved;
    await remove();
    await expect.poll(isGone).toBe(true);
    expect(await namesOn(other)).toEqual(['by-hand']);
    expect(await namesOn(gateway)).toEqual(['orders']);
  });

  it('leaves what another resource for the gateway declares, such as the same one under a new name', async () => {
    const { make, change, start, gateway, remove, isGone } = await world(startApi);
    await make({ mode: 'apply', prune: true });
    const { looked, statusOf } = await start();
    await looked(({ reason }) => reason === 'Applied');
    const absent = { source: { configMap: { name: 'absent' } } };
    await make({ mode: 'apply', ...absent }, 'never-applied');
    const taken = looked(({ reason }) => reason === 'UpToDate', 'new');
    await make({ mode: 'apply', prune: true }, 'new');
    await taken;
    const unread = looked(({ reason }) => reason === 'SourceMissing', 'new');
    await change(absent, 'new');
    await unread;
    const held = looked(({ reason }) => reason === 'PruneUnknown');
    await remove();
    await held;
    expect((await statusOf()).conditions?.[0]?.message).toMatch(
      /^what to delete is not known: new is for the same gateway, and is not ready\. Mend it, or take away the finalizer$/,
    );
    const mended = looked(({ reason }) => reason === 'UpToDate', 'new');
    await change({ source: { configMap: { name: 'files' } } }, 'new');
    await mended;
    await change({ interval: '20m' });
    await expect.poll(isGone).toBe(true);
    expect(await namesOn(gateway)).toEqual(['orders']);
    expect(gateway.requests.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });

  it('changes nothing that an older resource declares, deletes nothing that any other one does, and says why it is not ready', async () => {
    const { make, start, gateway, setFiles } = await world(startApi);
    await make({ mode: 'apply' });
    const { looked, statusOf } = await start();
    await looked(({ reason }) => reason === 'Applied');
    const isOthers = ({ reason }: Outcome): boolean => reason === 'DeclaredElsewhere';
    const topicsOn = async (): Promise<unknown> =>
      (await gateway.list('AliasTopic')).map(({ spec }) => spec['physicalName']);
    const told = async (): Promise<unknown> =>
      (await statusOf('second')).conditions?.map(({ type, status, message }) => [type, status, message]);
    await setFiles(aliases('orders').replace('orders.v1', 'orders.v2'), 'more');
    const met = looked(isOthers, 'second');
    await make({ mode: 'apply', source: { configMap: { name: 'more' } }, prune: true }, 'second');
    await met;
    const update = `nothing is changed: the plan would update ${ALIAS}, which app declares, too; it is older, and has it. Take it out of the files of one of them`;
    expect(await told()).toEqual([
      ['Ready', 'False', update],
      ['Stalled', 'True', update],
    ]);
    const pruning = looked(isOthers, 'second');
    await setFiles(aliases('payments'), 'more');
    await pruning;
    const prune = `nothing is changed: the plan would delete ${ALIAS}, which app declares. Take it out of manages here, or out of the files there`;
    expect(await told()).toEqual([
      ['Ready', 'False', prune],
      ['Stalled', 'True', prune],
    ]);
    expect(await topicsOn()).toEqual(['orders.v1']);
    const agreed = looked(({ reason }) => reason === 'Applied', 'second');
    await setFiles(aliases('orders', 'payments'), 'more');
    await agreed;
    expect(await topicsOn()).toEqual(['orders.v1', 'payments.v1']);
  });

  it('waits for approval of what it deletes with a resource, too', async () => {
    const { make, start, gateway, change, remove, isGone } = await world(startApi);
    await make({ mode: 'approve', prune: true });
    const { looked, statusOf } = await start();
    const approve = async (): Promise<void> =>
      change({ approvedPlan: (await statusOf()).pendingPlan?.digest });
    await looked(({ state }) => state === 'waiting');
    const applied = looked(({ reason }) => reason === 'Applied');
    await approve();
    await applied;
    const waiting = looked(({ state }) => state === 'waiting');
    await remove();
    await waiting;
    expect((await statusOf()).pendingPlan).toMatchObject({
      summary: '2 to delete',
      risks: ['VirtualCluster/prod is deleted with the topics, ACLs and consumer groups inside it'],
    });
    expect(await namesOn(gateway)).toEqual(['orders']);
    await approve();
    await expect.poll(isGone).toBe(true);
    expect(await namesOn(gateway)).toEqual([]);
  });

  it('says which Secret is missing, and goes on once it is there', async () => {
    const { api, make, start, change, setFiles, setSecret } = await world(startApi);
    await make({ mode: 'apply', variablesFrom: [{ secret: 'later' }] });
    const { looked, statusOf } = await start();
    await looked(({ reason }) => reason === 'SecretMissing');
    expect((await statusOf()).conditions).toMatchObject([
      {
        type: 'Ready',
        status: 'False',
        reason: 'SecretMissing',
        message: `the Secret later does not exist in the namespace ${api.namespace}`,
      },
      { type: 'Stalled', status: 'True' },
    ]);
    const applied = looked(({ reason }) => reason === 'Applied');
    await setSecret('later', { OTHER: 'x' });
    await change({ interval: '20m' });
    await applied;
    const unset = looked(({ reason }) => reason === 'InvalidFiles');
    await setFiles(ENCRYPT);
    await unset;
    expect((await statusOf()).conditions?.[0]?.message).toBe(
      'gateway.yaml:1:262: the environment variable VAULT_TOKEN is not set; set VAULT_TOKEN; or use a default, ${VAULT_TOKEN:-…}; or write $${VAULT_TOKEN} for a placeholder of the gateway',
    );
  });

  it('tells no secret: in no status, event, log line or metric', async () => {
    const { api, make, start, gateway, setFiles, setSecret, logs, metrics } = await world(startApi);
    await setSecret('variables', { VAULT_TOKEN: TOKEN });
    await setFiles(`${aliases('orders')}---\n${JSON.stringify(alias('${VAULT_TOKEN}', '${VAULT_TOKEN}'))}\n`);
    await make({ mode: 'apply', variablesFrom: [{ secret: 'variables' }] });
    const { looked } = await start();
    await looked(({ reason }) => reason === 'InvalidFiles');
    gateway.setFaults([
      { method: 'PUT', status: 400, body: { title: `no: ${TOKEN} of conduktor-password`, status: 400 } },
    ]);
    const failed = looked(({ reason }) => reason === 'ApplyFailed');
    await setFiles(`${aliases('orders')}---\n${JSON.stringify(alias('masked', 'x-${VAULT_TOKEN}'))}\n`);
    await failed;
    const all = await Promise.all(
      [
        `/apis/gwconf.io/v1alpha1/namespaces/${api.namespace}/gatewayconfigs`,
        `/api/v1/namespaces/${api.namespace}/events`,
      ].map((path) => api.call('GET', path)),
    );
    const told = [JSON.stringify(all), logs.join(''), await metrics()].join('\n');
    expect(told).toContain('no: (hidden)');
    for (const secret of [TOKEN, 'conduktor-password']) expect(told).not.toContain(secret);
  });

  it('says who lacks a protection since a run made some of its changes only', async () => {
    const { make, start, gateway, setFiles, ask } = await world(startApi);
    const mask = {
      apiVersion: 'gateway/v2',
      kind: 'Interceptor',
      metadata: { name: 'mask', scope: { vCluster: 'prod' } },
      spec: {
        pluginClass: 'io.conduktor.gateway.interceptor.FieldLevelDataMaskingPlugin',
        priority: 1,
        config: { topic: '.*', policies: [{ name: 'p', rule: { type: 'MASK_ALL' }, fields: ['card'] }] },
      },
    };
    await setFiles(`${aliases('orders')}---\n${JSON.stringify(mask)}\n`);
    await make({ mode: 'apply', prune: true });
    const { looked, statusOf } = await start();
    await looked(({ reason }) => reason === 'Applied');
    gateway.setFaults([
      { method: 'DELETE', path: '/gateway/v2/alias-topic', status: 400, body: { title: 'no' } },
    ]);
    const partly = looked(({ reason }) => reason === 'PartlyApplied');
    await setFiles(aliases());
    await partly;
    const told = /^an unfinished run left all other clients in prod without masking; AliasTopic\/orders/;
    expect((await statusOf()).conditions?.[0]?.message).toMatch(told);
    expect((await statusOf()).changes).toMatchObject({ total: 1, delete: 1 }); // what is left, not both deletes
    const again = looked(({ reason, made }) => reason === 'ApplyFailed' && made === 0);
    await ask();
    await again;
    expect((await statusOf()).conditions?.[0]?.message).toMatch(told);
    gateway.setFaults([]);
    const applied = looked(({ reason }) => reason === 'Applied');
    await ask();
    await applied;
    expect(await statusOf()).not.toHaveProperty('unprotected');
    expect((await statusOf()).conditions?.[0]?.message).toBe('1 change made');
  });

  it('counts a replace of which only the delete was made, and lists no change that was not made', async () => {
    const on = (physicalCluster: string): string => {
      const partner = {
        ...alias('orders'),
        kind: 'VirtualCluster',
        metadata: { name: 'prod' },
        spec: { type: 'Partner', aclEnabled: true, superUsers: ['root'] },
      };
      const moved = { ...alias('orders'), spec: { physicalName: 'orders.v1', physicalCluster } };
      return `${JSON.stringify(partner)}\n---\n${JSON.stringify(moved)}\n`;
    };
    const { make, start, gateway, setFiles, eventsOf } = await world(startApi, on('main'));
    await make({ mode: 'apply' });
    const { looked, statusOf } = await start();
    await looked(({ reason }) => reason === 'Applied');
    gateway.setFaults([
      { method: 'PUT', path: '/gateway/v2/alias-topic', status: 400, body: { title: 'no' } },
    ]);
    const partly = looked(({ reason }) => reason === 'PartlyApplied');
    await setFiles(on('other'));
    await partly;
    expect((await statusOf()).lastRun).toMatchObject({ made: 1 });
    expect(await eventsOf('Applied')).toContainEqual(expect.stringMatching(/^1 change made at \S+$/));
  });

  it('reads an artifact of Flux, and says why it does not use one', async () => {
    const { api, make, start, gateway, must, ask } = await world(startApi);
    const tar = async (...names: readonly string[]): Promise<Buffer> => {
      const texts = { 'x/gwconf.yaml': PROJECT, 'x/gateway.yaml': aliases(...names) };
      const entries = Object.entries(texts).map(([name, body]) => ({
        header: { name, size: Buffer.byteLength(body) },
        body,
      }));
      return gzipSync(await packTar(entries));
    };
    const [first, second] = [await tar('orders'), await tar('orders', 'payments')];
    let served = first;
    const server = createServer((_, response) => response.end(served)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.tar.gz`;
    const sources = `/apis/source.toolkit.fluxcd.io/v1/namespaces/${api.namespace}/gitrepositories`;
    const of = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    const repository = {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'GitRepository',
      metadata: { name: 'fleet' },
    };
    const artifact = { url, digest: of(first), revision: 'main@sha1:1' };
    await must('POST', sources, { ...repository, status: { artifact } });
    await make({ mode: 'apply', source: { flux: { kind: 'GitRepository', name: 'fleet', path: './x' } } });
    const { looked, statusOf } = await start();
    await looked(({ reason }) => reason === 'Applied');
    expect((await statusOf()).lastAppliedRevision).toBe('main@sha1:1');
    const refused = looked(({ reason }) => reason === 'ArtifactRefused');
    const newer = { status: { artifact: { ...artifact, digest: of(second), revision: 'main@sha1:2' } } };
    await patch(must, api, `${sources}/fleet`, newer);
    await refused;
    expect((await statusOf()).conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual([
      'Ready=False',
      'Stalled=True',
    ]);
    expect(await namesOn(gateway)).toEqual(['orders']);
    served = second;
    const applied = looked(({ made }) => made === 1);
    await ask();
    await applied;
    expect(await namesOn(gateway)).toEqual(['orders', 'payments']);
  });

  it('escapes names that would give orders to a terminal', async () => {
    const { make, start, statusTexts } = await world(startApi);
    await make({ environment: 'x\u001b[2J\u202e' });
    const { looked } = await start();
    await looked(({ reason }) => reason === 'InvalidProject');
    expect(await statusTexts()).toEqual([
      'gwconf.yaml has no environment x\\u001b[2J\\u202e; it has prod',
      'gwconf.yaml has no environment x\\u001b[2J\\u202e; it has prod',
    ]);
  });

  it('leaves the rest of a run to another replica when one ends in the middle, and nothing is written twice', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `topic-${at}`);
    const { api, make, start, gateway } = await world(startApi, aliases(...names));
    const puts = (): readonly unknown[] =>
      gateway.requests.filter(({ method }) => method === 'PUT').map(({ body }) => body);
    gateway.setFaults([{ method: 'PUT', delayMs: 30 }]);
    const replicas = [await start({}, 'replica-0'), await start({}, 'replica-1')];
    await make({ mode: 'apply' });
    await expect.poll(() => puts().length, { interval: 5 }).toBeGreaterThan(1);
    const leases = await api.call('GET', `/apis/coordination.k8s.io/v1/namespaces/${api.namespace}/leases`);
    const [, holder] = /"holderIdentity":"replica-(\d)_/.exec(JSON.stringify(leases.body)) ?? [];
    const [one, other] = holder === '0' ? replicas : [...replicas].reverse();
    const finished = other?.looked(({ reason }) => reason === 'Applied');
    const stopped = one?.looked(({ state }) => state === 'interrupted');
    await one?.stop();
    await stopped;
    await finished;
    expect(await namesOn(gateway)).toHaveLength(30);
    expect(new Set(puts().map((body) => JSON.stringify(body))).size).toBe(puts().length);
  });

  it.each(['suspended', 'deleted'] as const)(
    'ends a run after its calls in flight when the resource is %s, and keeps no metric of one that is gone',
    async (how) => {
      const names = Array.from({ length: 100 }, (_, at) => `topic-${at}`);
      const { make, change, remove, start, gateway, metrics } = await world(startApi, aliases(...names));
      gateway.setFaults([{ method: 'PUT', delayMs: 30 }]);
      const { looked, statusOf } = await start();
      await make({ mode: 'apply' });
      await expect.poll(() => gateway.requests.length, { interval: 5 }).toBeGreaterThan(12);
      const stopped = how === 'suspended' ? looked(() => true) : undefined;
      await (how === 'suspended' ? change({ suspend: true }) : remove());
      if (stopped === undefined) {
        await expect.poll(metrics, { interval: 20 }).toContain('gwconf_run_duration_seconds_count 1');
        await expect.poll(metrics, { interval: 20 }).not.toContain('name="app"');
      } else {
        expect((await stopped).state).toBe('interrupted');
        expect((await statusOf()).lastRun?.result).toBe('interrupted');
      }
      expect((await namesOn(gateway)).length).toBeLessThan(100);
    },
  );

  it('takes a gateway for the same one however its URL is written', async () => {
    const { make, start, gateway } = await world(startApi, aliases('a', 'b', 'c'));
    gateway.setFaults([{ method: 'PUT', delayMs: 20 }]);
    const ends = ['', '/', '//'];
    for (const [at, end] of ends.entries())
      await make(
        { mode: 'apply', gateway: { url: `${gateway.url}${end}`, credentialsSecret: 'login' } },
        `app-${at}`,
      );
    const { looked } = await start({ parallelism: 10 });
    await Promise.all(ends.map((_, at) => looked(({ state }) => state === 'done', `app-${at}`)));
    expect(gateway.requests.filter(({ method }) => method === 'PUT')).toHaveLength(4);
  });

  it('lets one replica work on a resource, and one resource on a gateway, at a time', async () => {
    const { make, start, gateway } = await world(startApi);
    await make({ mode: 'apply' });
    await make({ mode: 'apply' }, 'second');
    const replicas = [await start(), await start()];
    await Promise.all([
      Promise.race(replicas.map(({ looked }) => looked(({ state }) => state === 'done', 'app'))),
      Promise.race(replicas.map(({ looked }) => looked(({ state }) => state === 'done', 'second'))),
    ]);
    const writes = gateway.requests.filter(({ method }) => method === 'PUT');
    expect(writes.map(({ path }) => path).sort()).toEqual([
      '/gateway/v2/alias-topic',
      '/gateway/v2/virtual-cluster',
    ]);
  });
}

function alias(
  name: string,
  physicalName = `${name}.v1`,
): {
  apiVersion: string;
  kind: string;
  metadata: { name: string; vCluster: string };
  spec: { physicalName: string };
} {
  return {
    apiVersion: 'gateway/v2',
    kind: 'AliasTopic',
    metadata: { name, vCluster: 'prod' },
    spec: { physicalName },
  };
}

export function aliases(...names: readonly string[]): string {
  const all = [
    { apiVersion: 'gateway/v2', kind: 'VirtualCluster', metadata: { name: 'prod' }, spec: {} },
    ...names.map((name) => alias(name)),
  ];
  return all.map((one) => `${JSON.stringify(one)}\n`).join('---\n');
}

async function namesOn(gateway: TestGateway): Promise<readonly string[]> {
  return (await gateway.list('AliasTopic')).map(({ metadata }) => metadata.name);
}

/** A cluster with a project in a ConfigMap, a gateway, and resources for it. */
export async function world(startApi: () => Promise<Api>, files = aliases('orders')) {
  const api = await startApi();
  const gateway = await startGateway({
    users: [{ username: 'admin', password: 'conduktor-password', admin: true }],
  });
  const folder = mkdtempSync(join(tmpdir(), 'controller-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, api.kubeconfig);
  const logs: string[] = [];
  const ports: number[] = [];
  const stops: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    for (const stop of stops) await stop();
    await gateway.close();
    await api.close();
    rmSync(folder, { recursive: true });
  });
  const must = async (method: string, path: string, body?: object): Promise<KubeJson> => {
    const answer = await api.call(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const put = async (path: string, name: string, object: object): Promise<void> => {
    const { status, body } = await api.call('GET', `${path}/${name}`);
    if (status === 404) await must('POST', path, { ...object, metadata: { name } });
    else
      await must('PUT', `${path}/${name}`, {
        ...object,
        metadata: { name, resourceVersion: body.metadata.resourceVersion },
      });
  };
  const own = `/api/v1/namespaces/${api.namespace}`;
  const configs = `/apis/gwconf.io/v1alpha1/namespaces/${api.namespace}/gatewayconfigs`;
  const setFiles = (text: string, name = 'files'): Promise<void> =>
    put(`${own}/configmaps`, name, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      data: {
        'gwconf.yaml': PROJECT,
        'gateway.yaml': text,
      },
    });
  const setSecret = (name: string, values: Readonly<Record<string, string>>): Promise<void> => {
    const data = Object.fromEntries(
      Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
    );
    return put(`${own}/secrets`, name, { apiVersion: 'v1', kind: 'Secret', data });
  };
  await setFiles(files);
  await setSecret('login', { user: 'admin', password: 'conduktor-password' });
  return {
    ...{ api, gateway, logs, must, setFiles, setSecret },
    make: async (spec: Partial<Spec>, name = 'app') => {
      const whole: Spec = {
        source: { configMap: { name: 'files' } },
        environment: 'prod',
        gateway: { url: gateway.url, credentialsSecret: 'login' },
        interval: '1h',
        ...spec,
      };
      await must('POST', configs, {
        apiVersion: 'gwconf.io/v1alpha1',
        kind: 'GatewayConfig',
        metadata: { name },
        spec: whole,
      });
    },
    change: async (spec: Partial<Spec>, name = 'app') => {
      await patch(must, api, `${configs}/${name}`, { spec });
    },
    ask: () =>
      patch(must, api, `${configs}/app`, {
        metadata: { annotations: { 'gwconf.io/requestedAt': String(Math.random()) } },
      }),
    remove: () => must('DELETE', `${configs}/app`),
    isGone: async () => (await api.call('GET', `${configs}/app`)).status === 404,
    eventsOf: async (reason: string) => {
      const { items } = (await must('GET', `${own}/events`)) as unknown as {
        items: readonly { reason: string; message: string }[];
      };
      return items.filter((one) => one.reason === reason).map(({ message }) => message);
    },
    statusTexts: async () => {
      const { conditions = [] } = (await must('GET', `${configs}/app`)).status as Status;
      return conditions.map(({ message }) => message);
    },
    metrics: async () => (await fetch(`http://127.0.0.1:${ports[0] ?? 0}/metrics`)).text(),
    start: async (options: Partial<ControllerOptions> = {}, pod = 'replica') => {
      const stopping = new AbortController();
      const waiting = new Set<(key: string, outcome: Outcome) => void>();
      const note = (fields: object, message: string): void =>
        void logs.push(`${JSON.stringify({ ...fields, message })}\n`);
      const node = quickHost();
      const host = {
        ...node,
        log: { info: note, debug: note, trace: note },
        env: (name: string) => new Map([...ENV, ['POD_NAME', pod], ['KUBECONFIG', kubeconfig]]).get(name),
      };
      let ended: Promise<void> | undefined;
      const port = await new Promise<number>((resolve, reject) => {
        ended = runController(host, {
          ...{
            namespaces: [api.namespace],
            ownNamespace: api.namespace,
            folders: [],
            journal: join(folder, 'journal'),
            parallelism: 4,
          },
          listen: { host: '127.0.0.1', port: 0 },
          signal: stopping.signal,
          onListening: resolve,
          onLook: (key, outcome) => {
            for (const tell of waiting) tell(key, outcome);
          },
          ...options,
        });
        ended.catch(reject);
      });
      ports.push(port);
      const stop = async (): Promise<void> => {
        stopping.abort();
        await ended;
      };
      stops.push(stop);
      return {
        port,
        stop,
        /** The next look that ends so. */
        looked: (isIt: (outcome: Outcome) => boolean, name = 'app') =>
          new Promise<Outcome>((resolve) => {
            const tell = (key: string, outcome: Outcome): void => {
              if (key !== `${api.namespace}/${name}` || !isIt(outcome)) return;
              waiting.delete(tell);
              resolve(outcome);
            };
            waiting.add(tell);
          }),
        statusOf: async (name = 'app') => (await must('GET', `${configs}/${name}`)).status as Status,
      };
    },
  };
}

/** A change of some fields, against the newest version: the controller writes, too. */
async function patch(
  must: (method: string, path: string, body?: object) => Promise<KubeJson>,
  api: Api,
  path: string,
  change: {
    readonly spec?: object;
    readonly status?: object;
    readonly metadata?: { readonly annotations: object };
  },
): Promise<void> {
  for (;;) {
    const found = await must('GET', path);
    const spec = JSON.parse(JSON.stringify({ ...found.spec, ...change.spec })) as object;
    const metadata = { ...found.metadata, ...change.metadata };
    const { status } = await api.call('PUT', path, { ...found, ...change, metadata, spec });
    if (status === 200) return;
    expect(status).toBe(409);
  }
}
