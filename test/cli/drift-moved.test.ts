import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { DriftReport } from '../../src/outcome/drift.ts';
import { makeWorld, type World, inFormats } from '../support/cli.ts';
import { alias, documentOf } from '../support/documents.ts';
import { hasGit, makeGitWorld, type GitWorld } from '../support/git-world.ts';

const URL = ['--url', 'embedded:.gateway.json'];

const group = (...names: readonly string[]): string =>
  documentOf('GatewayGroup', '{ name: team }', `{ externalGroups: [${names.join(', ')}] }`);

async function apply(world: World, path: string): Promise<void> {
  const ran = await world.run('apply', '-f', path, '--auto-approve', '--journal', 'none', ...URL);
  expect(ran.code, ran.err).toBe(0);
}

/** Five objects that are committed and applied. */
async function begin(): Promise<GitWorld> {
  const world = makeGitWorld({ 'files/team.yaml': group('one') });
  for (const name of ['a', 'b', 'c', 'd']) world.write(`files/${name}.yaml`, alias(name, 'x'));
  world.commit();
  await apply(world, 'files');
  return world;
}

async function movers(world: World, ...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const ran = await world.run('drift', ...(args.length === 0 ? ['files'] : args), ...URL, '-o', 'json');
  const { drift } = JSON.parse(ran.out) as DriftReport;
  return Object.fromEntries(
    drift.map(({ address, moved, fields }) => [
      address.replace(/^.*\/|@.*$/g, ''),
      moved === 'mixed' ? fields.map((field) => field.moved) : moved,
    ]),
  );
}

describe.skipIf(!hasGit)('drift in a git repository', () => {
  it('tells what was changed in files, committed or not, from what was changed on the gateway', async () => {
    const world = await begin();
    world.write('files/a.yaml', alias('a', 'committed'));
    world.write('files/new.yaml', alias('new', 'x'));
    world.commit();
    world.write('files/b.yaml', alias('b', 'edited'));
    world.write('files/team.yaml', group('one', 'two'));
    world.write('hand/c.yaml', alias('c', 'by-hand'));
    world.write('hand/team.yaml', group('one', 'eve'));
    await apply(world, 'hand');
    const found = { a: 'files', b: 'files', c: 'gateway', new: 'files', team: ['files', 'gateway'] };
    expect(await movers(world)).toEqual(found);
    const { out } = await world.run('drift', 'files', ...URL);
    expect(out).toContain('live "x"\n      changed in the files, not applied yet\n');
    expect(out).toContain('live "by-hand"\n      changed on the gateway\n');
    expect(out).toMatch(
      /changed in the files, not applied yet:\n.*declared "two".*\n *changed on the gateway:\n.*live "eve"/,
    );
    expect(out).toContain(' Of these, 2 changed on the gateway, 4 in the files, not applied yet.');
    await world.run('drift', 'files', ...URL, ...inFormats('markdown', 'html'));
    for (const format of ['markdown', 'html'])
      expect(world.read(`out.${format}`)).toContain('changed on the gateway');
    world.write('files/a.yaml', alias('a', 'x'));
    world.write('files/b.yaml', alias('b', 'x'));
    world.git('rm', '--quiet', 'files/new.yaml');
    expect(await movers(world)).toEqual({ c: 'gateway', team: found.team });
  });

  it('accuses nobody of what a run has applied before it was committed, and files have changed since', async () => {
    const world = await begin();
    for (const name of ['applied', 'edited']) {
      world.write('files/a.yaml', alias('a', name));
      if (name === 'applied') await world.run('apply', '-f', 'files', '--auto-approve', ...URL);
    }
    expect(await movers(world)).toEqual({ a: 'files' });
    world.write('hand/a.yaml', alias('a', 'by-hand'));
    await apply(world, 'hand');
    expect(await movers(world)).toEqual({ a: 'gateway' });
    // Nor does it say that the files have not changed.
    const { out } = await world.run('drift', 'files', ...URL);
    expect(out).toContain('declared "edited", live "by-hand"\n      changed on the gateway\n');
  });

  it('says so where it cannot tell, as of a value from a variable', async () => {
    const mask = (key: string, priority: number): string =>
      `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: own, scope: { vCluster: passthrough } }\nspec: { pluginClass: com.acme.Own, priority: ${priority}, config: { apiToken: "${key}" } }\n`;
    const world = makeGitWorld({ 'files/own.yaml': mask('${TOKEN}', 1) });
    world.env['TOKEN'] = 'one';
    world.commit();
    await apply(world, 'files');
    world.write('hand/own.yaml', mask('two', 2));
    await apply(world, 'hand');
    const { out } = await world.run('drift', 'files', ...URL);
    expect(out).toContain(
      'not known whether the files or the gateway changed:\n      /spec/config/apiToken:',
    );
    expect(out).toContain('changed on the gateway:\n      /spec/priority:');
  });

  it('tells what a run made and is gone, or took away and is back, from what waits in the files', async () => {
    const world = await begin(); // in its only commit: no version was ever without these objects
    const removal = (name: string): string =>
      `apiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r }\nspec: { reason: gone, remove: [AliasTopic/${name}@vCluster=passthrough] }\n`;
    world.write('files/a.yaml', alias('a', 'y'));
    world.write('files/b.yaml', removal('b'));
    world.write('files/own.yaml', alias('own', 'x'));
    world.commit();
    expect((await world.run('apply', '-f', 'files', '--auto-approve', ...URL)).code).toBe(0);
    world.write('hand/own.yaml', removal('own'));
    world.write('hand/b.yaml', alias('b', 'x'));
    await apply(world, 'hand');
    world.write('files/new.yaml', alias('new', 'x'));
    world.commit();
    expect(await movers(world)).toEqual({ own: 'gateway', b: 'gateway', new: 'files' });
    const { out } = await world.run('drift', 'files', ...URL);
    expect(out).toMatch(/AliasTopic\/own@.*\n {6}deleted on the gateway\n/);
    expect(out).toMatch(/AliasTopic\/b@.*\n {6}created on the gateway\n/);
  });

  it('tells nothing of files that are in no commit, or of other folders', async () => {
    const world = await begin();
    world.write('more/own.yaml', alias('own', 'x'));
    world.write('hand/own.yaml', alias('own', 'y'));
    await apply(world, 'hand');
    expect(await movers(world, 'more')).toEqual({ own: undefined });
    const { out } = await world.run('drift', 'more', ...URL);
    expect(out).not.toMatch(/changed (?:on|in)/);
  });
});

