import { describe, expect, it } from 'vitest';
import type { World } from '../support/cli.ts';
import {
  apply,
  CLEAR,
  expectRefused,
  expectToken,
  KEY,
  MINE,
  TOKEN,
  withProgram,
  worldWith,
} from '../support/store-world.ts';
import { makeSopsFile } from '../support/sops-file.ts';

describe('secrets in stores', () => {
  it.each([
    [
      'an encrypted value',
      (text: string) =>
        text.replace(/(pin: ENC\[AES256_GCM,data:)(.)/, (_, before: string, first: string) =>
          first === 'A' ? `${before}B` : `${before}A`,
        ),
    ],
    ['a value in clear', (text: string) => text.replace('region: eu', 'region: us')],
    [
      'one value in the place of another',
      (text: string) => text.replace(/(token: ).*\n(\s*pin: )(.*)/, '$1$3\n$2$3'),
    ],
    ['the time', (text: string) => text.replace('2026-11-25T12', '2026-11-26T12')],
    ['the MAC', (text: string) => text.replace(/mac: .*/, 'mac: ""')],
    ['a value less', (text: string) => text.replace(/\n\s*pin: .*/, '')],
    ['a value in clear for an encrypted one', (text: string) => text.replace(/pin: .*/, 'pin: 1111')],
  ])('refuses a file in which somebody without the key has changed %s', async (_, change) => {
    const text = await makeSopsFile(CLEAR, KEY.recipient, { isClear: (key) => key === 'region' });
    const wide = text.replace(/>-?\n\s+/g, '');
    expect(change(wide)).not.toBe(wide);
    const world = worldWith('${sops:s.yaml#vault.token}', { 's.yaml': change(wide) });
    expectRefused(await apply(world, MINE), world, 'error[unresolved-source]: the file s.yaml was changed');
  });

  it.each([
    '${vault:--address=http://evil#a}',
    '${vault:/-x#a}',
    '${k8s:-n/evil/a}',
    '${aws-sm:--endpoint-url}',
    '${aws-sm:a b}',
  ])('are no options of a program: %s', async (written) => {
    const world = worldWith(written);
    for (const name of ['vault', 'aws', 'kubectl']) withProgram(world, name, 'echo {}');
    await apply(world, {}, '--allow-exec');
    expect(world.has('calls')).toBe(false);
  });
});

describe('the program of a store', () => {
  it.each([
    'GWCONF_PASSWORD',
    'CDK_GATEWAY_PASSWORD',
    'CDK_API_KEY',
    'SOPS_AGE_KEY',
    'GWCONF_PLAN_KEY',
    'GWCONF_PLAN_PRIVATE_KEY',
  ])('tells no setting of the job that it repeats, though no gateway took it: %s', async (name) => {
    const world = worldWith('${vault:kv/p#token}');
    const secret = `${TOKEN}/of ${name}`;
    withProgram(world, 'vault', `echo "denied: ${secret}, ${encodeURIComponent(secret)}" >&2; exit 2`);
    const ran = await world.runWith({ env: { [name]: secret } }, 'plan', '--allow-exec', '-o', 'json');
    expect(ran.out + ran.err).toContain('vault for kv/p ended with 2: denied: (hidden), (hidden)');
    expect(ran.out + ran.err).not.toContain(TOKEN);
  });
});

describe('stores in a job', () => {
  it.each([
    ['vault:kv/gateway/*', '${vault:kv/gateway/../admin/root#token}'],
    ['vault:kv/gateway/*', '${vault:kv/gateway/a/../../admin/root#token}'],
    ['sops:public/*', '${sops:public/../private/s.yaml#vault.token}'],
  ])('give nothing outside of a folder that the job allows: %s, %s', async (allowed, written) => {
    const mine = worldWith(written, { 'private/s.yaml': await makeSopsFile(CLEAR, KEY.recipient) });
    withProgram(mine, 'vault', `echo '{"data":{"token":"${TOKEN}"}}'`);
    const env = { CI: 'true', SOPS_AGE_KEY: KEY.identity, GWCONF_ALLOWED_SOURCES: allowed };
    expectRefused(await apply(mine, { env }, '--allow-exec'), mine, `found ${written}`);
    expect(mine.has('calls')).toBe(false);
  });

  const world = async (): Promise<World> =>
    worldWith('${sops:s.yaml#vault.token}', { 's.yaml': await makeSopsFile(CLEAR, KEY.recipient) });
  const job = { CI: 'true', SOPS_AGE_KEY: KEY.identity };

  it('give only what the job allows', async () => {
    const mine = await world();
    const none = await apply(mine, { env: job });
    expectRefused(
      none,
      mine,
      'is not read: nothing allows it',
      'add sops:s.yaml#vault.token to GWCONF_ALLOWED_SOURCES',
    );
    const other = { env: { ...job, GWCONF_ALLOWED_SOURCES: 'sops:s.yaml#users.*, vault:*' } };
    expectRefused(await apply(mine, other), mine, 'is not read: nothing allows it');
    const branch = { BUILDKITE_PULL_REQUEST: 'false', TRAVIS_PULL_REQUEST: 'false' };
    const but = { env: { ...job, ...branch, GWCONF_ALLOWED_SOURCES: 'sops:s.yaml#*,!sops:s.yaml#vault*' } };
    expectRefused(await apply(mine, but), mine, 'is not read: nothing allows it');
    await expectToken(mine, { env: { ...job, ...branch, GWCONF_ALLOWED_SOURCES: 'sops:s.yaml#*' } });
  });

  it.each([
    ['vault:*,!vault:kv/p#token', '${vault:kv/p#token}'],
    ['vault:*,!vault:kv/p#token', '${vault:kv/p#/token}'],
    ['vault:*,!vault:kv/p#/token', '${vault:kv/p#token}'],
    ['vault:*,!vault:kv/p#*', '${vault:kv/./p#token}'],
    ['vault:*,!vault:kv/p#*', '${vault:kv//p#token}'],
    ['vault:*,!vault:kv/p#*', '${vault:kv/.//p/#token}'],
    ['vault:*,!vault:kv/p#*', '${vault:kv/p/.#token}'],
    ['vault:*,!vault:kv/p', '${vault:kv/p#token}'],
    ['vault:*,!VAULT:kv/P#token', '${vault:kv/p#token}'],
    ['aws-sm:*,!aws-sm:p#token', '${aws-sm:p}'],
    ['aws-sm:*,!aws-sm:p', '${aws-sm:p}'],
    ['aws-sm:*,!aws-sm:p#*', '${aws-sm:arn:aws:secretsmanager:eu-west-1:1:secret:p-AbCdEf#token}'],
    ['aws-sm:*,!aws-sm:p#*', '${aws-sm:arn:aws:secretsmanager:eu-west-1:1:secret:p}'],
    ['aws-sm:*,!aws-sm:arn:aws:secretsmanager:eu-west-1:1:secret:p-AbCdEf#token', '${aws-sm:p#token}'],
    ['k8s:*,!k8s:prod/p/*', '${k8s:p/token}'],
    ['k8s:*,!k8s:p/token', '${k8s:prod/p/token}'],
    ['sops:*,!sops:s.yaml#vault.token', '${sops:./s.yaml#vault.token}'],
    ['sops:*,!sops:s.yaml#vault.token', '${sops:s.yaml#/vault/token}'],
    ['sops:*,!sops:s.yaml#vault.*', '${sops:S.yaml#vault.token}'],
  ])('give nothing that the job excludes, by whatever name: %s, %s', async (allowed, written) => {
    const secret = await makeSopsFile(CLEAR, KEY.recipient);
    const mine = worldWith(written, { 's.yaml': secret, 'S.yaml': secret });
    const base64 = Buffer.from(TOKEN).toString('base64');
    withProgram(mine, 'vault', `echo '{"data":{"token":"${TOKEN}"}}'`);
    withProgram(mine, 'aws', `echo '{"SecretString":"{\\"token\\":\\"${TOKEN}\\"}"}'`);
    withProgram(mine, 'kubectl', `echo '{"data":{"token":"${base64}"}}'`);
    const excluding = { env: { ...job, GWCONF_ALLOWED_SOURCES: allowed } };
    expectRefused(await apply(mine, excluding, '--allow-exec'), mine, 'is not read: nothing allows it');
    expect(mine.has('calls')).toBe(false);
    const [open = ''] = allowed.split(',');
    const ran = await apply(mine, { env: { ...job, GWCONF_ALLOWED_SOURCES: open } }, '--allow-exec');
    expect([ran.code, ran.err]).toEqual([0, expect.any(String)]);
  });

  it('give the other fields of a secret of which the job excludes one', async () => {
    const mine = worldWith('${aws-sm:p#token}');
    withProgram(mine, 'aws', `echo '{"SecretString":"{\\"token\\":\\"${TOKEN}\\"}"}'`);
    const but = { env: { ...job, GWCONF_ALLOWED_SOURCES: 'aws-sm:*,!aws-sm:p#password,!aws-sm:q' } };
    await expectToken(mine, but, '--allow-exec');
  });

  it.each([
    ['GitHub', { GITHUB_EVENT_NAME: 'pull_request' }],
    ['GitHub, with the secrets of the base', { GITHUB_EVENT_NAME: 'pull_request_target' }],
    [
      'GitHub, for a comment',
      { GITHUB_REPOSITORY: 'a/b', GITHUB_EVENT_NAME: 'issue_comment', GITHUB_EVENT_PATH: 'event.json' },
    ],
    [
      'GitHub, after the workflow of a pull request from a fork',
      { GITHUB_REPOSITORY: 'a/b', GITHUB_EVENT_NAME: 'workflow_run', GITHUB_EVENT_PATH: 'run.json' },
    ],
    [
      'GitLab',
      { CI_API_V4_URL: 'https://gitlab.example/api/v4', CI_PROJECT_ID: '1', CI_MERGE_REQUEST_IID: '7' },
    ],
    ['Bitbucket', { BITBUCKET_WORKSPACE: 'a', BITBUCKET_REPO_SLUG: 'b', BITBUCKET_PR_ID: '7' }],
    ['Jenkins', { CHANGE_URL: 'https://github.com/a/b/pull/7' }],
    ['Jenkins, of a forge without comments', { CHANGE_ID: '7' }],
    ['Azure', { SYSTEM_PULLREQUEST_PULLREQUESTID: '7' }],
    ['GitLab, from GitHub', { CI_EXTERNAL_PULL_REQUEST_IID: '7' }],
    ['Buildkite', { BUILDKITE_PULL_REQUEST: '7' }],
  ])('give nothing to one for a pull request: %s', async (_, env) => {
    const mine = await world();
    mine.write('run.json', JSON.stringify({ workflow_run: { event: 'pull_request', pull_requests: [] } }));
    mine.write('event.json', JSON.stringify({ issue: { number: 7, pull_request: {} } }));
    const ran = await mine.runWith(
      { env: { ...job, ...env, GWCONF_ALLOWED_SOURCES: '*' } },
      'plan',
      '--allow-exec',
    );
    expect([ran.code, ran.err]).toEqual([
      1,
      expect.stringContaining('is not read in the job of a pull request'),
    ]);
    expect(ran.err).toContain('gwconf plan --snapshot FILE');
  });
});
