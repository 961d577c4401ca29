import { generateKeyPairSync } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { readdirSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  canonicalText,
  changeAt,
  entriesOf,
  isList,
  isObject,
  parsePointer,
  valueAt,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../src/model/json/json.ts';
import { decodePlan } from '../../src/plan/saved/decode-plan.ts';
import type { SavedPlan } from '../../src/plan/saved/saved-plan.ts';
import { sealOf } from '../../src/plan/saved/seal-plan.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { makeWorld, verdictOf, type Ran, type World } from '../support/cli.ts';
import { account, alias, all, cluster } from '../support/documents.ts';
import { someOf } from '../support/soak.ts';

const HERE = ['--url', 'embedded:state.json'] as const;
const KEY = 'k3y-'.repeat(10);
const CI = { GITHUB_REPOSITORY: 'acme/gateway', GITHUB_SHA: 'c0ffee00' };
const ALIAS = 'AliasTopic/orders@vCluster=passthrough';

const vault = (name: string, token: string, priority = 1): string =>
  `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: ${name} }\nspec: { pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin, priority: ${priority}, config: { topic: a, kmsConfig: { vault: { uri: "http://vault", version: 1, token: "${token}" } } } }\n`;

/** A world with a key pair, whose files are plan.key and plan.key.pub. */
async function withKeys(files: Readonly<Record<string, string>>): Promise<World> {
  const world = makeWorld(files);
  expect((await world.run('keygen', '--out', 'plan.key')).code).toBe(0);
  return world;
}

const SIGNING = { GWCONF_PLAN_PRIVATE_KEY: '@plan.key' };
const VERIFYING = { GWCONF_PLAN_PUBLIC_KEY: '@plan.key.pub' };

async function signed(
  env: Readonly<Record<string, string>> = {},
  ...flags: readonly string[]
): Promise<World> {
  const world = await withKeys({ 'a.yaml': alias('orders') });
  const made = await world.runWith(
    { env: { ...SIGNING, ...env } },
    ...['plan', 'a.yaml', '--out', 'p.plan', ...HERE, ...flags],
  );
  expect(made.code, made.err).toBe(0);
  return world;
}

/** The plan as anyone can write it who has no key. */
function forge(plan: Json): string {
  if (!isObject(plan)) return JSON.stringify(plan);
  const { digest: _, ...open } = plan;
  const { mac, signature, ...rest } = open as Partial<SavedPlan>;
  const { digest } = sealOf(rest as SavedPlan);
  return JSON.stringify({
    ...rest,
    digest,
    ...(mac === undefined ? {} : { mac }),
    ...(signature === undefined ? {} : { signature }),
  });
}

function git(world: World, ...args: readonly string[]): void {
  execFileSync('git', args, { cwd: world.folder, stdio: 'pipe' });
}

function refusal(ran: Ran, code: number): string {
  expect([ran.code, ran.err], ran.err).toEqual([code, expect.stringContaining('error[')]);
  return /error\[[^\n]*/.exec(ran.err)?.[0] ?? '';
}

describe('threat: author: a forged saved plan', () => {
  it('is refused where a public key verifies the signature', async () => {
    const world = await signed();
    const plan = world.json('p.plan') as JsonObject;
    const { signature: _, ...unsigned } = plan;
    const forged = { ...plan, changes: [] };
    for (const [text, words] of [
      [JSON.stringify(unsigned), 'is not signed, but GWCONF_PLAN_PUBLIC_KEY is set'],
      [forge(forged), 'was altered, or signed with another private key'],
      [forge({ ...plan, signature: 42 }), 'was altered, or signed with another private key'],
      [forge({ ...plan, signature: '' }), 'was altered, or signed with another private key'],
    ] as const) {
      world.write('forged.plan', text);
      for (const command of [
        ['apply', 'forged.plan', ...HERE],
        ['show', 'forged.plan'],
      ]) {
        const ran = await world.runWith({ env: VERIFYING }, ...command);
        expect(refusal(ran, 1)).toBe(`error[invalid-plan]: forged.plan ${words}`);
      }
    }
    expect(world.has('state.json')).toBe(false);
    expect((await world.runWith({ env: VERIFYING }, 'apply', 'p.plan', ...HERE)).code).toBe(0);
  });

  it('is refused when the shared key or another private key signed it', async () => {
    const world = await withKeys({ 'a.yaml': alias('orders') });
    await world.run('keygen', '--out', 'other.key');
    for (const env of [{ GWCONF_PLAN_KEY: KEY }, { GWCONF_PLAN_PRIVATE_KEY: '@other.key' }]) {
      await world.runWith({ env }, 'plan', 'a.yaml', '--out', 'p.plan', ...HERE);
      const ran = await world.runWith({ env: VERIFYING }, 'apply', 'p.plan', ...HERE);
      expect(refusal(ran, 1)).toContain('error[invalid-plan]');
    }
  });

  it('cannot be signed by the job that verifies it', async () => {
    const world = await signed();
    const publicKey = world.read('plan.key.pub');
    const ran = await world.runWith(
      { env: { GWCONF_PLAN_PRIVATE_KEY: publicKey } },
      ...['plan', 'a.yaml', '--out', 'q.plan', ...HERE],
    );
    expect(ran.code).toBe(64);
    expect(ran.err).toContain('the key in GWCONF_PLAN_PRIVATE_KEY is a public key; expected the private one');
  });
});

describe('a key pair for saved plans', () => {
  it('is written to two files that only the user reads, and is not printed', async () => {
    const world = makeWorld();
    const ran = await world.run('keygen', '--out', 'keys/plan.key');
    expect([ran.code, ran.err]).toEqual([0, '']);
    expect(ran.out).not.toContain('KEY-----');
    expect(world.read('keys/plan.key')).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
    expect(world.read('keys/plan.key.pub')).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
    expect(statSync(join(world.folder, 'keys/plan.key')).mode & 0o777).toBe(0o600);
    const again = await world.run('keygen', '--out', 'keys/plan.key');
    expect([again.code, again.err]).toEqual([64, expect.stringContaining('does not overwrite files')]);
  });

  it.each(['.git/config', 'gwconf.yaml'])(
    'is not written where git would take it: beside %s',
    async (path) => {
      const world = makeWorld({ [path]: '', '.gitignore': 'keys/\n' });
      const refused = await world.run('keygen', '--out', 'plan.key');
      expect([refused.code, world.has('plan.key'), world.has('plan.key.pub')]).toEqual([64, false, false]);
      expect(refused.err).toContain(
        'plan.key would be a private key that git does not ignore: add it to .gitignore',
      );
      expect((await world.run('keygen', '--out', 'keys/plan.key')).code).toBe(0);
    },
  );

  it('is not written by halves', async () => {
    const world = makeWorld();
    symlinkSync('gone', join(world.folder, 'plan.key'));
    const ran = await world.run('keygen', '--out', 'plan.key');
    expect(ran.code, ran.err).toBe(1);
    expect(readdirSync(world.folder)).toEqual(['plan.key']);
  });

  it('signs with --sign-key too, and several public keys may verify', async () => {
    const world = await withKeys({ 'a.yaml': alias('orders') });
    await world.run('keygen', '--out', 'new.key');
    const made = await world.run('plan', 'a.yaml', '--out', 'p.plan', '--sign-key', 'new.key', ...HERE);
    expect(made.err).toContain('The plan is saved in p.plan, signed, valid for 24 hours.');
    const both = world.read('plan.key.pub') + world.read('new.key.pub');
    const ran = await world.runWith({ env: { GWCONF_PLAN_PUBLIC_KEY: both } }, 'apply', 'p.plan', ...HERE);
    expect(verdictOf(ran)).toBe('result: applied');
  });

  const rsa = generateKeyPairSync('rsa', {
    modulusLength: 1024,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  it.each<[string, string, string]>([
    ['GWCONF_PLAN_PRIVATE_KEY', rsa.privateKey, 'is a key of the type rsa; expected Ed25519'],
    ['GWCONF_PLAN_PUBLIC_KEY', rsa.publicKey, 'is a key of the type rsa; expected Ed25519'],
    ['GWCONF_PLAN_PUBLIC_KEY', rsa.privateKey, 'is a private key; expected the public one'],
    ['GWCONF_PLAN_PRIVATE_KEY', 'hunter2', 'is not a private key in PEM format'],
    [
      'GWCONF_PLAN_PUBLIC_KEY',
      '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----',
      'is not a public key in PEM format',
    ],
    ['GWCONF_PLAN_PUBLIC_KEY', '', 'is empty'],
    ['GWCONF_PLAN_PUBLIC_KEY_FILE', '', 'is empty'],
    ['GWCONF_PLAN_KEY', '', 'is empty'],
    ['GWCONF_PLAN_KEY_FILE', '', 'is empty'],
  ])('is refused when it is of no use: %s', async (variable, key, words) => {
    const world = makeWorld({ 'a.yaml': alias('orders') });
    world.env[variable] = key;
    const ran = await world.run('plan', 'a.yaml', '--out', 'p.plan', ...HERE);
    expect([ran.code, ran.err]).toEqual([64, expect.stringContaining(`the key in ${variable} ${words}`)]);
    expect(ran.err).not.toContain('hunter2');
  });

  it('signs the undo of a run, where the private key is set', async () => {
    const world = await signed();
    const env = { ...SIGNING };
    expect((await world.runWith({ env }, 'apply', 'p.plan', ...HERE)).code).toBe(0);
    const unsigned = await world.runWith({ env: VERIFYING }, 'undo', '--yes', ...HERE);
    expect(unsigned.code, unsigned.err).toBe(0); // with the public part of the key that signed it
  });
});

describe('threat: author: a signed plan in another place', () => {
  it('is refused in another repository', async () => {
    const world = await signed(CI);
    expect((await world.run('show', 'p.plan')).err).toContain(
      ', in acme/gateway at the commit c0ffee00. Valid until 2026-03-02T12:00:01.000Z.',
    );
    const env = { ...VERIFYING, CI_PROJECT_PATH: 'acme/other' };
    const ran = await world.runWith({ env }, 'apply', 'p.plan', ...HERE);
    expect(refusal(ran, 4)).toBe(
      'error[wrong-target]: the plan was made for the repository acme/gateway, and this is acme/other',
    );
    const same = { ...VERIFYING, ...CI, GITHUB_SHA: 'feed' }; // the merge commit
    expect((await world.runWith({ env: same }, 'apply', 'p.plan', ...HERE)).code).toBe(0);
  });

  it('is refused at another commit where one is expected', async () => {
    const world = await signed(CI);
    const commit = (sha: string): Promise<Ran> =>
      world.runWith({ env: VERIFYING }, 'apply', 'p.plan', ...HERE, '--expect-commit', sha);
    expect(refusal(await commit('feed'), 4)).toContain('was made of the commit c0ffee00; expected feed');
    expect((await commit('C0FFEE00')).code).toBe(0);
    const unnamed = await signed();
    const ran = await unnamed.runWith(
      { env: { ...VERIFYING, GWCONF_EXPECT_COMMIT: 'feed' } },
      'apply',
      'p.plan',
      ...HERE,
    );
    expect(refusal(ran, 4)).toContain('the plan does not say its commit; expected feed');
  });
});

describe('threat: author: a check whose variable the job has lost', () => {
  it.each([
    ['apply', 'GWCONF_EXPECT_COMMIT', 'the expected commit is empty'],
    ['apply', 'GWCONF_PLAN_PUBLIC_KEY', 'the key in GWCONF_PLAN_PUBLIC_KEY is empty'],
    ['apply', 'GWCONF_PLAN_KEY', 'the key in GWCONF_PLAN_KEY is empty'],
    ['plan', 'GWCONF_PLAN_PRIVATE_KEY', 'the key in GWCONF_PLAN_PRIVATE_KEY is empty'],
  ])('is not switched off in silence: %s with an empty %s', async (command, variable, words) => {
    const world = await signed(CI);
    const state = world.has('state.json');
    const args = command === 'apply' ? ['apply', 'p.plan'] : ['plan', '-f', 'a.yaml', '--out', 'other.plan'];
    const env = { ...(variable === 'GWCONF_EXPECT_COMMIT' ? VERIFYING : {}), [variable]: '' };
    const { code, err } = await world.runWith({ env }, ...args, ...HERE);
    expect([code, err]).toEqual([64, expect.stringContaining(words)]);
    expect([world.has('state.json'), world.has('other.plan')]).toEqual([state, false]);
  });
});

describe('threat: author: an old plan', () => {
  it('is refused after its expiry', async () => {
    const world = await signed({}, '--valid-for', '1s');
    await world.run('version'); // each run is a second later
    const ran = await world.runWith({ env: VERIFYING }, 'apply', 'p.plan', ...HERE);
    expect(refusal(ran, 4)).toBe(
      'error[expired-plan]: the plan expired at 2026-03-01T12:00:02.000Z, and it is 2026-03-01T12:00:03.000Z',
    );
    expect(ran.err).toContain('= plan again');
    const shown = await world.runWith({ env: VERIFYING }, 'show', 'p.plan');
    expect(shown.err).toContain('. Expired at 2026-03-01T12:00:02.000Z.');
  });

  it('does not run again when the gateway has changed back', async () => {
    const world = makeWorld({ 'a.yaml': alias('orders') });
    await world.run('plan', 'a.yaml', '--out', 'p.plan', ...HERE);
    expect((await world.run('apply', 'p.plan', ...HERE)).code).toBe(0);
    const friendly = await world.run('apply', 'p.plan', ...HERE);
    expect([friendly.code, friendly.err]).toEqual([0, expect.stringContaining('Nothing is left to do.')]);
    expect((await world.run('undo', '--yes', ...HERE)).code).toBe(0);
    const ran = await world.run('apply', 'p.plan', ...HERE);
    expect(refusal(ran, 4)).toMatch(
      /^error\[applied-plan\]: run 0001-\S+ has applied this plan already, at /,
    );
  });

  it('does not run where a journal that may say so cannot be read', async () => {
    const world = makeWorld({ 'a.yaml': alias('orders') });
    await world.run('plan', 'a.yaml', '--out', 'p.plan', ...HERE);
    await world.run('apply', 'p.plan', ...HERE);
    await world.run('undo', '--yes', ...HERE);
    const [first = ''] = readdirSync(join(world.folder, '.gwconf/journal')).filter((name) =>
      name.endsWith('.ndjson'),
    );
    const journal = `.gwconf/journal/${first}`;
    const [started = '', ...others] = world.read(journal).split('\n');
    world.write(journal, [started, '{"type": "of a later version"}', ...others].join('\n'));
    const state = world.read('state.json');
    const ran = await world.run('apply', 'p.plan', ...HERE);
    expect(refusal(ran, 1)).toContain(`error[invalid-journal]: ${journal}:2 is not a journal record`);
    expect(world.read('state.json')).toBe(state);
  });

  it('may be applied again after a run that failed', async () => {
    const world = makeWorld({ 'a.yaml': all(alias('orders'), alias('other')) });
    await world.run('plan', 'a.yaml', '--out', 'p.plan', ...HERE);
    const interrupt = new AbortController();
    interrupt.abort();
    expect((await world.runWith({ interrupt }, 'apply', 'p.plan', ...HERE)).code).toBe(130);
    expect((await world.run('apply', 'p.plan', ...HERE)).code).toBe(0);
  });

  it('has no expiry without a key, and any with --valid-for', async () => {
    const world = makeWorld({ 'a.yaml': alias('orders') });
    await world.run('plan', 'a.yaml', '--out', 'p.plan', ...HERE);
    expect(world.json('p.plan')).not.toHaveProperty('expiresAt');
    await world.run('plan', 'a.yaml', '--out', 'p.plan', '--valid-for', '7d', ...HERE);
    expect(world.json('p.plan')).toMatchObject({ expiresAt: '2026-03-08T12:00:01.000Z' });
    await world.runWith(
      { env: { GWCONF_PLAN_KEY: KEY } },
      'plan',
      'a.yaml',
      '--out',
      'p.plan',
      '--valid-for',
      'none',
      ...HERE,
    );
    expect(world.json('p.plan')).not.toHaveProperty('expiresAt');
    const alone = await world.run('plan', 'a.yaml', '--valid-for', '7d', ...HERE);
    expect([alone.code, alone.err]).toEqual([64, expect.stringContaining('add --out FILE')]);
  });
});

describe('threat: neighbour: the digests of a saved plan', () => {
  it('have a salt for each secret, so that a guess is a guess of one', async () => {
    const world = makeWorld({
      'a.yaml': all(vault('one', '${ONE}'), vault('two', '${TWO}'), vault('three', '${ONE}')),
    });
    Object.assign(world.env, { ONE: 'hunter2', TWO: 'hunter3' });
    await world.run('plan', 'a.yaml', '--out', 'p.plan', ...HERE);
    const { changes } = world.json('p.plan') as SavedPlan;
    const digests = new Map(
      changes.map(({ address, secrets }) => [
        address.slice('Interceptor/'.length, address.indexOf('@')),
        secrets?.['/spec/config/kmsConfig/vault/token']?.digest.split('.')[0],
      ]),
    );
    expect(digests.get('one')).toBe(digests.get('three'));
    expect(digests.get('one')).not.toBe(digests.get('two'));
    expect((await world.run('apply', 'p.plan', ...HERE)).code).toBe(0);
  });
});

describe('threat: author: rules that came after the plan', () => {
  const project = (rules: string): string =>
    `{ apiVersion: gwconf/v1, kind: Project, environments: { prod: { files: [a.yaml]${rules} } } }`;

  it.each<[string, number, string]>([
    [', protect: [{ kind: AliasTopic }]', 3, 'error[protected]'],
    [', limits: { deletes: 0 }', 3, 'error[over-limit]'],
    [', manages: ["VirtualCluster/*"]', 1, 'error[not-managed]'],
    [', external: ["AliasTopic/*"]', 1, 'error[contradiction]'],
  ])('bind the plan: %s', async (rules, code, words) => {
    const world = makeWorld({ 'gwconf.yaml': project(', manages: ["*"]'), 'a.yaml': alias('orders') });
    await world.run('apply', '--yes', ...HERE);
    world.write('a.yaml', '# nothing');
    const made = await world.run('plan', '--prune', '--allow-empty', '--out', 'p.plan', ...HERE);
    expect(made.code, made.err).toBe(0);
    world.write('gwconf.yaml', project(rules));
    const before = world.read('state.json');
    const ran = await world.run('apply', 'p.plan', ...HERE);
    expect(refusal(ran, code)).toContain(words);
    expect(world.read('state.json')).toBe(before);
  });

  it('bind the plan though it claims to manage more than there is, or raises its own limits', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const world = makeWorld({
      'gwconf.yaml': project(', manages: ["*"]'),
      'a.yaml': all(...names.map((name) => alias(name))),
    });
    await world.run('apply', '--yes', ...HERE);
    world.write('a.yaml', '# nothing');
    const prune = ['plan', '--prune', '--allow-empty', '--max-deletes', '7', '--out', 'p.plan', ...HERE];
    expect((await world.run(...prune)).code).toBe(0);
    const plan = world.json('p.plan') as JsonObject;
    for (const forged of [plan, { ...plan, managed: { AliasTopic: 1e6, VirtualCluster: 1e6 } }]) {
      world.write('q.plan', forge(forged));
      expect(refusal(await world.run('apply', 'q.plan', ...HERE), 3)).toContain('the run deletes 7 of');
    }
    const raised = await world.run('apply', 'p.plan', '--max-deletes', '7', ...HERE);
    expect(raised.code, raised.err).toBe(0);
  });
});

describe('threat: author: a run that never was', () => {
  const JOURNAL = '.gwconf/journal';
  const project = (more: string): string =>
    `{ apiVersion: gwconf/v1, kind: Project, environments: { prod: { files: [a.yaml]${more} } } }`;

  function runIn(world: World): string {
    const names = readdirSync(join(world.folder, JOURNAL)).filter((name) => name.endsWith('.ndjson'));
    return (names.sort().at(-1) ?? '').replace('.ndjson', '');
  }

  /** Makes the journal of a run that has just begun out of that of one that is finished, with any plan. */
  function reopenRun(world: World, plan?: JsonObject): void {
    const run = runIn(world);
    const [started = ''] = world.read(`${JOURNAL}/${run}.ndjson`).split('\n');
    if (plan !== undefined) world.write(`${JOURNAL}/${run}.plan.json`, forge(plan));
    const { digest } = world.json(`${JOURNAL}/${run}.plan.json`) as SavedPlan;
    const record = { ...(JSON.parse(started) as JsonObject), plan: digest };
    world.write(`${JOURNAL}/${run}.ndjson`, `${JSON.stringify(record)}\n`);
  }

  /** A gateway whose only alias topic a run has deleted, now there again. */
  async function deleting(): Promise<World> {
    const world = makeWorld({ 'gwconf.yaml': project(', manages: ["*"]'), 'a.yaml': alias('orders') });
    await world.run('apply', '--yes', '--journal', 'none', ...HERE);
    const before = world.read('state.json');
    world.write('a.yaml', '# nothing');
    const deleted = await world.run('apply', '--prune', '--allow-empty', '--yes', ...HERE);
    expect(deleted.code, deleted.err).toBe(0);
    reopenRun(world);
    world.write('state.json', before);
    return world;
  }

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['another repository', { GITHUB_REPOSITORY: 'acme/other' }, 'was made for the repository acme/gateway'],
    ['another commit', { GWCONF_EXPECT_COMMIT: 'feed' }, 'was made of the commit c0ffee00; expected feed'],
  ])('is not resumed with a signed plan of %s', async (_, env, words) => {
    const world = await signed(CI);
    expect((await world.runWith({ env: VERIFYING }, 'apply', 'p.plan', ...HERE)).code).toBe(0);
    reopenRun(world);
    rmSync(join(world.folder, 'state.json'));
    const resume = (more: Readonly<Record<string, string>>): Promise<Ran> =>
      world.runWith({ env: { ...VERIFYING, ...CI, ...more } }, 'apply', '--resume', ...HERE);
    expect(refusal(await resume(env), 4)).toContain(words);
    expect(world.has('state.json')).toBe(false);
    expect((await resume({ GWCONF_EXPECT_COMMIT: 'c0ffee00' })).code).toBe(0);
  });

  it('is not resumed with an expired plan', async () => {
    const world = await signed({}, '--valid-for', '1s');
    const env = { ...VERIFYING };
    expect((await world.runWith({ env }, 'apply', 'p.plan', ...HERE)).code).toBe(0); // each run is a second later
    reopenRun(world);
    rmSync(join(world.folder, 'state.json'));
    const ran = await world.runWith({ env }, 'apply', '--resume', ...HERE);
    expect(refusal(ran, 4)).toContain('error[expired-plan]');
    expect(world.has('state.json')).toBe(false);
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['the shared key', { GWCONF_PLAN_KEY: KEY }],
    ['a key pair', { ...SIGNING }],
  ])('is not resumed with the signed undo of another run: %s', async (_, keys) => {
    const world = await withKeys({ 'a.yaml': alias('orders'), 'b.yaml': alias('other') });
    const run = (...args: readonly string[]): Promise<Ran> => world.runWith({ env: keys }, ...args, ...HERE);
    await run('apply', '-f', 'a.yaml', '--yes');
    const first = runIn(world);
    await run('apply', '-f', 'b.yaml', '--yes');
    const files = ['ndjson', 'plan.json', 'undo.json'].map((end) => `${JOURNAL}/${runIn(world)}.${end}`);
    const [journal = '', plan = '', own = ''] = files;
    const state = world.read('state.json');
    for (const undo of [world.read(own), world.read(`${JOURNAL}/${first}.undo.json`)]) {
      world.write(plan, world.read(`${JOURNAL}/${first}.undo.json`));
      world.write(own, undo);
      const [started = ''] = world.read(journal).split('\n');
      const { digest } = world.json(plan) as SavedPlan;
      const record = { ...(JSON.parse(started) as JsonObject), plan: digest, undoes: first };
      world.write(journal, `${JSON.stringify(record)}\n`);
      const ran = await run('apply', '--resume');
      expect(refusal(ran, 1)).toContain(`began to undo run ${first}`);
      expect(ran.err).toContain(`= use gwconf undo ${first}`);
      expect(world.read('state.json')).toBe(state);
    }
    expect((await run('undo', first, '--yes')).code).toBe(0);
    // What is signed is resumed: the undo that was cut off.
    const [begun = ''] = world.read(`${JOURNAL}/${runIn(world)}.ndjson`).split('\n');
    world.write(`${JOURNAL}/${runIn(world)}.ndjson`, `${begun}\n`);
    const resumed = await run('apply', '--resume');
    expect([resumed.code, verdictOf(resumed)], resumed.err).toEqual([0, 'result: no-changes']);
  });

  it('has a plan that expires, where apply -f has signed it', async () => {
    const world = await withKeys({ 'a.yaml': alias('orders') });
    const ran = await world.runWith({ env: SIGNING }, 'apply', '-f', 'a.yaml', '--yes', ...HERE);
    expect(ran.code, ran.err).toBe(0);
    const { expiresAt } = world.json(`${JOURNAL}/${runIn(world)}.plan.json`) as SavedPlan;
    expect(expiresAt).toMatch(/^2026-03-02T/);
  });

  it.each<[string, number, string]>([
    [', protect: [{ kind: AliasTopic }]', 3, 'error[protected]'],
    [', external: ["AliasTopic/*"]', 1, 'error[contradiction]'],
    [', manages: ["VirtualCluster/*"]', 1, 'error[not-managed]'],
    [', limits: { deletes: 0 }', 3, 'error[over-limit]'],
  ])('is held to the rules as they are now: %s', async (rules, code, words) => {
    const world = await deleting();
    const before = world.read('state.json');
    world.write('gwconf.yaml', project(rules));
    expect(refusal(await world.run('apply', '--resume', ...HERE), code)).toContain(words);
    expect(world.read('state.json')).toBe(before);
    world.write('gwconf.yaml', project(''));
    expect((await world.run('apply', '--resume', ...HERE)).code).toBe(0);
  });

  it('is resumed with the flags that take the place of rules', async () => {
    const world = await deleting();
    world.write('gwconf.yaml', project(', manages: ["VirtualCluster/*"], limits: { deletes: 0 }'));
    const ran = await world.run('apply', '--resume', '--manages', '*', '--max-deletes', '1', ...HERE);
    expect(ran.code, ran.err).toBe(0);
  });

  it('does what its plan shows', async () => {
    const world = await deleting();
    const before = world.read('state.json');
    const plan = world.json(`${JOURNAL}/${runIn(world)}.plan.json`) as JsonObject;
    const at = ['changes', '0', 'before', 'spec', 'physicalName'];
    reopenRun(world, changeAt(plan, at, () => 'another') as JsonObject);
    const ran = await world.run('apply', '--resume', ...HERE);
    expect(refusal(ran, 1)).toContain(
      `the plan is not what apply would do to ${ALIAS}: it shows another former value`,
    );
    expect(world.read('state.json')).toBe(before);
  });

  it.each<[string, { readonly [place in Pointer]?: Json }, string]>([
    [
      'a value that is not there',
      { '/before/spec/physicalName': 'another', '/fields/0/before': 'another' },
      'another former value',
    ],
    ['no fields', { '/fields': [] }, 'other fields'],
    ['other fields', { '/fields/0/after': 'another' }, 'other fields'],
    ['a field that gwconf does not know', { '/after/spec/newer': true }, 'another body'],
  ])('is not undone with %s', async (_, edits, words) => {
    const world = makeWorld({ 'a.yaml': alias('orders') });
    await world.run('apply', '-f', 'a.yaml', '--yes', '--journal', 'none', ...HERE);
    world.write('a.yaml', alias('orders').replace('orders-v1', 'orders-v2'));
    await world.run('apply', '-f', 'a.yaml', '--yes', ...HERE);
    const state = world.read('state.json');
    const file = `${JOURNAL}/${runIn(world)}.undo.json`;
    const undo = world.json(file) as JsonObject;
    expect(undo).toMatchObject({ changes: [{ action: 'update', address: ALIAS }] });
    const forged = Object.entries(edits).reduce<Json>(
      (plan, [place, value]) =>
        changeAt(plan, ['changes', '0', ...parsePointer(place as Pointer)], () => value),
      undo,
    );
    world.write(file, forge(forged));
    expect(refusal(await world.run('undo', '--yes', ...HERE), 1)).toContain(`it shows ${words}`);
    expect(world.read('state.json')).toBe(state);
    world.write(file, forge(undo));
    expect((await world.run('undo', '--yes', ...HERE)).code).toBe(0);
  });

  it.each<[string, readonly string[]]>([
    ['.gwconf/journal', ['-f', '.gwconf/journal']],
    ['any file of it', ['-f', '*.undo.json']],
    ['a link to its folder', []],
  ])('is neither resumed nor undone from git, with %s', async (what, added) => {
    const world = await deleting();
    const before = world.read('state.json');
    git(world, 'init', '--quiet');
    if (what.startsWith('a link')) {
      renameSync(join(world.folder, JOURNAL), join(world.folder, 'runs'));
      symlinkSync('../runs', join(world.folder, JOURNAL));
    }
    git(world, 'add', ...(added.length === 0 ? ['-f', JOURNAL] : added));
    for (const args of [
      ['apply', '--resume'],
      ['apply', '--resume', runIn(world)],
      ['undo', runIn(world), '--yes'],
    ]) {
      const ran = await world.run(...args, ...HERE);
      expect(refusal(ran, 1)).toContain('is in git, so it can be forged');
      expect(ran.err).toContain('= delete it, or name another folder with --journal');
    }
    expect(world.read('state.json')).toBe(before);
    git(world, 'rm', '-r', '--cached', '--quiet', '.');
    expect((await world.run('apply', '--resume', ...HERE)).code).toBe(0);
  });

  it('does not keep later runs from being the newest by a large number', async () => {
    const world = makeWorld({ 'a.yaml': alias('orders') });
    await world.run('apply', '-f', 'a.yaml', '--yes', ...HERE);
    for (const digits of [9, 16, 22, 200]) world.write(`${JOURNAL}/${'9'.repeat(digits)}-x.ndjson`, '{}');
    world.write('a.yaml', alias('other'));
    await world.run('apply', '-f', 'a.yaml', '--yes', ...HERE);
    for (const name of readdirSync(join(world.folder, JOURNAL)))
      if (name.includes('-x.')) rmSync(join(world.folder, JOURNAL, name));
    expect((await world.run('undo', '--yes', ...HERE)).err).toContain('- AliasTopic/other');
  });

  it('is not resumed, and no other run begins, where the index of git cannot be read', async () => {
    const world = await deleting();
    world.write('.git/index', 'hello');
    for (const args of [['--resume'], ['-f', 'a.yaml', '--yes']]) {
      const ran = await world.run('apply', ...args, ...HERE);
      expect(refusal(ran, 1)).toContain('cannot find out whether .gwconf/journal is in git: the format of');
      expect(ran.err).toContain('= copy the folder out of the work tree');
    }
  });
});

describe('threat: author: a plan that is not what it shows', () => {
  /** A world with a plan of each action, with secrets and an extra step, and the state that it was made for. */
  async function planned(): Promise<{
    readonly world: World;
    readonly plan: JsonObject;
    readonly state: string;
  }> {
    const world = makeWorld({
      'a.yaml': all(
        cluster('prod'),
        alias('old'),
        account('one', 'passthrough', 'sub-1'),
        account('two', 'passthrough', 'sub-2'),
        vault('encrypt', '${TOKEN}'),
      ),
    });
    world.env['TOKEN'] = 'hvs.CbEsIJ8mQ2xP0aV7kY4tR9zW1uE6nL3b';
    const first = await world.run('apply', '-f', 'a.yaml', '--yes', ...HERE);
    expect(first.code, first.err).toBe(0);
    const state = world.read('state.json');
    world.write(
      'a.yaml',
      all(
        cluster('prod', '{ superUsers: [admin] }'),
        alias('new', 'new-v1', 'prod'),
        account('one', 'passthrough', 'sub-2'),
        account('two', 'passthrough', 'sub-1'),
        vault('encrypt', '${TOKEN}', 2),
      ),
    );
    const ran = await world.run('plan', 'a.yaml', '--prune', '--manages', '*', '--out', 'p.plan', ...HERE);
    expect(ran.code, ran.err).toBe(0);
    return { world, plan: world.json('p.plan') as JsonObject, state };
  }

  const OTHERS: readonly Json[] = [null, true, 1e308, 'x', '(hidden)', [], { x: 1 }];

  /** Each single change of a node: left out, renamed, of each other type, swapped with the next, repeated. */
  function* mutationsOf(plan: JsonObject): Generator<readonly [what: string, text: string]> {
    for (const [turn, at] of placesIn(plan).entries()) {
      const tokens = parsePointer(at);
      const parentAt = at.slice(0, at.lastIndexOf('/')) as Pointer;
      const key = tokens.at(-1) ?? '';
      const value = valueAt(plan, at) ?? null;
      const parent = valueAt(plan, parentAt) ?? null;
      const edit = (change: (parent: Json) => Json): string =>
        forge(parentAt === '' ? change(plan) : changeAt(plan, parsePointer(parentAt), () => change(parent)));
      // Each place becomes two of them, each in turn.
      for (const other of [0, 1].map((step) => OTHERS[(2 * turn + step) % OTHERS.length] ?? null))
        if (canonicalText(other) !== canonicalText(value))
          yield [`${at} becomes ${JSON.stringify(other)}`, forge(changeAt(plan, tokens, () => other))];
      if (isList(parent)) {
        const index = Number(key);
        yield [`${at} is left out`, edit(() => parent.filter((_, other) => other !== index))];
        yield [`${at} is repeated`, edit(() => [...parent, value])];
        const next = parent[index + 1];
        if (next !== undefined) {
          const swapped = parent.with(index, next).with(index + 1, value);
          yield [`${at} is swapped`, edit(() => swapped)];
        }
      } else if (isObject(parent)) {
        const { [key]: _, ...rest } = parent;
        yield [`${at} is left out`, edit(() => rest)];
        yield [`${at} is renamed`, edit(() => ({ ...rest, [`${key}x`]: value }))];
        yield [
          `${at} is __proto__`,
          edit(() => Object.fromEntries([['__proto__', 1], ...Object.entries(rest)])),
        ];
      }
    }
  }

  function placesIn(value: Json, at: Pointer = ''): readonly Pointer[] {
    return entriesOf(value).flatMap(([key, item]) => {
      const place: Pointer = `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      return [place, ...placesIn(item, place)];
    });
  }

  /** What reviewers see of the changes; a default may be written or not in what is deleted. */
  function shownIn({ out }: Ran): string {
    const { changes } = JSON.parse(out) as { readonly changes: readonly JsonObject[] };
    const lines = changes.map(({ action, address, fields }) => [
      action,
      address,
      action === 'delete' ? null : fields,
    ]);
    // Changes that do not depend on each other may stand in any order.
    return lines
      .map((line) => canonicalText(line as Json))
      .sort()
      .join('\n');
  }

  it(
    'is refused with a sentence, or does what it shows: every mutation of a real plan',
    { timeout: 600_000 },
    async () => {
      const { world, plan, state } = await planned();
      const apply = async (text: string): Promise<readonly [Ran, string]> => {
        world.write('state.json', state);
        world.write('m.plan', text);
        const ran = await world.run(
          'apply',
          'm.plan',
          '--journal',
          'none',
          '--max-deletes',
          '9',
          '--max-updates',
          '9',
          ...HERE,
        );
        return [ran, canonicalText((world.json('state.json') as JsonObject)['resources'] ?? null)];
      };
      const [original, wanted] = await apply(JSON.stringify(plan));
      expect(original.code, original.err).toBe(0);
      const meant = shownIn(await world.run('show', 'm.plan', '-o', 'json'));
      let refused = 0;
      let accepted = 0;
      for (const [what, text] of someOf(mutationsOf(plan), 11)) {
        const { value, problems } = decodePlan(text, 'm.plan', catalog.kinds);
        if (value === undefined) {
          expect(
            problems.map(({ code }) => code),
            what,
          ).toEqual(['invalid-plan']);
          refused += 1;
          continue;
        }
        const [ran, made] = await apply(text);
        expect([0, 1, 3, 4, 5], `${what}\n${ran.err}`).toContain(ran.code);
        if (ran.code === 5) continue; // the gateway refused a body that is shown
        if (ran.code !== 0) {
          expect(canonicalText((JSON.parse(state) as JsonObject)['resources'] ?? null), what).toBe(made);
          refused += 1;
          continue;
        }
        accepted += 1;
        const shown = await world.run('show', 'm.plan', '-o', 'json');
        expect(shown.code, what).toBe(0);
        if (made !== wanted) expect(shownIn(shown), what).not.toBe(meant);
        else expect(shownIn(shown), what).toBe(meant);
      }
      expect(refused).toBeGreaterThan(100);
      expect(accepted).toBeGreaterThan(3);
    },
  );

  it.each<[string, (plan: JsonObject, text: string) => string, string]>([
    [
      'a body of another address',
      (plan) => forge(changeAt(plan, ['changes', '0', 'after', 'metadata', 'name'], () => 'other')),
      `is not valid at /changes/0: the body of ${ALIAS} is that of AliasTopic/other@vCluster=passthrough`,
    ],
    [
      'an unknown kind',
      (_, text) => forge(JSON.parse(text.replaceAll('AliasTopic', 'AliasTopics')) as Json),
      'is not valid at /changes/0: AliasTopics is not a kind that this version can change',
    ],
    [
      'an unknown action',
      (plan) => forge(changeAt(plan, ['changes', '0', 'action'], () => 'upsert')),
      'is not a saved plan of this version: /changes/0/action',
    ],
    [
      'two equal keys',
      (_, text) => text.replace('"tool"', '"tool": "another", "tool"'),
      'has a map with two equal keys',
    ],
    [
      'a hidden value that nothing gives',
      (plan) => forge(changeAt(plan, ['changes', '0', 'after', 'spec', 'physicalName'], () => '(hidden)')),
      `is not valid at /changes/0: nothing gives the hidden value at /spec/physicalName of ${ALIAS}`,
    ],
    [
      'a secret in another place',
      (plan) =>
        forge(changeAt(plan, ['changes', '0', 'secrets'], () => ({ '/spec/physicalName': { digest: 'x' } }))),
      `is not valid at /changes/0: ${ALIAS} has no hidden value at /spec/physicalName`,
    ],
    [
      'a number that JSON cannot hold',
      (plan) => forge(plan).replace('"orders-v1"', '1e999'),
      'was altered after it was made',
    ],
    [
      'deep nesting',
      () => `{"format":"gwconf/plan@1","changes":${'['.repeat(5000)}`,
      'is nested deeper than 1024 levels',
    ],
    [
      'a dependency on what comes later',
      (plan) => forge(changeAt(plan, ['changes', '0', 'dependsOn'], () => ['AliasTopic/later'])),
      `has changes in a wrong order: ${ALIAS} comes before AliasTopic/later`,
    ],
    [
      'another summary',
      (plan) => forge(changeAt(plan, ['summary', 'create'], () => 0)),
      'has a wrong summary: create',
    ],
  ])('is refused when it has %s', async (_, mutate, words) => {
    const world = makeWorld({ 'a.yaml': alias('orders') });
    await world.run('plan', 'a.yaml', '--out', 'p.plan', ...HERE);
    world.write('q.plan', mutate(world.json('p.plan') as JsonObject, world.read('p.plan')));
    const ran = await world.run('apply', 'q.plan', ...HERE);
    expect(refusal(ran, 1)).toBe(`error[invalid-plan]: q.plan ${words}`);
  });

  it('is refused when it writes a field that gwconf does not know, and so does not show', async () => {
    const { world, plan } = await planned();
    const changes = plan['changes'] as readonly JsonObject[];
    const at = changes.findIndex(({ action, kind }) => action === 'update' && kind === 'VirtualCluster');
    const unknown = changeAt(plan, ['changes', String(at), 'after', 'spec', 'newer'], () => true);
    world.write('q.plan', forge(unknown));
    expect(refusal(await world.run('apply', 'q.plan', ...HERE), 1)).toBe(
      'error[invalid-plan]: the plan is not what apply would do to VirtualCluster/prod: it shows another body',
    );
  });

  it('is refused when it writes more than its fields', async () => {
    const { world, plan } = await planned();
    const changes = plan['changes'] as readonly JsonObject[];
    const at = changes.findIndex(({ action, kind }) => action === 'update' && kind === 'Interceptor');
    const raised = changeAt(plan, ['changes', String(at), 'after', 'spec', 'config', 'topic'], () => 'b');
    world.write('q.plan', forge(raised));
    const ran = await world.run('apply', 'q.plan', ...HERE);
    expect(refusal(ran, 1)).toBe(
      'error[invalid-plan]: the plan is not what apply would do to Interceptor/encrypt@vCluster=passthrough: it shows other fields',
    );
  });
});
