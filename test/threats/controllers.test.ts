import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reconcile, type Outcome } from '../../src/controller/reconcile.ts';
import type { GatewayConfig } from '../../src/controller/resource.ts';
import { readSource } from '../../src/controller/source.ts';
import { nodeHost } from '../../src/host/node-host.ts';
import { startGateway } from '../../src/testing.ts';

const PASSWORD = 'password-of-the-gateway';
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

const interceptor = (token: string): string =>
  `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: e }\nspec: { pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin, priority: 1, config: { topic: a, kmsConfig: { vault: { uri: "http://vault", version: 1, token: "${token}" } } } }\n`;

describe('a resource of the controller', () => {
  it('is approved with the hidden values that it had, and no others', async () => {
    await using gateway = await startGateway({
      users: [{ username: 'admin', password: PASSWORD, admin: true }],
    });
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const login = {
      metadata: { name: 'login' },
      data: { user: base64('admin'), password: base64(PASSWORD) },
    };
    const folder = makeFolder();
    writeFileSync(
      join(folder, 'gwconf.yaml'),
      'apiVersion: gwconf/v1\nkind: Project\nenvironments: { prod: { files: [files] } }\n',
    );
    mkdirSync(join(folder, 'files'));
    const look = (approvedPlan?: string): Promise<Outcome> =>
      reconcile(
        nodeHost(),
        { get: () => Promise.resolve(login as never) },
        resourceOf(folder, {
          mode: 'approve',
          gateway: { url: gateway.url, credentialsSecret: 'login' },
          ...(approvedPlan === undefined ? {} : { approvedPlan }),
        }),
        {
          folders: [folder],
          journal: join(makeFolder(), 'j'),
          signal: new AbortController().signal,
          removes: false,
        },
      );
    writeFileSync(join(folder, 'files/a.yaml'), interceptor('hvs.token-that-was-reviewed'));
    const first = await look();
    expect([first.state, first.message]).toEqual(['waiting', expect.stringContaining('1 to create')]);
    writeFileSync(join(folder, 'files/a.yaml'), interceptor('hvs.token-of-somebody-else'));
    expect((await look(first.plan?.digest)).state).toBe('waiting');
    expect(await gateway.list('Interceptor')).toEqual([]);
    writeFileSync(join(folder, 'files/a.yaml'), interceptor('hvs.token-that-was-reviewed'));
    expect((await look(first.plan?.digest)).reason).toBe('Applied');
  });

  it('is refused with a folder that leads into itself again and again', async () => {
    const folder = makeFolder();
    writeFileSync(join(folder, 'gwconf.yaml'), 'a: 1\n');
    for (const name of ['a', 'b']) symlinkSync('.', join(folder, name));
    await expect(
      readSource(nodeHost(), noKube, resourceOf(folder, {}), { folders: [folder] }),
    ).rejects.toThrow('lies more than 20 folders deep');
  });
});