describe('drift without git', () => {
  const journaled = async (world: World, path: string): Promise<void> => {
    const ran = await world.run('apply', '-f', path, '--auto-approve', ...URL);
    expect(ran.code, ran.err).toBe(0);
  };
  const begun = async (): Promise<World> => {
    const world = makeWorld({ 'files/team.yaml': group('one'), 'files/a.yaml': alias('a', 'x') });
    world.write('files/b.yaml', alias('b', 'x'));
    await journaled(world, 'files');
    world.write('files/a.yaml', alias('a', 'edited'));
    world.write('files/new.yaml', alias('new', 'x'));
    world.write('files/team.yaml', group('one', 'two'));
    world.write('hand/b.yaml', alias('b', 'by-hand'));
    world.write('hand/team.yaml', group('one', 'eve'));
    await apply(world, 'hand');
    return world;
  };

  it('tells who moved since the last run that wrote an object', async () => {
    const world = await begun();
    expect(await movers(world)).toEqual({
      a: 'files',
      b: 'gateway',
      new: undefined,
      team: ['files', 'gateway'],
    });
    expect(Object.values(await movers(world, 'files', '--journal', 'none'))).not.toContain('files');
  });

  it('believes no folder of journals that somebody else may have written in', async () => {
    const world = await begun();
    symlinkSync(join(world.folder, 'gwconf.yaml'), join(world.folder, '.gwconf/journal/0001.plan.json'));
    expect(Object.values(await movers(world))).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('believes no journal of another gateway, and none that cannot be read', async () => {
    const world = await begun();
    await world.run('apply', '-f', 'hand/b.yaml', '--auto-approve', '--url', 'embedded:other.json');
    expect(await movers(world)).toMatchObject({ a: 'files', b: 'gateway' });
    world.write('.gwconf/journal/9999-20300101T000000.000Z-abcd.ndjson', '{');
    expect(Object.values(await movers(world))).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('drift since a snapshot', () => {
  const vault = (token: string): string =>
    `apiVersion: gateway/v2\nkind: Interceptor\nmetadata: { name: encrypt, scope: { vCluster: passthrough } }\nspec:\n  pluginClass: io.conduktor.gateway.interceptor.EncryptPlugin\n  priority: 1\n  config: { topic: orders, kmsConfig: { vault: { uri: "http://vault", token: ${token} } }, recordValue: { payload: { keySecretId: k, algorithm: AES256_GCM } } }\n`;
  const since = (world: World, ...args: readonly string[]) =>
    world.run('drift', 'files', ...URL, '--since', 'then.json', ...args);
  /** Old and new drift of each sort; one of each has been there when the snapshot was taken. */
  const begun = async (): Promise<World> => {
    const world = makeWorld({ 'files/team.yaml': group('one'), 'files/a.yaml': alias('a', 'x') });
    for (const name of ['b', 'deleted']) world.write(`files/${name}.yaml`, alias(name, 'x'));
    world.write('files/vault.yaml', vault('canary-one'));
    world.write('hand/old.yaml', alias('old', 'x'));
    await apply(world, 'files');
    await apply(world, 'hand');
    await world.run('snapshot', '--out', 'then.json', ...URL);
    world.write('hand/vault.yaml', vault('canary-two'));
    world.write('hand/b.yaml', alias('b', 'by-hand'));
    world.write('hand/team.yaml', group('one', 'eve'));
    world.write('hand/created.yaml', alias('created', 'x'));
    world.write(
      'hand/removal.yaml',
      'apiVersion: gwconf/v1\nkind: Removal\nmetadata: { name: r }\nspec: { reason: gone, remove: [AliasTopic/deleted@vCluster=passthrough] }\n',
    );
    await apply(world, 'hand');
    world.write('files/a.yaml', alias('a', 'edited'));
    world.write('files/new.yaml', alias('new', 'x'));
    world.write('files/team.yaml', group('one', 'two'));
    return world;
  };

  it('tells what has changed on the gateway since, and of what is hidden, nothing', async () => {
    const world = await begun();
    const found = {
      ...{ a: 'files', b: 'gateway', new: 'files', deleted: 'gateway', old: 'files', created: 'gateway' },
      ...{ team: ['files', 'gateway'], encrypt: undefined },
    };
    const args = ['files', '--manages', '*', '--since', 'then.json'];
    expect(await movers(world, ...args)).toEqual(found);
    await world.run('apply', '-f', 'files/b.yaml', '--auto-approve', ...URL); // a journal does not count
    world.write('hand/b.yaml', alias('b', 'by-hand'));
    await apply(world, 'hand/b.yaml');
    expect(await movers(world, ...args)).toEqual(found);
  });

  it('says no more than the snapshot does', async () => {
    const world = await begun();
    const { out } = await since(world, '--manages', '*');
    const { takenAt } = world.json('then.json') as { takenAt: string };
    for (const [name, words] of [
      ['a', 'not changed on the gateway since'],
      ['b', 'changed on the gateway since'],
      ['deleted', 'deleted on the gateway since'],
      ['created', 'created on the gateway since'],
    ])
      expect(out).toMatch(
        new RegExp(`AliasTopic/${name}@.*\\n(?:      /spec.*\\n)?      ${words} ${takenAt}\\n`),
      );
    expect(out).toContain(`not on the gateway at ${takenAt} either\n`);
    expect(out).toContain(`on the gateway at ${takenAt} already\n`);
    expect(out).toContain(
      ` Of these, 4 changed on the gateway since ${takenAt}, 4 not changed on the gateway since ${takenAt}.`,
    );
    expect(out).not.toMatch(/in the files|canary/);
  });

  it('refuses one of another gateway, and one that was altered', async () => {
    const world = await begun();
    const other = await world.run('drift', 'files', '--url', 'embedded:other.json', '--since', 'then.json');
    expect([other.code, other.err]).toEqual([
      1,
      expect.stringContaining(
        'error[wrong-target]: the snapshot was taken of embedded:.gateway.json, and this is embedded:other.json',
      ),
    ]);
    world.write('then.json', world.read('then.json').replace('"x"', '"y"'));
    expect((await since(world)).err).toContain('error[invalid-snapshot]: then.json was altered');
  });
});

it('drift without git says what is declared and what is live, and accuses nobody', async () => {
  const world = makeWorld({ 'files/a.yaml': alias('a', 'x'), 'files/b.yaml': alias('b', 'x') });
  await apply(world, 'files/a.yaml');
  world.write('files/a.yaml', alias('a', 'edited'));
  const formats = ['human', 'markdown', 'html', 'github', 'json'];
  expect((await world.run('drift', 'files', ...URL, ...inFormats(...formats))).code).toBe(0);
  for (const format of formats) {
    const out = world.read(`out.${format}`);
    expect(out, format).not.toMatch(/changed (?:on|in)|(?:missing|deleted) on|moved/i);
  }
});
