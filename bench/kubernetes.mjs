// Replicas of the controller, until each of COUNT resources has been looked at once. Prints seconds, calls to the API server and to
// gateways, and the largest memory of a replica. The API server is the one of the tests, in this process.
//
//     node bench/kubernetes.mjs COUNT REPLICAS URL-OF-A-GATEWAY
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const [count, replicas, gateway] = process.argv.slice(2);
const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'gwconf-kubernetes-'));
const module = join(folder, 'api-server.mjs');
await build({
  entryPoints: [path('../test/support/kubernetes/api-server.ts')],
  bundle: true,
  platform: 'node',
  format: 'esm',
  outfile: module,
});
const api = await (await import(module)).startApiServer();
const kubeconfig = join(folder, 'kubeconfig');
writeFileSync(kubeconfig, api.kubeconfig);

const own = '/apis/gwconf.io/v1alpha1/namespaces/team/gatewayconfigs';
await api.call('POST', '/api/v1/namespaces/team/configmaps', {
  metadata: { name: 'files' },
  data: {
    'gwconf.yaml': 'apiVersion: gwconf/v1\nkind: Project\nenvironments: { prod: { files: [a.yaml] } }\n',
    'a.yaml':
      'apiVersion: gateway/v2\nkind: AliasTopic\nmetadata: { name: orders }\nspec: { physicalName: orders.v1 }\n',
  },
});
// Each has a gateway of its own; it is the same server under another name.
for (let at = 0; at < Number(count); at += 1)
  await api.call('POST', own, {
    metadata: { name: `app-${at}` },
    spec: {
      source: { configMap: { name: 'files' } },
      gateway: { url: `${gateway}@0e${at}` },
      interval: '1h',
    },
  });

const before = api.calls.length;
const start = performance.now();
const children = Array.from({ length: Number(replicas) }, (_, at) => {
  const args = ['controller', '--namespace', 'team', '--port', '0', '--address', '127.0.0.1'];
  const env = { ...process.env, KUBECONFIG: kubeconfig, POD_NAME: `replica-${at}`, POD_NAMESPACE: 'team' };
  const usage = ['--import', new URL('usage.mjs', import.meta.url).href];
  const flags = [...usage, path('../dist/gwconf.cjs'), ...args, '--journal', join(folder, `journal-${at}`)];
  return spawn(process.execPath, flags, { env, stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
});
let looked = [];
while (looked.length < Number(count)) {
  await setTimeout(1000);
  const { body } = await api.call('GET', own);
  looked = body.items.filter(({ status }) => status?.lastRun !== undefined);
}
const seconds = (performance.now() - start) / 1000;
const calls = api.calls.length - before;
const peaks = await Promise.all(
  children.map(async (child) => {
    let text = '';
    child.stdio[3].on('data', (chunk) => (text += chunk));
    child.kill();
    await once(child, 'close');
    return JSON.parse(text).peakKb / 1024;
  }),
);
const made = looked.map(({ status }) => status.lastRun.calls).reduce((one, other) => one + other, 0);
const shares = new Set(looked.map(({ status }) => status.lastRun.by)).size;
console.log(JSON.stringify({ seconds, calls, gatewayCalls: made, peakMb: Math.max(...peaks), shares }));
await api.close();
rmSync(folder, { recursive: true });
