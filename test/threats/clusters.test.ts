import { describe, expect, it } from 'vitest';
import { readSecrets } from '../../src/controller/secrets.ts';
import { readSource } from '../../src/controller/source.ts';
import type { Kube } from '../../src/controller/kube.ts';
import type { GatewayConfig, Spec } from '../../src/controller/resource.ts';
import { nodeHost } from '../../src/host/node-host.ts';
import { makeMasker } from '../../src/plan/secrets/masker.ts';
import { compileRule, readVariableRule } from '../../src/workflow/project/variables.ts';

/** What the controller asks the API server for, as a client of HTTP writes the path. */
async function askedFor(spec: Partial<Spec>): Promise<readonly string[]> {
  const asked: string[] = [];
  const kube: Pick<Kube, 'get'> = {
    get: (path) => {
      asked.push(new URL(path, 'https://cluster').pathname);
      return Promise.resolve(undefined);
    },
  };
  const resource = {
    metadata: { name: 'a', namespace: 'mine' },
    spec: { gateway: { url: 'https://gateway.example' }, source: { configMap: { name: 'files' } }, ...spec },
  } as GatewayConfig; // the parts that are read
  const host = nodeHost();
  await expect(readSecrets(host, kube, resource, makeMasker())).rejects.toThrow('does not exist');
  await expect(readSource(host, kube, resource, { folders: [] })).rejects.toThrow('does not exist');
  return asked;
}

const gateway = (more: object): Partial<Spec> => ({ gateway: { url: 'https://gateway.example', ...more } });

describe('threat: tenant: a Secret that says which variables can be shown', () => {
  it('says so of its own keys alone', async () => {
    const secrets = new Map([
      ['theirs', { DB_PASSWORD: 'p', REGION: 'eu', GWCONF_PUBLIC_VARIABLES: 'REGION' }],
      ['mine', { GWCONF_PUBLIC_VARIABLES: '*', GWCONF_ALLOWED_VARIABLES: '!DB_*', ZONE: 'a' }],
    ]);
    const kube: Pick<Kube, 'get'> = {
      get: (path) => {
        const name = path.slice(path.lastIndexOf('/') + 1);
        const entries = Object.entries(secrets.get(name) ?? {});
        const data = Object.fromEntries(entries.map(([key, text]) => [key, btoa(text)]));
        return Promise.resolve({ metadata: { name }, data } as never);
      },
    };
    const resource = {
      metadata: { name: 'a', namespace: 'mine' },
      spec: { ...gateway({}), variablesFrom: [{ secret: 'theirs' }, { secret: 'mine' }] },
    } as GatewayConfig; // the parts that are read
    const { variables } = await readSecrets(nodeHost(), kube, resource, makeMasker());
    const rule = compileRule(readVariableRule((name) => variables.get(name), undefined));
    const names = ['DB_PASSWORD', 'REGION', 'ZONE'];
    expect(names.map((name) => rule.isPublic(name))).toEqual([false, true, true]);
    expect(names.map((name) => rule.isAllowed(name))).toEqual([true, true, true]);
  });
});

describe('threat: author: a resource in one namespace of a cluster', () => {
  it.each([
    'other',
    '../../theirs/secrets/admin',
    '%2e%2e/%2e%2e/theirs/secrets/admin',
    '..\\..\\theirs\\secrets\\admin',
    'a?watch=true',
    '..',
    '',
  ])('asks for nothing of another one: %j', async (name) => {
    for (const spec of [
      gateway({ credentialsSecret: name }),
      gateway({ caSecret: name }),
      { variablesFrom: [{ secret: name }], source: { configMap: { name } } },
      { variablesFrom: [{ secret: name }], source: { flux: { kind: 'Bucket', name } } } as Partial<Spec>,
    ])
      for (const path of await askedFor(spec))
        expect(path).toMatch(/\/namespaces\/mine\/(?:secrets|configmaps|buckets)\/(?:other|files)$/);
  });

  it('asks for what it names', async () => {
    expect(await askedFor({ variablesFrom: [{ secret: 'a.b-c' }] })).toEqual([
      '/api/v1/namespaces/mine/secrets/a.b-c',
      '/api/v1/namespaces/mine/configmaps/files',
    ]);
  });
});

describe('threat: tenant: Secrets so long that to search for them stops all other resources', () => {
  const long = 'x'.repeat(300_000);

  it.each<[string, Partial<Spec>]>([
    ['as a password', gateway({ credentialsSecret: 'a' })],
    ['as a key', gateway({ clientCertificateSecret: 'a' })],
    ['as a variable', { ...gateway({}), variablesFrom: [{ secret: 'a' }] }],
    ['in parts', { ...gateway({}), variablesFrom: Array(10).fill({ secret: 'part' }) as [] }],
  ])('are refused %s', async (_, spec) => {
    const of = (text: string): object => ({
      metadata: { name: 'a' },
      data: Object.fromEntries(['user', 'password', 'tls.crt', 'tls.key'].map((key) => [key, btoa(text)])),
    });
    const kube: Pick<Kube, 'get'> = {
      get: (path) => Promise.resolve(of(path.endsWith('part') ? long.slice(0, 10_000) : long) as never),
    };
    const resource = { metadata: { name: 'a', namespace: 'mine' }, spec } as GatewayConfig; // the parts that are read
    await expect(readSecrets(nodeHost(), kube, resource, makeMasker())).rejects.toThrow('more than 256 KB');
  });
});
