import fc from '../support/fast-check.ts';
import { describe, expect, it } from 'vitest';
import { nameSecrets } from '../../src/declare/name-secrets.ts';
import type { Pointer } from '../../src/model/json/json.ts';
import { printAddress, type Address } from '../../src/model/resource.ts';

type Secret = Parameters<typeof nameSecrets>[0][number];

function secret(address: string, path: Pointer, value = `${address}${path}`): Secret {
  return { address: address as Address, path, value, isText: true, id: value };
}

function namesOf(...secrets: readonly Secret[]): readonly string[] {
  const { names } = nameSecrets(secrets);
  return secrets.map(({ id }) => names.get(id) ?? '');
}

describe('names of secrets', () => {
  it.each([
    [
      'Interceptor/encrypt@vCluster=prod',
      '/spec/config/kmsConfig/vault/token',
      'GW_PROD_ENCRYPT_VAULT_TOKEN',
    ],
    ['Interceptor/encrypt@vCluster=prod,group=pay', '/spec/config/password', 'GW_PROD_PAY_ENCRYPT_PASSWORD'],
    ['Interceptor/encrypt@global', '/spec/config/list/0/secretKey', 'GW_GLOBAL_ENCRYPT_LIST_SECRET_KEY'],
    [
      'Interceptor/é ñ@vCluster=prod',
      '/spec/config/a/basic.auth.user.info',
      'GW_PROD_E_N_BASIC_AUTH_USER_INFO',
    ],
    ['Interceptor/暗号@vCluster=prod', '/spec/config/vault/vaultToken', 'GW_PROD_VAULT_TOKEN'],
    ['Interceptor/i@vCluster=gwconf', '/spec/config/password', 'GW_GWCONF_I_PASSWORD'],
    ['Interceptor/i@vCluster=cdk', '/spec/config/password', 'GW_CDK_I_PASSWORD'],
    ['Interceptor/library@vCluster=ld', '/spec/config/path', 'GW_LD_LIBRARY_PATH'],
    ['Interceptor/i@vCluster=2024', '/spec/config/password', 'GW_2024_I_PASSWORD'],
    ['VirtualCluster/prod', '/spec/token', 'GW_PROD_TOKEN'],
  ] as const)('%s %s', (address, path, name) => {
    expect(namesOf(secret(address, path))).toEqual([name]);
  });

  it('have more of the path where two fields of an object would be alike', () => {
    const of = 'Interceptor/i@vCluster=v';
    expect(namesOf(secret(of, '/spec/config/a/x/key'), secret(of, '/spec/config/b/x/key'))).toEqual([
      'GW_V_I_A_X_KEY',
      'GW_V_I_B_X_KEY',
    ]);
  });

  it('have at most 40 letters: words of the owner are left out, then of the field', () => {
    const long = 'Interceptor/decrypt-personal-information@vCluster=analytics';
    expect([
      namesOf(secret(long, '/spec/config/kmsConfig/vault/token')),
      namesOf(secret(long, '/spec/config/kmsConfig/vault/of.the.one.and.only.data.centre.in.the.north')),
    ]).toEqual([['GW_ANALYTICS_DECRYPT_VAULT_TOKEN'], ['GW_ONE_AND_ONLY_DATA_CENTRE_IN_THE_NORTH']]);
  });

  it('say what is shared, where several objects share it', () => {
    const registry = '/spec/config/schemaRegistryConfig/additionalConfigs/basic.auth.user.info';
    const shared = (path: Pointer, id: string, ...teams: readonly string[]): readonly Secret[] =>
      teams.map((team) => secret(`Interceptor/${team}-cards@vCluster=prod`, path, id));
    const all = [
      ...shared(registry, 'one', 'a', 'b', 'c'),
      ...shared('/spec/config/kmsConfig/vault/token', 'two', 'a', 'b'),
      ...shared('/spec/config/password', 'three', 'a', 'c'),
    ];
    expect([...new Set(namesOf(...all))]).toEqual([
      'GW_SCHEMA_REGISTRY_USER_INFO',
      'GW_VAULT_TOKEN',
      'GW_PROD_CARDS_PASSWORD',
    ]);
    // Two that open the same sort of system are told apart.
    const other = shared('/spec/config/kmsConfig/vault/token', 'four', 'x', 'y');
    expect([...new Set(namesOf(...all, ...other))].slice(1)).toEqual([
      'GW_PROD_CARDS_VAULT_TOKEN',
      'GW_PROD_CARDS_PASSWORD',
      expect.stringMatching(/^GW_PROD_CARDS_VAULT_TOKEN_\w{6}$/),
    ]);
  });

  it('have a mark where two objects would be alike; the first by address has none', () => {
    const [one, other] = namesOf(
      secret('Interceptor/a-b@vCluster=v', '/spec/config/key'),
      secret('Interceptor/a_b@vCluster=v', '/spec/config/key'),
    );
    expect(one).toBe('GW_V_A_B_KEY');
    expect(other).toMatch(/^GW_V_A_B_KEY_[\dA-F]{6}$/);
  });

  it('are legal, not reserved, unique and not taken, whatever the objects are called', () => {
    const name = fc.oneof(
      fc.string({ minLength: 1, unit: 'grapheme' }),
      fc.constantFrom('gwconf', 'CDK', 'path', 'a', 'A', '-'),
    );
    const located = fc.record({ vCluster: name, name, key: name }).map(({ vCluster, name: own, key }) => {
      const address = printAddress({ kind: 'Interceptor', name: own, scope: { vCluster } });
      return secret(address, `/spec/config/${key.replace(/[~/]/g, '')}`);
    });
    const taken = new Set(['GW_A_A_A']);
    fc.assert(
      fc.property(fc.uniqueArray(located, { selector: ({ id }) => id }), (secrets) => {
        const names = [...nameSecrets(secrets, { isTaken: (one) => taken.has(one) }).names.values()];
        expect(names).toHaveLength(secrets.length);
        for (const one of names) expect(one).toMatch(/^GW_[A-Z\d_]{0,37}$/);
        expect(new Set([...names, ...taken]).size).toBe(names.length + 1);
      }),
    );
  });
});
