import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORGES, makeJob, put, TOKEN, type Job } from '../support/forge/jobs.ts';
import { planReport } from '../support/forge/reports.ts';
import { makeWorld, verdictOf, wrongUsage } from '../support/cli.ts';
import { alias } from '../support/documents.ts';

describe.each(FORGES)('gwconf comment on $name', (sort) => {
  const { me, marker, right } = sort;
  const prod = marker('gwconf environment=prod');

  it('creates a comment, leaves it alone while it is right, and updates it', async () => {
    const { forge, world, run } = await makeJob(sort);
    const first = await run('report.json');
    expect(first).toMatchObject({ code: 0, err: 'result: commented\n' });
    expect(first.out).toMatch(/^prod: comment created/);
    expect(forge.comments).toHaveLength(1);
    const [{ author, body } = { author: '', body: '' }] = forge.comments;
    expect(author).toBe(me);
    expect(body.startsWith(`${prod}\n\n### `)).toBe(true);
    expect(body).toContain('Plan for prod: 2 to create');
    expect(body).toMatch(/Commit `0123456789ab` · \[run\]\(https:\/\/\S+77\/?\)\n$/);

    const writes = forge.writes().length;
    forge.comments.forEach((comment) => (comment.body = comment.body.replaceAll('\n', '\r\n').trim()));
    world.env['GITHUB_RUN_ID'] = world.env['BITBUCKET_BUILD_NUMBER'] = '78'; // a second run for the same commit
    const second = await run('report.json');
    if (sort.name === 'Bitbucket Cloud') {
      // An access token learns who it is by a comment, which it deletes again.
      expect(forge.writes().slice(writes).map(verbOf)).toEqual(['POST', 'DELETE']);
    } else {
      expect(second).toMatchObject({ code: 0, err: 'result: unchanged\n' });
      expect(forge.writes()).toHaveLength(writes);
    }

    put(world, planReport(3, { environment: 'prod' }));
    expect((await run('report.json')).out).toMatch(/^prod: comment updated/);
    expect(forge.comments).toHaveLength(1);
    expect(forge.comments[0]?.body).toContain('3 to create');
    expect(forge.faults).toEqual([]);
  });

  it('finds its comment behind pages of others, and leaves those alone', async () => {
    const { forge, run } = await makeJob(sort);
    for (let at = 0; at < 130; at += 1) forge.add('alice', `comment ${at}`);
    const own = forge.add(me, `${prod}\n\nold`);
    for (let at = 0; at < 130; at += 1) forge.add('bob', `more ${at}`);
    expect((await run('report.json')).code).toBe(0);
    expect(own.body).toContain('2 to create');
    expect(forge.comments.filter(({ body }) => body.includes('gwconf'))).toEqual([own]);
    expect(forge.faults).toEqual([]);
  });

  it('leaves one comment when two jobs begin at once', async () => {
    const { forge, world } = await makeJob(sort);
    put(world, planReport(5, { environment: 'prod' }), 'other.json');
    // Both have listed the comments before either creates one.
    let waiting: (() => void)[] = [];
    forge.intercept(async ({ method, path }) => {
      if (method !== 'POST' || path.endsWith('graphql')) return undefined;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length < 2) return;
        for (const go of waiting) go();
        waiting = [];
      });
      return undefined;
    });
    const jobs = ['report.json', 'other.json'].map((path) =>
      world.run('comment', path, '--api-url', forge.api),
    );
    expect((await Promise.all(jobs)).map(({ code }) => code)).toEqual([0, 0]);
    expect(forge.comments).toHaveLength(1);
    expect(forge.comments[0]?.body).toMatch(/[25] to create/);
    expect(forge.faults).toEqual([]);
  });

  it('leaves the oldest where there are several', async () => {
    const { forge, run } = await makeJob(sort);
    const oldest = forge.add(me, `${prod}\n\nold`);
    const other = forge.add(me, `${marker('gwconf environment=production')}\n\nold`);
    forge.add(me, `${prod}\n\nnewer`);
    await run('report.json');
    expect(forge.comments).toEqual([oldest, other]);
    expect(oldest.body).toContain('2 to create');
    expect(other.body).toContain('old');
  });

  it('reads again when its comment was deleted or changed in between', async () => {
    const { forge, run } = await makeJob(sort);
    const own = forge.add(me, `${prod}\n\nold`);
    let isFirst = true;
    forge.intercept(({ method }) => {
      if (!['PUT', 'PATCH'].includes(method) || !isFirst) return undefined;
      isFirst = false;
      if (sort.name === 'Bitbucket Data Center') own.version += 1;
      else forge.comments.splice(0, 1);
      return undefined;
    });
    expect((await run('report.json')).code).toBe(0);
    expect(forge.comments).toHaveLength(1);
    expect(forge.comments[0]?.body).toContain('2 to create');
  });

  it('creates no second comment after an answer that got lost', async () => {
    const { forge, run } = await makeJob(sort);
    let isFirst = true;
    forge.intercept((request) => {
      if (request.method !== 'POST' || sort.api.isRead?.(request) === true || !isFirst) return undefined;
      isFirst = false;
      const who = forge.tokens.get(TOKEN);
      sort.api.answer(request, forge, who); // it is done
      return { status: 502, cut: true };
    });
    expect((await run('report.json')).code).toBe(0);
    expect(forge.comments).toHaveLength(1);
  });

  it('gets over failures that pass', async () => {
    const { forge, run } = await makeJob(sort);
    const limit =
      sort.name === 'GitHub'
        ? { status: 403, data: { message: 'You have exceeded a secondary rate limit.' } }
        : { status: 429, data: { message: 'Too many' }, headers: { 'retry-after': '7' } };
    let count = 0;
    forge.intercept(() => {
      count += 1;
      if (count === 1) return { status: 502, data: { message: 'Bad Gateway' } };
      if (count === 3) return limit;
      return count === 5 ? { status: 0, cut: true } : undefined;
    });
    expect((await run('report.json')).code).toBe(0);
    expect(forge.comments).toHaveLength(1);
  });

  it.each(['read', 'none'] as const)('names the right that a token lacks: %s', async (rights) => {
    const { forge, run } = await makeJob(sort);
    forge.tokens.set(TOKEN, { account: me, rights });
    const { code, err } = await run('report.json');
    expect(code).toBe(1);
    expect(err).toContain(right);
    expect(err.split('\n')).toHaveLength(3);
    expect(err).toContain(sort.variable);
    expect(err).toMatch(/12/);
  });

  it('says that a token is not valid', async () => {
    const { forge, run } = await makeJob(sort);
    forge.tokens.clear();
    const { code, err } = await run('report.json');
    expect(code).toBe(1);
    expect(err).toContain(`rejects the token in ${sort.variable} for `);
  });

  it('writes one comment for each environment and project', async () => {
    const { forge, world, run } = await makeJob(sort);
    put(world, planReport(1, { environment: 'staging' }), 'staging.json');
    put(world, planReport(1), 'plain.json');
    const { out } = await run('report.json', 'staging.json', 'plain.json');
    expect(out.split('\n').map((line) => line.split(':')[0])).toEqual(['prod', 'staging', 'gwconf', '']);
    await run('report.json', '--name', 'payments -->');
    await run('report.json', '--name', 'payments -->');
    expect(forge.comments.map(({ body }) => body.split('\n')[0])).toEqual([
      prod,
      marker('gwconf environment=staging'),
      marker('gwconf'),
      marker('gwconf name=payments%20%2d%2d%3E environment=prod'),
    ]);
    expect(forge.comments.at(-1)?.body).toContain('Project `payments -->`');
  });

  it('stays silent while there is nothing to do, unless there is a comment', async () => {
    const { forge, world, run } = await makeJob(sort);
    put(world, planReport(0, { environment: 'prod' }), 'nothing.json');
    expect(await run('nothing.json')).toMatchObject({ code: 0, err: 'result: unchanged\n' });
    expect(forge.writes()).toEqual([]);
    expect((await run('nothing.json', '--when-empty', 'delete')).code).toBe(0);
    expect(forge.comments).toEqual([]);
    expect((await run('nothing.json', '--when-empty', 'create')).out).toMatch(/comment created/);
    put(world, planReport(2, { environment: 'prod' }));
    await run('report.json');
    await run('nothing.json');
    expect(forge.comments.map(({ body }) => /no changes/.test(body))).toEqual([true]);
    expect((await run('nothing.json', '--when-empty', 'delete')).out).toMatch(/comment deleted/);
    expect(forge.comments).toEqual([]);
  });

  it('fits the largest report into what the forge takes', async () => {
    const { forge, world, run } = await makeJob(sort);
    const most = { GitHub: 65_536, GitLab: 1_000_000 }[sort.name] ?? 32_000;
    put(world, planReport(Math.ceil(most / 100), { environment: 'prod' }));
    expect((await run('report.json')).code).toBe(0);
    const length = Buffer.byteLength(forge.comments[0]?.body ?? '');
    expect(length).toBeLessThanOrEqual(most);
    expect(length).toBeGreaterThan(most / 2);
  });
});

