import { describe, expect, it } from 'vitest';
import { makeWorld } from '../support/cli.ts';
import { cluster } from '../support/documents.ts';

const CLUSTER = cluster('prod');
const planned = ['plan', 'a.yaml', '--url', 'embedded:', '--out', 'p.plan'] as const;

describe('--explain', () => {
  it('says of plan and of show the same: why this change, why here, which line', async () => {
    const mine = makeWorld({ 'a.yaml': CLUSTER });
    const now = await mine.run(...planned, '--explain', 'VirtualCluster/prod');
    expect(now.code).toBe(0);
    expect(now.out).toMatch(/reason: +declared, but.*\n +file: +a\.yaml:1\n +position: +1 of 1, in stage 1/);
    const later = await mine.run('show', 'p.plan', '--explain', 'VirtualCluster/prod');
    expect(later.out).toBe(now.out);
  });

  it('has every format', async () => {
    const mine = makeWorld({ 'a.yaml': CLUSTER });
    const run = (format: string) => mine.run(...planned, '--explain', 'VirtualCluster/prod', '-o', format);
    expect(JSON.parse((await run('json')).out)).toMatchObject({
      format: 'gwconf/explain-report@1',
      explained: [{ action: 'create', position: 1, why: 'declared, but not on the gateway' }],
    });
    for (const format of ['markdown', 'html'])
      expect((await run(format)).out).toContain('declared, but not on the gateway');
  });

  it('of what the plan does not change is wrong usage, with the nearest that it does', async () => {
    const mine = makeWorld({ 'a.yaml': CLUSTER });
    const { code, out, err } = await mine.run(...planned, '--explain', 'VirtualCluster/prd');
    expect([code, out]).toEqual([64, '']);
    expect(err).toContain(
      'the plan changes nothing at VirtualCluster/prd; did you mean VirtualCluster/prod?',
    );
  });
});
