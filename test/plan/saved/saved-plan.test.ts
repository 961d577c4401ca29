import { describe, expect, it } from 'vitest';
import { valueAt, type Json } from '../../../src/model/json/json.ts';
import type { SourceFile } from '../../../src/model/problem.ts';
import type { Resource } from '../../../src/model/resource.ts';
import { quickDigester, slowDigester } from '../../../src/plan/saved/digest.ts';
import { decodePlan } from '../../../src/plan/saved/decode-plan.ts';
import { restoreLiveSecrets, unsealPlan, type ResolveSecret } from '../../../src/plan/saved/unseal-plan.ts';
import { PLAN_FORMAT, type SavedPlan, type SecretSource } from '../../../src/plan/saved/saved-plan.ts';
import { inputDigest, sealPlan, sign } from '../../../src/plan/saved/seal-plan.ts';
import { readTemplate } from '../../../src/schema/load/as-declared.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { variablesFrom } from '../../../src/schema/yaml/interpolate.ts';
import { resource } from '../../support/kinds.ts';
import { fileOf, liveStateOf, planFor, textOf } from '../../support/plans.ts';
import { findingDigester } from '../../support/quick-key.ts';
import { ENCRYPT, interceptor } from '../../support/resources.ts';

const vault = (token: Json, uri: Json = 'http://vault'): Json => ({ kmsConfig: { vault: { uri, token } } });
const TOKEN = '/spec/config/kmsConfig/vault/token';

const plain = seal(fileOf(interceptor('a', {}), interceptor('b', { x: 1 })), [
  interceptor('b', { x: 2 }),
  interceptor('gone', {}),
]);

describe('a saved plan', () => {
  it('is the same after it was written and read', () => {
    expect(decodePlan(textOf(plain), 'plan.json', catalog.kinds)).toEqual({ value: plain, problems: [] });
  });

  it('says what it is, what made it, and what is in it', () => {
    expect(plain).toMatchObject({
      format: PLAN_FORMAT,
      tool: 'gwconf 0.0.0',
      createdAt: '2025-01-01T00:00:00Z',
      gateway: 'memory:',
      selection: { target: [], exclude: [] },
      prune: ['*'],
      summary: { create: 1, update: 1, replace: 0, delete: 1, unchanged: 0, unmanaged: 0 },
      unselected: 0,
    });
    expect(plain.changes.map(({ action, kind, basis }) => [action, kind, basis?.length])).toEqual([
      ['create', 'Interceptor', undefined],
      ['update', 'Interceptor', 64],
      ['delete', 'Interceptor', 64],
    ]);
  });
});

describe('what a saved plan relies on', () => {
  const cluster = resource('VirtualCluster', { name: 'prod' }, { superUsers: ['boss'] });
  const alias = (name: string): Resource =>
    resource('AliasTopic', { name, vCluster: 'prod' }, { physicalName: `${name}-v1` });

  it('is what its changes refer to and it leaves alone, each once', () => {
    const { relies } = seal(fileOf(cluster, alias('a'), alias('b')), [cluster]);
    expect(relies).toEqual([
      {
        address: 'VirtualCluster/prod',
        kind: 'VirtualCluster',
        basis: expect.stringMatching(/^\w{64}$/) as string,
      },
    ]);
  });

  it('is not what it makes, changes or deletes itself, nor what always exists', () => {
    const passed = resource('GatewayServiceAccount', { name: 'app' }, { type: 'LOCAL' });
    const changed = resource('VirtualCluster', { name: 'prod' }, { superUsers: ['root'] });
    expect(seal(fileOf(cluster, alias('a'), passed), []).relies).toEqual([]);
    expect(seal(fileOf(changed, alias('a')), [cluster]).relies).toEqual([]);
    expect(seal(fileOf(), [cluster, alias('a')]).relies).toEqual([]);
  });

  it('is the group of an interceptor, with its members', () => {
    const member = resource('GatewayServiceAccount', { name: 'app' }, { type: 'LOCAL' });
    const group = resource('GatewayGroup', { name: 'team' }, { members: [{ name: 'app' }] });
    const guard = resource(
      'Interceptor',
      { name: 'guard', scope: { group: 'team' } },
      { pluginClass: 'com.example.Own', priority: 1, config: {} },
    );
    const [relied] = seal(fileOf(member, group, guard), [member, group]).relies;
    const empty = { ...group, spec: { members: [] } };
    const [other] = seal(fileOf(member, empty, guard), [member, empty]).relies;
    expect(relied?.address).toBe('GatewayGroup/team');
    expect(other?.basis).not.toBe(relied?.basis);
  });

  it('keeps secret what a variable filled in', () => {
    const file = fileOf(
      resource('VirtualCluster', { name: 'prod' }, { superUsers: ['${BOSS}'] }),
      alias('a'),
    );
    const saved = seal(file, [cluster], { BOSS: 'boss' });
    expect(textOf(saved)).not.toContain('"boss"');
    expect(saved.relies).toMatchObject([{ templates: { '/spec/superUsers/0': { variables: ['BOSS'] } } }]);
    const fast = seal(fileOf(cluster, alias('a')), [cluster]).relies[0]?.basis;
    expect(saved.relies[0]?.basis).not.toBe(fast);
  });
});

