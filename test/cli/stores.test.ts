import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { openSopsFile } from '../../src/workflow/project/sops.ts';
import {
  apply,
  CLEAR,
  expectRefused,
  expectToken,
  KEY,
  MINE,
  OTHER,
  TOKEN,
  tokenOn,
  withProgram,
  worldWith,
} from '../support/store-world.ts';
import { makeSopsFile } from '../support/sops-file.ts';

describe('${sops:FILE#key}', () => {
  it.each([
    ['YAML', 'secrets/a.yaml', 'vault.token', {}],
    ['an item of a list', 'secrets/a.yaml', 'users.0.password', {}],
    ['a JSON pointer', 'secrets/a.yaml', '/users/0/password', {}],
    ['JSON', 'secrets/a.json', 'vault.token', { print: (value: unknown) => JSON.stringify(value, null, 2) }],
    [
      'a file with values in clear',
      'secrets/a.yaml',
      'vault.token',
      { isClear: (key: string) => key !== 'token' },
    ],
    [
      'a MAC over encrypted values only',
      'secrets/a.yaml',
      'vault.token',
      { isClear: (key: string) => key === 'region', macOnlyEncrypted: true },
    ],
  ])(
    'is a value of a file that is encrypted for the age key of this machine: %s',
    async (_, path, key, how) => {
      const world = worldWith(`\${sops:${path}#${key}}`, {
        [path]: await makeSopsFile(CLEAR, KEY.recipient, how),
      });
      await expectToken(world, MINE);
    },
  );

  it.each([
    ['all.yaml', 'all is encrypted'],
    ['all.json', 'JSON'],
    ['part.yaml', 'only some keys are encrypted, and under the MAC'],
  ])('reads what the program sops 3.9.4 wrote: %s, %s', async (name) => {
    const there = (path: string): string =>
      readFileSync(new URL(`../fixtures/sops/${path}`, import.meta.url), 'utf8');
    const found = await openSopsFile(there(name), there('keys.txt').match(/^AGE-SECRET-KEY-.*/gm) ?? []);
    expect(found).toEqual({
      value: {
        vault: {
          token: TOKEN,
          pin: '1234',
          old: 'true',
          share: '0.25',
          tiny: '0.0000001',
          text: 'two\nlines\n',
        },
        users: [{ name: 'reader', password: 'pä$$ ${X}' }, { name: 'writer' }],
      },
    });
  });

  it('takes the key from a file as well, shows it nowhere, and lets no file ask for it', async () => {
    const world = worldWith('${sops:s.yaml#vault.token}', {
      's.yaml': await makeSopsFile(CLEAR, KEY.recipient),
      'keys.txt': `# created today\n${OTHER.identity}\n${KEY.identity}\n`,
    });
    await expectToken(world, { env: { SOPS_AGE_KEY_FILE: 'keys.txt' } });
    const asking = worldWith('${SOPS_AGE_KEY}');
    expectRefused(await apply(asking, MINE), asking, 'error[variable-not-allowed]');
  });

  it.each([
    ['a key that is not there', 'vault.tokn', 'has no vault.tokn'],
    ['a map', 'vault', 'is a map or a list; name one of its values'],
    ['a value in clear, which anybody may have written', 'region', 'has no region'],
    ['nothing', 'vault.empty', 'has no vault.empty'],
  ])('is no text for %s', async (_, key, words) => {
    const file = await makeSopsFile(CLEAR, KEY.recipient, { isClear: (name) => name === 'region' });
    const world = worldWith(`\${sops:s.yaml#${key}}`, { 's.yaml': file });
    expectRefused(await apply(world, MINE), world, `\${sops:s.yaml#${key}} ${words}`);
  });

  it('says which key is missing, and leaves the rest to the program sops where it is allowed', async () => {
    const file = await makeSopsFile(CLEAR, KEY.recipient);
    const world = worldWith('${sops:s.yaml#vault.token}', { 's.yaml': file });
    expectRefused(await apply(world), world, 'the file s.yaml needs an age key', 'SOPS_AGE_KEY_FILE');
    const foreign = { env: { SOPS_AGE_KEY: OTHER.identity } };
    expectRefused(await apply(world, foreign), world, 'the file s.yaml is encrypted for other age keys');
    withProgram(world, 'sops', `echo '${JSON.stringify(CLEAR)}'`);
    await expectToken(world, foreign, '--allow-exec');
    expect(world.read('calls')).toBe('sops --decrypt --output-type json s.yaml\n');
  });

  it('reads no file outside of the project', async () => {
    const world = worldWith('${sops:../s.yaml#vault.token}');
    expectRefused(await apply(world, MINE), world, 'the file ../s.yaml cannot be read');
  });

  it('is left open by commands that compare nothing, and checked in form', async () => {
    const world = worldWith('${sops:s.yaml#a}');
    expect((await world.run('validate')).code).toBe(0);
    for (const wrong of [
      '${sops:s.yaml}',
      '${vault:a b#c}',
      '${vault:a}',
      '${k8s:Upper/key}',
      '${aws-sm:a#}',
    ]) {
      const ran = await worldWith(wrong).run('validate');
      expect([ran.code, ran.err], wrong).toEqual([
        1,
        expect.stringContaining('error[unresolved-source]: expected ${'),
      ]);
    }
  });
});

