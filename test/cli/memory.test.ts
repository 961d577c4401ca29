import { describe, expect, it } from 'vitest';
import { makeWorld, verdictOf } from '../support/cli.ts';
import { cluster } from '../support/documents.ts';
import { resource } from '../support/kinds.ts';
import { serve, worldBeside } from '../support/served.ts';

describe('input that does not fit in memory is an error before it is taken apart:', () => {
  const names = Array.from({ length: 20 }, (_, at) => `cluster-${at}`);

  it('files', async () => {
    const world = makeWorld({ 'a.yaml': names.map((name) => cluster(name)).join('---\n') });
    const ran = await world.runWith({ heapLimitBytes: 70_005_000 }, 'validate', 'a.yaml');
    expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
    expect(ran.err).toContain(
      'error[unreadable-file]: the files and the lists of the gateway need at least 71 MB of memory, and Node.js may use 71 MB',
    );
    expect(ran.err).toContain(' = set NODE_OPTIONS=--max-old-space-size=1024, or split the files');
  });

  it('no more files are read once it is clear', async () => {
    const world = makeWorld({
      'many/a.yaml': cluster('a'),
      'many/b.yaml': cluster('b'),
      'many/c.yaml': 'no: [',
    });
    const ran = await world.runWith({ heapLimitBytes: 70_000_100 }, 'validate', 'many');
    expect(ran.err.match(/error\[/g)).toHaveLength(1);
  });

  it.each([['plan'], ['drift'], ['apply', '--yes'], ['snapshot', '--out', 'live.json']])(
    'lists: %s',
    async (...command) => {
      const there = await serve();
      await there.put(...names.map((name) => resource('VirtualCluster', { name }, { superUsers: ['boss'] })));
      const world = worldBeside(there, { 'a.yaml': cluster('a') });
      const files = command[0] === 'snapshot' ? [] : ['-f', 'a.yaml'];
      const ran = await world.runWith({ heapLimitBytes: 70_005_000 }, ...command, ...files);
      expect([ran.code, verdictOf(ran)]).toEqual([1, 'result: error']);
      expect(ran.err).toContain('the files and the lists of the gateway need at least 71 MB of memory');
      expect(there.requests.filter(({ path }) => path.endsWith('virtual-cluster'))).toHaveLength(1);
      expect(there.writes()).toEqual([]);
    },
  );
});
