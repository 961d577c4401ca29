import { describe, expect, it } from 'vitest';
import { commandLine } from '../../../src/cli/present/command-line.ts';
import { makeWorld, verdictOf } from '../../support/cli.ts';
import { LOGIN, serve } from '../../support/served.ts';
import { projectOf } from '../../support/documents.ts';

const CLUSTERS = ['one', 'two', 'three']
  .map(
    (name) =>
      `apiVersion: gateway/v2\nkind: VirtualCluster\nmetadata: { name: ${name} }\nspec: { superUsers: [boss] }\n`,
  )
  .join('---\n');

describe('a command that is printed to be pasted', () => {
  it('repeats the flags that led to gateway, project, journal and secrets, and no other', () => {
    const args = { url: 'https://gw:8888', env: 'prod', allowExec: true, keepGoing: true, yes: true };
    expect(commandLine(['undo'], args)).toBe('gwconf undo --env prod --url https://gw:8888 --allow-exec');
  });

  it('quotes what a shell would take apart', () => {
    expect(commandLine(['apply', "p lan'.json"], { journal: 'my $HOME' })).toBe(
      String.raw`gwconf apply 'p lan'\''.json' --journal 'my $HOME'`,
    );
  });

  it('leaves values to be filled in that may be secret', () => {
    const args = {
      url: 'https://ann:canary@gw',
      header: ['Authorization: canary'],
      proxy: 'http://ann:canary@proxy',
    };
    expect(commandLine(['undo'], args)).toBe("gwconf undo --url '…' --header '…' --proxy '…'");
    expect(commandLine(['undo'], { url: 'embedded:a@b' })).toBe('gwconf undo --url embedded:a@b');
  });

  it('goes on with an interrupted run whose journal is elsewhere', async () => {
    const there = await serve();
    const world = makeWorld({ 'a.yaml': CLUSTERS });
    Object.assign(world.env, LOGIN);
    const interrupt = new AbortController();
    there.onRequest(({ method }) => {
      if (method === 'PUT') interrupt.abort();
    });
    const place = ['--url', there.url, '--journal', 'my-journal'];
    const cut = await world.runWith(
      { interrupt },
      ...['apply', '-f', 'a.yaml', ...place, '--yes', '--parallelism', '1'],
    );
    expect(verdictOf(cut)).toBe('result: interrupted');
    const printed = /^Resume this run: gwconf (.*)$/m.exec(cut.err)?.[1] ?? '';
    const resumed = await world.run(...printed.split(' '));
    expect(verdictOf(resumed)).toBe('result: applied');
    expect(resumed.err).toMatch(/^Undo this run: gwconf undo 0001-\S+ --url \S+ --journal my-journal$/m);
    expect(await there.list('VirtualCluster')).toHaveLength(3);
  });

  it('applies a saved plan of the same environment', async () => {
    const world = makeWorld({
      'a.yaml': CLUSTERS,
      'gwconf.yaml': projectOf({
        test: 'gateway: { url: "embedded:t.json" }, files: [a.yaml]',
        prod: 'gateway: { url: "embedded:p.json" }, files: [a.yaml]',
      }),
    });
    const { err } = await world.run('plan', '--env', 'prod', '--out', 'p.json');
    expect(err).toContain('Apply it with: gwconf apply p.json --env prod\n');
  });

  it('stands in an HTML page with day and commit, but for what may be secret', async () => {
    const world = makeWorld({ 'a.yaml': CLUSTERS });
    const ran = await world.runWith(
      { env: { GITHUB_REPOSITORY: 'o/r', GITHUB_SHA: 'abc123' } },
      ...[
        'plan',
        '-f',
        'a.yaml',
        '--url',
        'embedded:',
        '--header',
        'x: canary',
        '--header=y: canary',
        '-o',
        'html=a.html',
      ],
    );
    expect(ran.code, ran.err).toBe(0);
    const page = world.read('a.html');
    expect(page).not.toContain('canary');
    expect(page).toContain('2026-03-01 by gwconf');
    expect(page).toContain(', of commit abc123');
    expect(page).toMatch(/<code>gwconf plan -f a\.yaml --url embedded: --header .* -o html=a\.html<\/code>/);
  });
});
