import { describe, expect, it } from 'vitest';
import { makeWorld } from '../support/cli.ts';
import { cluster } from '../support/documents.ts';
import { REJECTIONS, takeFewConnections } from '../support/few-connections.ts';
import { runProcess, type Ended } from '../support/process.ts';
import { LOGIN, serve } from '../support/served.ts';

/** Each number with half of the ways to reject the others. */
const CASES = REJECTIONS.map((rejection, at) => [1 + (at % 2), rejection] as const);

describe('a gateway that takes few connections', () => {
  // All at once, since every retry waits.
  it('is planned, applied and read, however it rejects the others', async () => {
    await Promise.all(CASES.map(([most, rejection]) => expectAll(most, rejection)));
  });

  async function expectAll(most: number, rejection: (typeof REJECTIONS)[number]): Promise<void> {
    const there = await serve();
    const before = await takeFewConnections(there.url, most, rejection);
    const names = Array.from({ length: 20 }, (_, n) => `c${n}`);
    const world = makeWorld({ 'a.yaml': names.map((name) => cluster(name)).join('---\n') });
    const place = { cwd: world.folder, env: { ...LOGIN, GWCONF_URL: before.url } };
    const run = (...args: readonly string[]): Promise<Ended> => runProcess(place, ...args);

    const planned = await run('plan', 'a.yaml', '--out', 'p.json');
    expect(planned.code, `${most} ${rejection}`).toBe(0);
    if (rejection !== 'refused')
      expect(planned.err.match(/: reading again, with fewer calls at once\.\n/g)).toHaveLength(1);
    expect(await run('apply', 'p.json')).toMatchObject({ code: 0, out: 'Applied: 20 done.\n' });
    expect((await run('drift', 'a.yaml')).out).toContain('20 objects as declared');
    expect(await run('snapshot', '--out', 'live.json')).toMatchObject({ code: 0 });
    expect(await run('doctor')).toMatchObject({ code: 0 });
    expect(await run('undo', '--auto-approve', '--max-deletes', '20')).toMatchObject({ code: 0 });

    if (rejection !== 'refused') expect(before.rejected()).toBeGreaterThan(0);
    // Rejected connections carry nothing to the gateway, so each write arrived once.
    const kept = there.writes().filter(({ path }) => !path.includes('dryMode=true')); // those of doctor
    const writes = kept.map(({ method, path, body }) => JSON.stringify([method, path, body]));
    expect(writes).toHaveLength(40);
    expect(new Set(writes).size).toBe(40);
  }
});
