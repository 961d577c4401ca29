import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Agent, request } from 'undici';
import { afterAll } from 'vitest';
import { parse } from 'yaml';
import { sharedFolder } from '../shared.ts';
import type { Api, KubeJson } from './contract.ts';

const START = sharedFolder('kube');

/** The folder with `kube-apiserver` and `etcd`; undefined, and said so, where it is not there. */
export const KUBERNETES = findPrograms();

function findPrograms(): string | undefined {
  const folder = process.env['GWCONF_KUBERNETES'] ?? '';
  const isThere = ['kube-apiserver', 'etcd'].every((name) => existsSync(join(folder, name)));
  if (isThere && !START.isAbsent) return folder;
  const missing = isThere
    ? 'there is no ../shared/kube/start, which starts the API server'
    : 'there is no API server: GWCONF_KUBERNETES names a folder with kube-apiserver and etcd, which ../shared/kube/build makes';
  process.stderr.write(`test:kubernetes: ${missing}. These tests are skipped.\n`);
  return undefined;
}

/** As Flux has it, but for its schema. */
const GIT_REPOSITORY = {
  metadata: { name: 'gitrepositories.source.toolkit.fluxcd.io' },
  spec: {
    group: 'source.toolkit.fluxcd.io',
    scope: 'Namespaced',
    names: { kind: 'GitRepository', plural: 'gitrepositories' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** Helm beside the API server, or of this machine. */
const beside = join(KUBERNETES ?? '', 'helm');
export const helm = existsSync(beside) ? beside : 'helm';
export const hasHelm = spawnSync(helm, ['version']).status === 0;

type Running = { readonly kubeconfig: string; readonly url: string; readonly stop: () => Promise<void> };
let running: Promise<Running> | undefined;
let namespaces = 0;
const AGENT = new Agent({ connect: { rejectUnauthorized: false } });

/** A namespace of its own on an API server that all tests of a file share. */
export async function startRealApi(): Promise<Api> {
  const { kubeconfig, url } = await (running ??= start());
  const call = callerOf(url);
  const namespace = `team-${process.pid}-${(namespaces += 1)}`;
  const { status } = await call('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  if (status !== 201) throw new Error(`the namespace ${namespace} cannot be made: ${status}`);
  return { kubeconfig, namespace, call, close: () => Promise.resolve() };
}

afterAll(async () => {
  await (await running)?.stop();
});

async function start(): Promise<Running> {
  const state = mkdtempSync(join(tmpdir(), 'kubernetes-'));
  const script = fileURLToPath(new URL('start', START.url));
  const port = await freePort();
  const server = spawn(script, [KUBERNETES ?? '', state, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  process.once('exit', () => server.kill());
  await new Promise<void>((resolve, reject) => {
    server.stdout.on('data', (text: Buffer) => {
      if (text.toString().includes('ready')) resolve();
    });
    server.on('exit', (code) => reject(new Error(`the API server ended with ${code ?? 'a signal'}`)));
  });
  const url = `https://127.0.0.1:${port}`;
  const crd = parse(
    readFileSync(join(import.meta.dirname, '../../../deploy/kubernetes/crd.yaml'), 'utf8'),
  ) as object;
  const call = callerOf(url);
  for (const one of [crd, GIT_REPOSITORY]) {
    const made = await call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', one);
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  }
  for (const path of ['gwconf.io/v1alpha1/gatewayconfigs', 'source.toolkit.fluxcd.io/v1/gitrepositories'])
    while ((await call('GET', `/apis/${path}`)).status !== 200) await setTimeout(200);
  return {
    kubeconfig: readFileSync(join(state, 'kubeconfig'), 'utf8'),
    url,
    stop: () =>
      new Promise((resolve) => {
        server.on('exit', () => {
          rmSync(state, { recursive: true, force: true });
          resolve();
        });
        server.kill();
      }),
  };
}

function callerOf(url: string): Api['call'] {
  return async (method, path, body) => {
    const { statusCode, body: answer } = await request(`${url}${path}`, {
      method: method as 'GET',
      headers: {
        authorization: 'Bearer secret-token',
        'content-type': method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json',
      },
      ...(body && { body: JSON.stringify(body) }),
      dispatcher: AGENT,
    });
    const text = await answer.text();
    // What is not served yet is answered in words.
    return { status: statusCode, body: (text.startsWith('{') ? JSON.parse(text) : {}) as KubeJson };
  };
}

/** The first of three free ports: the API server and etcd need one each, and etcd another for its peers. */
async function freePort(): Promise<number> {
  const first = await listen(0);
  const others = await Promise.allSettled([first.port + 1, first.port + 2].map(listen));
  for (const one of others) if (one.status === 'fulfilled') one.value.server.close();
  first.server.close();
  return others.every(({ status }) => status === 'fulfilled') ? first.port : freePort();
}

function listen(port: number): Promise<{ readonly port: number; readonly server: Server }> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve({ port: (server.address() as AddressInfo).port, server }));
  });
}