describe('the digest of the input', () => {
  const files = [
    { path: 'a.yaml', text: 'token: hunter2' },
    { path: 'b.yaml', text: 'b' },
  ];
  const [a, b] = files as [SourceFile, SourceFile];

  it('is the same for the same files and salt', () => {
    expect(inputDigest([...files])(quickDigester)).toBe(inputDigest(files)(quickDigester));
  });

  it.each<[string, readonly SourceFile[]]>([
    ['text', [{ ...a, text: 'token: hunter3' }, b]],
    ['path', [{ ...a, path: 'c.yaml' }, b]],
    ['order', [b, a]],
    ['number', [a]],
  ])('is another one for another %s', (_, other) => {
    expect(inputDigest(other)(quickDigester)).not.toBe(inputDigest(files)(quickDigester));
  });

  it('is slow and salted, since a file may hold a short secret', () => {
    const [one, other] = ['salt', 'other'].map((salt) => inputDigest(files)(slowDigester(salt)));
    expect(one).not.toBe(other);
    expect(one).toMatch(/^input\.[\w-]{32}$/);
  });
});

describe('the secrets of a saved plan', () => {
  const before = interceptor('i', vault('old-secret', 'http://old'), ENCRYPT);
  const written = seal(fileOf(interceptor('i', vault('new-secret'), ENCRYPT)), [before]);
  const fromEnvironment = seal(
    fileOf(interceptor('i', vault('${TOKEN}', 'http://${HOST}'), ENCRYPT)),
    [before],
    { TOKEN: 'new-secret', HOST: 'new-secret-host' },
  );

  it('are not in its text, old or new', () => {
    for (const saved of [written, fromEnvironment]) {
      expect(textOf(saved)).not.toMatch(/old-secret|new-secret/);
    }
    expect(textOf(written)).toContain('http://old');
  });

  it('leave behind where they stand in a file', () => {
    expect(sourcesIn(written)).toEqual({
      [TOKEN]: { digest: expect.any(String) as string, file: 'in.yaml', document: 0, path: TOKEN },
    });
  });

  it('leave behind the template that the environment fills in', () => {
    expect(sourcesIn(fromEnvironment)).toEqual({
      [TOKEN]: {
        digest: expect.any(String) as string,
        template: { text: '${TOKEN}', plain: true, variables: ['TOKEN'] },
      },
      '/spec/config/kmsConfig/vault/uri': {
        digest: expect.any(String) as string,
        template: { text: 'http://${HOST}', plain: false, variables: ['HOST'] },
      },
    });
  });

  it('leave behind that they are on the gateway, where no file says them', () => {
    const named = (more = {}): Resource =>
      resource('VirtualCluster', { name: 'vc' }, { superUsers: ['boss'], ...more });
    const newer = { newer: { password: 'old-secret' } };
    const saved = seal(fileOf(named({ aclEnabled: true })), [named(newer)], {}, findingDigester);
    expect(textOf(saved)).not.toContain('old-secret');
    expect(sourcesIn(saved)).toMatchObject({ '/spec/newer/password': { live: '/spec/newer/password' } });
    const { value: changes, problems } = unseal(saved, () => undefined);
    expect(problems).toEqual([]);
    const { resources } = liveStateOf([named(newer)]);
    const { value } = restoreLiveSecrets({ ...saved, changes }, resources, findingDigester);
    expect(afterOf(value)).toMatchObject({ spec: { aclEnabled: true, ...newer } });
    expect(restoreLiveSecrets({ ...saved, changes }, new Map()).problems).toMatchObject([
      { code: 'secret-unavailable', path: '/spec/newer/password' },
    ]);
  });

  it('come back when they are the same', () => {
    const environment: Readonly<Record<string, string>> = { TOKEN: 'new-secret', HOST: 'new-secret-host' };
    const { value, problems } = unseal(fromEnvironment, ({ template }) =>
      template === undefined
        ? undefined
        : readTemplate(
            template,
            variablesFrom((name) => environment[name]),
          ),
    );
    expect(problems).toEqual([]);
    expect(afterOf(value)).toMatchObject({ spec: { config: vault('new-secret', 'http://new-secret-host') } });
  });

  it('come back from the file', () => {
    const asked: SecretSource[] = [];
    const { value, problems } = unseal(written, (source) => {
      asked.push(source);
      return 'new-secret';
    });
    expect(problems).toEqual([]);
    expect(asked).toHaveLength(1);
    expect(afterOf(value)).toMatchObject({ spec: { config: vault('new-secret') } });
  });

  it('are a problem when they are others now', () => {
    const { problems } = unseal(written, () => 'other');
    expect(problems).toEqual([
      {
        code: 'secret-unavailable',
        severity: 'error',
        message: `the secret at ${TOKEN} of Interceptor/i@vCluster=passthrough has changed since the plan was made`,
        address: 'Interceptor/i@vCluster=passthrough',
        path: TOKEN,
        hint: 'plan again',
      },
    ]);
  });

  it('are a problem each when they are missing, with what to do', () => {
    const sentences = (saved: SavedPlan): readonly string[] =>
      unseal(saved, () => undefined).problems.map(({ message, hint = '' }) => `${message}; ${hint}`);
    expect(sentences(written)).toEqual([
      `the secret at ${TOKEN} of Interceptor/i@vCluster=passthrough came from in.yaml, where it is now missing; make in.yaml available to apply, as for plan`,
    ]);
    expect(sentences(fromEnvironment)).toHaveLength(2);
    expect(sentences(fromEnvironment)[0]).toContain('came from TOKEN, where');
  });

  it('that are numbers come back as numbers', () => {
    const saved = seal(fileOf(interceptor('i', vault(12345), ENCRYPT)), []);
    expect(textOf(saved)).not.toContain('12345');
    expect(afterOf(unseal(saved, () => 12345).value)).toMatchObject({ spec: { config: vault(12345) } });
    expect(unseal(saved, () => '12345').problems).toHaveLength(1);
  });

  it('that were there and are none any more leave what takes their place as it is', () => {
    const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJ1c2VybmFtZSI6ImFubiJ9.c2lnbmF0dXJl';
    const saved = seal(fileOf(interceptor('i', { topic: 'orders', list: ['a', 'b'] })), [
      interceptor('i', { topic: jwt, list: [jwt, 'c'] }),
    ]);
    expect(textOf(saved)).not.toContain(jwt);
    const { value, problems } = unseal(saved, () => undefined);
    expect(problems).toEqual([]);
    expect(afterOf(value)).toMatchObject({ spec: { config: { topic: 'orders', list: ['a', 'b'] } } });
  });

  it('that are all hidden come back all: nothing hidden ever reaches a gateway', () => {
    const config = { a: { token: ['s1', { b: 's2' }] }, password: 's3', 'x/y~z.password': 's4' };
    const saved = seal(fileOf(interceptor('i', config)), [interceptor('i', { a: 1, password: { x: 's5' } })]);
    expect(Object.keys(sourcesIn(saved))).toHaveLength(4);
    const { value, problems } = unseal(saved, ({ path = '' }) => valueAt({ spec: { config } }, path));
    expect(problems).toEqual([]);
    expect(afterOf(value)).toMatchObject({ spec: { config } });
    expect(JSON.stringify(afterOf(value))).not.toContain('hidden');
  });
});

function seal(
  file: string,
  live: readonly Resource[],
  variables?: Readonly<Record<string, string>>,
  digester = quickDigester,
): SavedPlan {
  const { plan, desired } = planFor(file, live, variables);
  return sign(
    sealPlan(
      plan,
      desired,
      catalog.kinds,
      {
        tool: 'gwconf 0.0.0',
        createdAt: '2025-01-01T00:00:00Z',
        salt: 'salt',
      },
      digester,
    ),
  );
}

function unseal(saved: SavedPlan, resolve: ResolveSecret): ReturnType<typeof unsealPlan> {
  return unsealPlan(saved, resolve, undefined, quickDigester);
}

function sourcesIn({ changes }: SavedPlan): SavedPlan['changes'][number]['secrets'] & object {
  return changes[0]?.secrets ?? {};
}

function afterOf(changes: SavedPlan['changes']): Resource | undefined {
  const [change] = changes;
  return change !== undefined && 'after' in change ? change.after : undefined;
}
