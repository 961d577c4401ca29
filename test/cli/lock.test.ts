import { existsSync, readdirSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { run } from '../../src/cli/run.ts';
import { createFile } from '../../src/host/write-files.ts';
import { isAlive, nameOfMachine, nodeHost } from '../../src/host/node-host.ts';
import { makeWorld, PID, verdictOf, type World } from '../support/cli.ts';
import type { Resource } from '../../src/model/resource.ts';
import { cluster } from '../support/documents.ts';
import { serve, worldBeside, type Served } from '../support/served.ts';

const FOLDER = '.gwconf/journal';
const APPLY = ['apply', '-f', 'a.yaml', '--yes'];

function locksIn(world: World): readonly string[] {
  return readdirSync(join(world.folder, FOLDER)).filter((name) => name.includes('.lock'));
}

/** A gateway, and what a run on it left that was killed; of the process that has `changes`. */
async function killed(changes: object = {}): Promise<{ readonly there: Served; readonly world: World }> {
  const there = await serve();
  const world = worldBeside(there, { 'a.yaml': ['a', 'b', 'c'].map((name) => cluster(name)).join('---\n') });
  let lock: string | undefined;
  there.onRequest(({ method }) => {
    const [name] = locksIn(world);
    if (method === 'PUT' && name !== undefined) lock ??= name;
  });
  const interrupt = new AbortController();
  there.onRequest(() => {
    if (there.writes().length === 2) interrupt.abort();
  });
  const ran = await world.runWith({ interrupt }, ...APPLY, '--parallelism', '1');
  expect([ran.code, lock, locksIn(world)]).toEqual([130, expect.any(String), []]);
  const holder = { id: 'x', pid: PID, host: 'here', tool: 'gwconf 0.1.0', at: '2026-03-01T12:00:00.000Z' };
  world.write(`${FOLDER}/${lock}`, JSON.stringify({ ...holder, ...changes }));
  there.forget();
  return { there, world };
}

describe('the lock of a gateway', () => {
  it('keeps what other runs write meanwhile, also in the file of an embedded gateway', async () => {
    const names = ['a', 'b', 'c'];
    const world = makeWorld(Object.fromEntries(names.map((name) => [`${name}.yaml`, cluster(name)])));
    const all = await Promise.all(
      names.map((name) => {
        const args = ['apply', '-f', `${name}.yaml`, '--yes', '--url', 'embedded:state.json', '--wait', '5m'];
        return world.runWith({ alive: [PID] }, ...args);
      }),
    );
    expect(all.map(verdictOf)).toEqual(names.map(() => 'result: applied'));
    const { resources } = world.json('state.json') as { readonly resources: readonly Resource[] };
    expect(resources.map(({ metadata }) => metadata.name).sort()).toEqual(names);
  });

  it('lets one of two runs that begin at once go on, and the journal stays readable', async () => {
    const { world } = await killed();
    const alive = [PID];
    const resume = ['apply', '--resume'];
    const [lock = ''] = locksIn(world);
    world.write(`${FOLDER}/${lock}`, world.read(`${FOLDER}/${lock}`).replace(`${PID}`, '1'));
    const both = await Promise.all([
      world.runWith({ alive }, ...resume),
      world.runWith({ alive }, ...resume),
    ]);
    expect(both.map(verdictOf).sort()).toEqual(['result: applied', 'result: error']);
    const refused = both.find(({ code }) => code !== 0);
    expect(refused?.code).toBe(1);
    expect(refused?.err).toContain('error[run-in-progress]: another run is in progress on http://');
    expect(refused?.err).toContain(`: process ${PID} on host here, gwconf 0.1.0, since 2026-03-01T12:00:0`);
    expect(locksIn(world)).toEqual([]);
    expect((await world.run('journal')).out).toContain('applied  3 of 3 done');
  });

  it.each([['apply', '--resume'], APPLY, ['undo', '--yes']])('is respected by %s', async (...command) => {
    const { there, world } = await killed();
    const ran = await world.runWith({ alive: [PID] }, ...command);
    expect([ran.code, verdictOf(ran), there.requests]).toEqual([1, 'result: error', []]);
    expect(ran.err).toContain(' = wait until it has ended, for instance with --wait 5m\n');
  });

  it('is taken over when its process has ended', async () => {
    const { world } = await killed();
    const ran = await world.run('apply', '--resume');
    expect([verdictOf(ran), locksIn(world)]).toEqual(['result: applied', []]);
  });

  it('is taken over by one of several runs that find its process ended', async () => {
    const { world } = await killed({ pid: 1 });
    const all = await Promise.all(
      Array.from({ length: 5 }, () => world.runWith({ alive: [PID] }, 'apply', '--resume')),
    );
    expect(all.filter((ran) => verdictOf(ran) === 'result: applied')).toHaveLength(1);
    expect(locksIn(world)).toEqual([]);
  });

  it('of another host is never taken over, and its file is named', async () => {
    const { world } = await killed({ host: 'there' });
    const [lock = ''] = locksIn(world);
    const ran = await world.run('apply', '--resume');
    expect(ran.err).toContain(`process ${PID} on host there`);
    expect(ran.err).toContain(`if that process is gone, delete ${FOLDER}/${lock}\n`);
    expect(locksIn(world)).toEqual([lock]);
  });

  /** Runs a command whose disk refuses a file, and tells how it ended and which locks there were when it wrote. */
  async function refusing(
    suffix: string,
  ): Promise<{ readonly code: number; readonly locks: readonly string[][] }> {
    const there = await serve();
    const world = worldBeside(there, { 'a.yaml': cluster('a') });
    const locks: string[][] = [];
    there.onRequest(({ method }) => {
      if (method === 'PUT') locks.push([...locksIn(world)]);
    });
    const io = world.io();
    const refused = (): Promise<never> =>
      Promise.reject(Object.assign(new Error('EROFS'), { code: 'EROFS', syscall: 'open' }));
    const code = await run([...APPLY], {
      ...io,
      createFile: (path, ...rest) => (path.endsWith(suffix) ? refused() : io.createFile(path, ...rest)),
      writePrivately: (path, text) => (path.endsWith(suffix) ? refused() : io.writePrivately(path, text)),
    });
    return { code, locks };
  }

  it('holds where only what is in the folder of journals can be written, such as a volume', async () => {
    expect(await refusing('.gitignore')).toEqual({ code: 0, locks: [[expect.stringContaining('.lock')]] });
  });

  it('is never missing: where it cannot be written, nothing is', async () => {
    expect(await refusing('.lock')).toEqual({ code: 1, locks: [] });
  });

  it('of another container is that of another host, though both have one name', () => {
    expect(nameOfMachine('pid:[4026531836]')).toBe(hostname());
    expect(nameOfMachine('pid:[4026532567]')).toBe(`${hostname()} (container 4026532567)`);
    expect(nodeHost().self().host).toContain(hostname());
  });

  it('is waited for', async () => {
    const { world } = await killed();
    let asked = 0;
    const alive = Object.assign([PID], { includes: () => (asked += 1) < 5 });
    const ran = await world.runWith({ alive }, 'apply', '--resume', '--wait', '30s');
    expect(ran.err).toContain(
      `Another run is in progress: process ${PID} on host here, gwconf 0.1.0, since 2026-03-01T12:00:00.000Z; waiting up to 30 seconds.\n`,
    );
    expect(verdictOf(ran)).toBe('result: applied');
    expect((await world.runWith({ env: { GWCONF_WAIT: 'soon' } }, ...APPLY)).code).toBe(64);
  });

  it('is waited for no longer than that, nor after Ctrl-C', async () => {
    const { world } = await killed();
    const ran = await world.runWith({ alive: [PID] }, 'apply', '--resume', '--wait', '30s');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    const interrupt = new AbortController();
    interrupt.abort();
    const stopped = await world.runWith({ alive: [PID], interrupt }, 'apply', '--resume', '--wait', '30s');
    expect(verdictOf(stopped)).toBe('result: interrupted');
  });

  it('is for each gateway', async () => {
    const { world } = await killed();
    const other = await serve();
    const ran = await world.runWith({ alive: [PID] }, ...APPLY, '--url', other.url);
    expect(verdictOf(ran)).toBe('result: applied');
  });

  it('whose text is not complete names its file', async () => {
    const { world } = await killed();
    const [lock = ''] = locksIn(world);
    world.write(`${FOLDER}/${lock}`, '');
    const ran = await world.run('apply', '--resume');
    expect(ran.err).toContain(`an unknown process`);
    expect(ran.err).toContain(`delete ${FOLDER}/${lock}`);
  });
});

describe('the state file of an embedded gateway', () => {
  const URL = 'embedded:state.json';
  const namesIn = (world: World): readonly string[] =>
    (world.json('state.json') as { readonly resources: readonly Resource[] }).resources
      .map(({ metadata }) => metadata.name)
      .sort();

  it('has each write of each of several runs without a journal that says it was made', async () => {
    const names = ['a', 'b', 'c'];
    const files = names.map((name) => [
      `${name}.yaml`,
      [1, 2, 3].map((at) => cluster(`${name}${at}`)).join('---\n'),
    ]);
    const world = makeWorld(Object.fromEntries(files) as Record<string, string>);
    const all = await Promise.all(
      names.map((name) => {
        const args = [
          'apply',
          '-f',
          `${name}.yaml`,
          '--yes',
          '--url',
          URL,
          '--journal',
          'none',
          '-o',
          'json',
        ];
        return world.runWith({ alive: [PID] }, ...args);
      }),
    );
    const done = all.flatMap(({ out }) => {
      const { ledger } = JSON.parse(out) as { ledger: readonly { address: string; outcome: string }[] };
      return ledger.flatMap(({ address, outcome }) => (outcome === 'done' ? [address.split('/')[1]] : []));
    });
    expect(namesIn(world)).toEqual(done.sort());
    expect(done.length).toBeGreaterThan(0);
    const losers = all.filter((ran) => verdictOf(ran) !== 'result: applied');
    expect(losers.length).toBeGreaterThan(0);
    for (const { err } of losers)
      expect(err).toMatch(
        /another process (?:writes|has written) the state file state\.json.*; nothing was saved/,
      );
    expect(readdirSync(world.folder).filter((name) => name.includes('.lock'))).toEqual([]);
  });

  it('of a process that was killed is free', async () => {
    const holder = { id: 'x', pid: 1, host: 'here', tool: 'gwconf 0.1.0', at: '2026-03-01T12:00:00.000Z' };
    const world = makeWorld({ 'a.yaml': cluster('a'), 'state.json.lock': JSON.stringify(holder) });
    const ran = await world.runWith({ alive: [PID] }, ...APPLY, '--url', URL);
    expect([verdictOf(ran), namesIn(world)]).toEqual(['result: applied', ['a']]);
  });
});

describe('a process', () => {
  it('is known by its number and its start', () => {
    const { pid, startTime = '' } = nodeHost().self();
    expect(isAlive({ pid: 2 ** 30 })).toBe(false);
    if (startTime === '') {
      expect(isAlive({ pid })).toBe(false);
      return;
    }
    expect([isAlive({ pid, startTime }), isAlive({ pid, startTime: `${startTime}0` })]).toEqual([
      true,
      false,
    ]);
  });

  it('makes a file that is not there, and no other', () => {
    const { folder } = makeWorld();
    const path = join(folder, 'a/b');
    expect([createFile(path, 'x', folder), createFile(path, 'y', folder), existsSync(path)]).toEqual([
      true,
      false,
      true,
    ]);
  });
});