function verbOf(write: string): string {
  return write.split(' ')[0] ?? '';
}

describe('gwconf comment', () => {
  const [first] = FORGES;
  if (first === undefined) throw new Error('there is a forge');
  const job = (): Promise<Job> => makeJob(first);

  it('takes a saved plan', async () => {
    const { forge, world, run } = await job();
    world.env['GWCONF_URL'] = 'embedded:state.json';
    world.write('topics.yaml', alias('orders'));
    await world.run('plan', 'topics.yaml', '--out', 'plan.json');
    expect(await run('plan.json')).toMatchObject({ code: 0, err: 'result: commented\n' });
    expect(forge.comments[0]?.body).toContain('AliasTopic/orders');
    world.write('plan.json', world.read('plan.json').replaceAll('orders-v1', 'orders-v2'));
    const { code, err } = await run('plan.json');
    expect([code, err]).toEqual([1, expect.stringContaining('was altered after it was made')]);
  });

  it('keeps what it said before, folded, as far as there is room', async () => {
    const { forge, world, run } = await job();
    for (const count of [1, 2, 3]) {
      put(world, planReport(count, { environment: 'prod' }));
      expect((await run('report.json', '--keep-earlier')).code).toBe(0);
    }
    const parts = forge.comments[0]?.body.split('<!-- gwconf earlier -->') ?? [];
    expect(parts.map((part) => /(\d) to create/.exec(part)?.[1])).toEqual(['3', '2', '1']);
    expect(
      parts.slice(1).every((part) => part.trim().startsWith('<details><summary>Earlier</summary>')),
    ).toBe(true);
    const writes = forge.writes().length;
    await run('report.json', '--keep-earlier');
    expect(forge.writes()).toHaveLength(writes);

    put(world, planReport(900, { environment: 'prod' }));
    await run('report.json', '--keep-earlier');
    put(world, planReport(901, { environment: 'prod' }));
    await run('report.json', '--keep-earlier');
    const body = forge.comments[0]?.body ?? '';
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(65_536);
    expect(body).not.toContain('900 to create');
    put(world, planReport(1, { environment: 'prod' }));
    await run('report.json');
    expect(forge.comments[0]?.body).not.toContain('Earlier');
  });

  it('prints comments instead of writing them', async () => {
    const { forge, run } = await job();
    const { code, out, err } = await run('report.json', '--dry-run');
    expect({ code, err }).toEqual({ code: 0, err: 'result: ok\n' });
    expect(out).toMatch(/^<!-- gwconf environment=prod -->\n\n### /);
    expect(forge.requests).toEqual([]);
  });

  it('takes the environment from --env, for reports that have none', async () => {
    const { forge, world, run } = await job();
    put(world, planReport(1));
    await run('report.json', '--env', 'prod');
    expect(forge.comments[0]?.body).toMatch(/^<!-- gwconf environment=prod -->\n\n### .* for prod/);
  });

  it('reads the token from a file, and the number from the event', async () => {
    const { forge, world, run } = await job();
    world.write('token', `${TOKEN}\n`);
    world.write('event.json', JSON.stringify({ pull_request: { number: 12 } }));
    const { GITHUB_TOKEN: _, ...env } = world.env;
    for (const name of Object.keys(world.env)) Reflect.deleteProperty(world.env, name);
    Object.assign(world.env, env, {
      ...{ GITHUB_TOKEN_FILE: 'token', GITHUB_EVENT_PATH: 'event.json', GITHUB_REF: 'refs/heads/main' },
    });
    expect((await run('report.json')).code).toBe(0);
    expect(forge.comments).toHaveLength(1);
  });

  it('does not wait for an event that is a pipe', async () => {
    const { forge, world, run } = await job();
    put(world, planReport(1));
    execFileSync('mkfifo', [join(world.folder, 'event')]);
    Object.assign(world.env, { GITHUB_EVENT_PATH: 'event' });
    expect((await run('report.json')).code).toBe(0);
    expect(forge.comments).toHaveLength(1);
  });

  const bare = { GITHUB_REPOSITORY: 'acme/gateway', GITHUB_TOKEN: TOKEN };
  it.each<readonly [string, Readonly<Record<string, string>>, readonly string[], string]>([
    [
      'a job for no pull request',
      bare,
      [],
      'this job is not for a pull request; run it for pull requests only, or name one with --pull-request',
    ],
    [
      'no token',
      { ...bare, GITHUB_TOKEN: '' },
      ['--pull-request', '12'],
      'there is no token for github: set GITHUB_TOKEN or GH_TOKEN, or GITHUB_TOKEN_FILE',
    ],
    [
      'a token of two lines',
      { ...bare, GITHUB_TOKEN: 'a\nb' },
      ['--pull-request', '12'],
      'the token in GITHUB_TOKEN is empty, or has characters that no token has',
    ],
    [
      'plain http to another machine',
      { ...bare, GITHUB_API_URL: 'http://git.example/api/v3' },
      ['--pull-request', '12'],
      'the token would be sent to git.example without encryption; use https in --api-url',
    ],
    [
      'a URL with a password',
      bare,
      ['--pull-request', '12', '--api-url', 'https://bob:Kanarienvogel@git.example'],
      'expected the URL of the API (--api-url) to be like https://forge.example/api/v3',
    ],
    [
      'something else as the pull request',
      bare,
      ['--pull-request', '#12'],
      'expected --pull-request to be the address of a pull request, or its number; found #12',
    ],
    [
      'a number without a repository',
      { GITHUB_TOKEN: TOKEN },
      ['--pull-request', '12'],
      'the job does not tell its repository; use the address as --pull-request',
    ],
    [
      'the same environment twice',
      bare,
      ['--pull-request', '12', 'same.json'],
      'same.json is for the same comment as another file: prod; comment on each in a command with its own --name',
    ],
    [
      'earlier plans where nothing can be folded',
      { BITBUCKET_TOKEN: TOKEN },
      ['--pull-request', 'https://bitbucket.org/a/b/pull-requests/1', '--keep-earlier'],
      '--keep-earlier needs a forge that can fold text, which Bitbucket cannot',
    ],
    [
      'a file that is not there',
      bare,
      ['--pull-request', '12', 'no.json'],
      'no.json cannot be read: no such file or folder',
    ],
  ])('says so without a request: %s', async (_, env, args, sentence) => {
    const world = makeWorld();
    put(world, planReport(1, { environment: 'prod' }));
    put(world, planReport(2, { environment: 'prod' }), 'same.json');
    const ran = await world.runWith({ env }, 'comment', 'report.json', ...args);
    expect(ran).toEqual({ code: 64, out: '', err: wrongUsage(sentence), questions: [] });
  });

  it('says in a sentence that a file is no report', async () => {
    const { world, run } = await job();
    world.write('report.json', '{"format": "gwconf/plan-report@1"}');
    const ran = await run('report.json');
    expect(ran.code).toBe(1);
    expect(ran.err).toContain('error[unreadable-file]: report.json has not the shape of its format');
    expect(verdictOf(ran)).toBe('result: error');
  });

  it('explains the token of a pull request from a fork', async () => {
    const { forge, run } = await job();
    forge.tokens.set(TOKEN, { account: 'github-actions[bot]', rights: 'read' });
    const { err } = await run('report.json');
    expect(err).toContain('(403): Resource not accessible by integration');
    expect(err).toContain('for a pull request from a fork GitHub makes a token that only reads');
  });

  it('asks with user and password where BITBUCKET_USERNAME is set', async () => {
    const cloud = FORGES.find(({ name }) => name === 'Bitbucket Cloud');
    const { forge, world, run } = await makeJob(cloud ?? first);
    world.env['BITBUCKET_USERNAME'] = 'bot@acme.example';
    await run('report.json');
    await run('report.json');
    expect(forge.writes().map(verbOf)).toEqual(['POST']);
  });

  it('tells the account of a token that cannot ask for it, and takes it from a variable', async () => {
    const cloud = FORGES.find(({ name }) => name === 'Bitbucket Cloud') ?? first;
    const { forge, world, run } = await makeJob(cloud);
    expect((await run('report.json')).err).toBe('result: commented\n');
    const { err } = await run('report.json');
    const [, account = ''] =
      /^The token is that of (\S+), as a comment showed; set BITBUCKET_ACCOUNT to it\.$/m.exec(err) ?? [];
    world.env['BITBUCKET_ACCOUNT'] = account;
    const before = forge.requests.length;
    expect((await run('report.json')).err).toBe('result: unchanged\n');
    expect(forge.requests.slice(before).map(({ method }) => method)).toEqual(['GET']);
  });

  it('names no variable of another forge where that does not tell who it is', async () => {
    const { forge, run } = await job();
    await run('report.json');
    forge.intercept(({ path }) =>
      path.endsWith('/graphql') ? { status: 200, data: { errors: [{ type: 'FORBIDDEN' }] } } : undefined,
    );
    expect((await run('report.json')).err).toMatch(/^The token is that of \S+, as a comment showed\.\n/);
  });

  it('asks once who it is for all comments', async () => {
    const { forge, world, run } = await job();
    put(world, planReport(1, { environment: 'staging' }), 'staging.json');
    await run('report.json', 'staging.json');
    expect(forge.requests.filter(({ path }) => path.endsWith('/graphql'))).toHaveLength(1);
  });
});
