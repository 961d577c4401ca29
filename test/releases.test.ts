import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeWorld, type World } from './support/cli.ts';
import { alias, encrypting, projectOf } from './support/documents.ts';

/** What each release wrote, a folder each. `GWCONF_KEEP=0.2.0 npx vitest run test/releases.test.ts` adds one, of this checkout. */
const RELEASES = fileURLToPath(new URL('fixtures/releases/', import.meta.url));

const PROJECT = {
  'gwconf.yaml': projectOf({
    prod: 'gateway: { url: "embedded:gateway.json" }, files: [gateway], manages: ["*"]',
  }),
  'gateway/orders.yaml': alias('orders', 'orders-v1', 'passthrough'),
  'gateway/encrypt.yaml': encrypting(
    '${TOKEN}',
    'topic: cards',
    'recordValue: { payload: { keySecretId: "vault-kms://vault/transit/keys/cards" } }',
  ),
};

/** One run that is applied, then a change that is planned. */
async function writeAll(world: World): Promise<void> {
  world.env['TOKEN'] = 'hvs.token-of-the-vault';
  const lines = [
    'apply --auto-approve',
    'snapshot --out live.json',
    'export --out exported',
    'plan --out plan.json -o json=plan-report.json',
    'drift -o json=drift-report.json',
  ];
  for (const line of lines) {
    const ran = await world.run(...line.split(' '));
    expect(ran.code, ran.err).toBe(0);
    if (line.startsWith('snapshot'))
      world.write('gateway/orders.yaml', PROJECT['gateway/orders.yaml'].replace('orders-v1', 'orders-v2'));
  }
}

it.runIf(process.env['GWCONF_KEEP'] !== undefined)('keeps what this release writes', async () => {
  const world = makeWorld(PROJECT);
  await writeAll(world);
  const folder = join(RELEASES, process.env['GWCONF_KEEP'] ?? '');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // A folder that begins with a dot is easily left out of a commit.
  for (const name of readdirSync(world.folder))
    cpSync(join(world.folder, name), join(folder, name.replace(/^\./, 'dot-')), {
      recursive: true,
      filter: isKept,
    });
});

/** Git would leave out what this file says. */
function isKept(path: string): boolean {
  return !path.endsWith('.gitignore');
}

/** A world as a release left it. */
function worldOf(release: string): World {
  const world = makeWorld();
  const folder = join(RELEASES, release);
  for (const name of readdirSync(folder))
    cpSync(join(folder, name), join(world.folder, name.replace(/^dot-/, '.')), { recursive: true });
  world.env['TOKEN'] = 'hvs.token-of-the-vault';
  return world;
}

describe.each(readdirSync(RELEASES))('what release %s wrote', (release) => {
  it.each([
    ['its project', 'validate', 'Valid: 2 resources'],
    ['its saved plan', 'show plan.json', 'orders-v2'],
    ['its snapshot', 'plan --snapshot live.json', '1 to update'],
    ['its journal', 'journal', 'applied'],
    ['a run of it', 'journal 1', 'AliasTopic/orders@vCluster=passthrough'],
    ['the undo of a run', 'undo 1 --dry-run', '2 to delete'],
    ['its plan report', 'comment plan-report.json --dry-run', 'orders'],
    ['its drift report', 'comment drift-report.json --dry-run', 'orders'],
    ['the state of its embedded gateway', 'get', '2 objects'],
  ])('is read: %s', async (_, line, words) => {
    const ran = await worldOf(release).run(...line.split(' '));
    expect([ran.code, ran.out + ran.err]).toEqual([0, expect.stringContaining(words)]);
  });

  it.each([
    ['plan.json', 'show plan.json', 'gwconf/plan@'],
    ['live.json', 'plan --snapshot live.json', 'gwconf/snapshot@'],
    ['plan-report.json', 'comment plan-report.json --dry-run', 'gwconf/plan-report@'],
    ['drift-report.json', 'comment drift-report.json --dry-run', 'gwconf/drift-report@'],
    ['.gwconf/journal/0001-20260301T120000.000Z-salt.ndjson', 'journal 1', 'gwconf/journal@'],
  ])('is refused with its format if a later release made it: %s', async (file, line, format) => {
    const world = worldOf(release);
    expect(world.read(file)).toContain(`${format}1`);
    world.write(file, world.read(file).replace(`${format}1`, `${format}99`));
    const ran = await world.run(...line.split(' '));
    expect([ran.code, ran.err]).toEqual([expect.any(Number), expect.stringContaining(`${format}99`)]);
    expect([1, 64]).toContain(ran.code);
  });

  it('is applied: its saved plan, with the secrets that it does not have', async () => {
    const world = worldOf(release);
    const ran = await world.run('apply', 'plan.json', '--auto-approve');
    expect(ran.code, ran.err).toBe(0);
    expect((await world.run('plan')).out).toContain('No changes.');
    expect(existsSync(join(world.folder, '.gwconf', 'journal'))).toBe(true);
  });
});
