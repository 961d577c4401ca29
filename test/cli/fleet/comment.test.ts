import { describe, expect, it } from 'vitest';
import { makeWorld, wrongUsage, type World } from '../../support/cli.ts';
import { all, alias, cluster } from '../../support/documents.ts';

/** Reports of two environments that were planned in jobs of their own, and one of both. */
async function planned(): Promise<World> {
  const of = (name: string): string =>
    `  ${name}: { gateway: { url: "embedded:${name}.json" }, files: [all.yaml] }\n`;
  const world = makeWorld({
    'gwconf.yaml': `apiVersion: gwconf/v1\nkind: Project\nenvironments:\n${of('one')}${of('two')}`,
    'all.yaml': all(cluster('prod'), alias('orders', 'orders-v1', 'prod')),
  });
  for (const name of ['one', 'two']) await world.run('plan', '--env', name, '-o', `json=${name}.report`);
  await world.run('plan', '--env', '*', '-o', 'json=both.report');
  return world;
}

describe('a comment on several environments', () => {
  it('is the same of a run over all and of the reports of its jobs', async () => {
    const world = await planned();
    const both = await world.run('comment', 'both.report', '--dry-run');
    expect(both.out).toContain('Plan for 2 environments: changes in 2');
    expect(both.out).toContain('### The same in all 2 environments');
    const gathered = await world.run('comment', 'one.report', 'two.report', '--together', '--dry-run');
    expect(gathered).toEqual(both);
    const apart = await world.run('comment', 'one.report', 'two.report', '--dry-run');
    expect(apart.out.match(/^### /gm)).toHaveLength(2);
  });

  it('says which environments have no report, or were not expected', async () => {
    const world = await planned();
    const run = (expected: string, ...files: readonly string[]) =>
      world.run('comment', ...files, '--together', '--dry-run', '--expect', expected);
    const whole = await run('two, one', 'one.report', 'two.report');
    expect(whole).toEqual(await world.run('comment', 'both.report', '--dry-run'));
    const less = await run('one,two,three', 'one.report', 'two.report');
    expect(less.out).toContain('there is no report of three');
    expect(less.out).toMatch(/^### 🛑/m);
    const other = await run('one', 'one.report', 'two.report');
    expect(other.out).toContain('there is a report of two, which is not expected');
    expect((await run('one,', 'one.report')).err).toBe(
      wrongUsage("expected names of environments after --expect; found 'one,'"),
    );
    expect((await world.run('comment', 'one.report', '--expect', 'one', '--dry-run')).err).toBe(
      wrongUsage('--expect is for --together: name that, too'),
    );
  });

  it('says which environments that saved plans were made with have none', async () => {
    const world = await planned();
    await world.run('plan', '--env', '*', '--out', 'plans');
    const of = async (...plans: readonly string[]): Promise<string> =>
      (await world.run('comment', ...plans, '--together', '--dry-run')).out;
    expect(await of('plans/one.plan.json')).toContain('there is no report of two');
    expect(await of('plans/one.plan.json', 'plans/two.plan.json')).not.toContain('no report');
    expect(await of('plans/one.plan.json', 'two.report')).not.toContain('no report');
  });

  it('is about one command, and about each environment once', async () => {
    const world = await planned();
    const run = async (...files: readonly string[]): Promise<string> =>
      (await world.run('comment', ...files, '--together', '--dry-run')).err;
    expect(await run('both.report', 'two.report')).toBe(
      wrongUsage('two.report is about two, as another file is: leave out one of them'),
    );
    await world.run('drift', '--env', 'two', '-o', 'json=drift.report');
    expect(await run('one.report', 'drift.report')).toBe(
      wrongUsage('--together takes reports of one command; found some of plan and of drift'),
    );
    await world.run('validate', 'all.yaml', '-o', 'json=valid.report');
    expect(await run('valid.report')).toBe(
      wrongUsage('valid.report does not say its environment: make it with --env, or leave out --together'),
    );
  });
});