describe('${vault:…}, ${aws-sm:…} and ${k8s:…}', () => {
  const printed = {
    'kv/gateway': `{ "data": { "data": { "token": "${TOKEN}", "other": "x" }, "metadata": { "version": 3 } } }`,
    'old/gateway': `{ "data": { "token": "${TOKEN}" } }`,
  };
  it.each([
    ['${vault:kv/gateway#token}', 'vault', printed['kv/gateway'], 'vault kv get -format=json kv/gateway'],
    ['${vault:old/gateway#token}', 'vault', printed['old/gateway'], 'vault kv get -format=json old/gateway'],
    [
      '${aws-sm:prod/token}',
      'aws',
      JSON.stringify({ SecretString: TOKEN }),
      'aws secretsmanager get-secret-value --output json --secret-id prod/token',
    ],
    [
      '${aws-sm:prod/all#vault.token}',
      'aws',
      JSON.stringify({ SecretString: JSON.stringify({ vault: { token: TOKEN } }) }),
      'aws secretsmanager get-secret-value --output json --secret-id prod/all',
    ],
    [
      '${k8s:kafka/gateway/token}',
      'kubectl',
      JSON.stringify({ data: { token: Buffer.from(TOKEN).toString('base64'), binary: '/w==' } }),
      'kubectl get secret gateway --namespace kafka --output json',
    ],
    [
      '${k8s:gateway/token}',
      'kubectl',
      JSON.stringify({ data: { token: Buffer.from(TOKEN).toString('base64') } }),
      'kubectl get secret gateway --output json',
    ],
  ])('%s is read by the program of its vendor, if that is allowed', async (token, program, out, call) => {
    const world = withProgram(worldWith(token), program, `cat <<'EOF'\n${out}\nEOF`);
    expectRefused(await apply(world), world, 'is not run: nothing allows it', '--allow-exec');
    await expectToken(world, {}, '--allow-exec');
    expect(world.read('calls')).toBe(`${call}\n`);
  });

  it('asks for a secret once in a run, whatever it is used for', async () => {
    const world = withProgram(
      worldWith('${vault:kv/gateway#token}${vault:kv/gateway#other}${vault:kv/gateway#token}'),
      'vault',
      `echo '${printed['kv/gateway']}'`,
    );
    expect((await apply(world, {}, '--allow-exec')).code).toBe(0);
    expect(tokenOn(world)).toBe(`${TOKEN}x${TOKEN}`);
    expect(world.read('calls').split('\n')).toHaveLength(2);
  });

  it('tells what went wrong without what was printed', async () => {
    const failing = withProgram(
      worldWith('${vault:kv/a#token}'),
      'vault',
      `echo ${TOKEN}; echo "denied ${TOKEN}" >&2; exit 2`,
    );
    const failed = await apply(failing, {}, '--allow-exec');
    expectRefused(failed, failing, 'vault for kv/a ended with 2: denied');
    const odd = withProgram(worldWith('${vault:kv/a#token}'), 'vault', `echo ${TOKEN}`);
    const strange = await apply(odd, {}, '--allow-exec');
    expectRefused(
      strange,
      odd,
      'vault for kv/a printed something that is no such secret',
      'vault kv get -format=json kv/a',
    );
    for (const { out, err } of [failed, strange]) expect(out + err).not.toContain(TOKEN);
    const none = worldWith('${vault:kv/a#token}');
    expectRefused(
      await apply(none, {}, '--allow-exec'),
      none,
      'vault for kv/a cannot be run: there is no such program',
    );
  });
});
