import { expect, it } from 'vitest';
import { nodeHost } from '../../src/host/node-host.ts';
import { makeWorld, type Ran } from '../support/cli.ts';
import { cluster } from '../support/documents.ts';
import { REJECTIONS, takeFewConnections } from '../support/few-connections.ts';
import { runProcess } from '../support/process.ts';
import { LOGIN, serve, type Served } from '../support/served.ts';

type Run = (
  ...args: readonly string[]
) => Promise<Pick<Ran, 'out' | 'err'> & { readonly code: number | null }>;

async function worldBefore(most: number, rejection: (typeof REJECTIONS)[number]) {
  const there = await serve();
  const before = await takeFewConnections(there.url, most, rejection);
  const names = Array.from({ length: 20 }, (_, n) => `c${n}`);
  const world = makeWorld({ 'a.yaml': names.map((name) => cluster(name)).join('---\n') });
  Object.assign(world.env, LOGIN, { GWCONF_URL: before.url });
  return { there, before, world };
}

/** Rejected connections carry nothing to the gateway, so each write arrived once. */
function expectOnce(there: Served, count: number): void {
  const kept = there.writes().filter(({ path }) => !path.includes('dryMode=true')); // those of doctor
  const writes = kept.map(({ method, path, body }) => JSON.stringify([method, path, body]));
  expect(writes).toHaveLength(count);
  expect(new Set(writes).size).toBe(count);
}

async function expectApplied(run: Run, rejection: (typeof REJECTIONS)[number]): Promise<void> {
  const planned = await run('plan', 'a.yaml', '--out', 'p.json');
  expect(planned.code, planned.err).toBe(0);
  if (rejection !== 'refused')
    expect(planned.err.match(/: reading again, with fewer calls at once\.\n/g)).toHaveLength(1);
  const applied = await run('apply', 'p.json');
  expect([applied.code, applied.out], applied.err).toEqual([0, 'Applied: 20 done.\n']);
}

it('a gateway that takes few connections is planned, applied and read, however it rejects the others', async () => {
  // All at once, since every retry waits until a connection is free. Each number with half of the ways.
  await Promise.all(REJECTIONS.map((rejection, at) => expectAll(1 + (at % 2), rejection)));
});

async function expectAll(most: number, rejection: (typeof REJECTIONS)[number]): Promise<void> {
  const { there, before, world } = await worldBefore(most, rejection);
  const run: Run = async (...args) => {
    const ran = await world.runWith({ clock: nodeHost().clock }, ...args);
    await before.idle(); // as after a process
    return ran;
  };
  await expectApplied(run, rejection);
  expect((await run('drift', 'a.yaml')).out).toContain('20 objects as declared');
  expect(await run('snapshot', '--out', 'live.json')).toMatchObject({ code: 0 });
  expect(await run('doctor')).toMatchObject({ code: 0 });
  expect(await run('undo', '--auto-approve', '--max-deletes', '20')).toMatchObject({ code: 0 });
  if (rejection !== 'refused') expect(before.rejected()).toBeGreaterThan(0);
  expectOnce(there, 40);
}

it('a process waits as long as it has to, and then plans and applies', async () => {
  const { there, world } = await worldBefore(1, 'reset');
  const place = { cwd: world.folder, env: world.env };
  await expectApplied((...args) => runProcess(place, ...args), 'reset');
  expectOnce(there, 20);
});
