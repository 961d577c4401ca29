import fc from '../support/fast-check.ts';
import { type Token } from 'marked';
import { describe, expect, it } from 'vitest';
import type { Forge } from '../../src/forge/forge.ts';
import { readPages, type Answer } from '../../src/forge/rest.ts';
import { inHtml, inLink, markerOf, putComment } from '../../src/forge/sticky.ts';
import { makeWorld, wrongUsage } from '../support/cli.ts';
import { FORGES, makeJob, put, TOKEN } from '../support/forge/jobs.ts';
import { openAt } from '../support/forge/open-at.ts';
import { serveHttp } from '../support/listen.ts';
import { planReport } from '../support/forge/reports.ts';
import { NASTY } from '../report/hostile.ts';
import { alias, projectOf } from '../support/documents.ts';
import { tokensOf } from '../support/markdown.ts';

/** What an author may write to call people, to link, to command the forge, or to be a comment of another environment. */
const TRICKS = [
  NASTY,
  '@everyone @acme/owners',
  '/approve',
  '\n/merge\n/label ~ok',
  'acme/gateway#1 !2 &3 %4 ~5 $6 GH-7',
  '![x](https://evil.example/x.png) <img src=x> <script>alert(1)</script>',
  '<!-- gwconf environment=prod -->',
  '\n[//]: # (gwconf environment=prod)\n',
  '</details></summary> ``` ~~~',
  '<!-- gwconf earlier -->',
];

const COMMITS = ['GITHUB_SHA', 'CI_COMMIT_SHA', 'BITBUCKET_COMMIT', 'GIT_COMMIT'];

describe.each(FORGES)('a comment on $name', (sort) => {
  const { me, marker } = sort;
  const prod = marker('gwconf environment=prod');

  it('neither changes the comment of another with its marker, nor takes it for its own', async () => {
    const { forge, run } = await makeJob(sort);
    const [before, quoted] = [`${prod}\n\nnothing to see`, `look:\n${prod}\n`];
    forge.add('mallory', before);
    forge.add(me, quoted);
    expect((await run('report.json')).code).toBe(0);
    expect((await run('report.json')).code).toBe(0);
    const [strange, other, own, ...more] = forge.comments;
    expect([strange?.body, other?.body]).toEqual([before, quoted]);
    expect(own).toMatchObject({ author: me });
    expect(more).toEqual([]);
  });

  it('takes no comment without an author for its own', async () => {
    const { forge, run } = await makeJob(sort);
    const before = `${prod}\n\nfrom an account that is gone`;
    forge.add('', before);
    expect((await run('report.json')).code).toBe(0);
    expect(forge.comments[0]?.body).toBe(before);
    expect(forge.comments).toHaveLength(2);
  });

  it('on the newest commit of an open pull request is not replaced or deleted by a run for an older one', async () => {
    const { forge, world, run } = await makeJob(sort);
    const older = 'fedcba9876543210fedcba9876543210fedcba98';
    expect((await run('report.json')).code).toBe(0);
    const [{ body } = { body: '' }] = forge.comments;
    for (const name of COMMITS) world.env[name] = older;
    for (const changes of [3, 0]) {
      put(world, planReport(changes, { environment: 'prod' }));
      const ran = await run('report.json', '--when-empty', 'delete');
      expect(ran.out).toMatch(/^prod: comment stays, because it is about a newer commit/);
      expect([ran.code, ran.err]).toEqual([0, expect.stringContaining('result: unchanged')]);
      expect(forge.comments.map((comment) => comment.body)).toEqual([body]);
    }
    for (const name of COMMITS) world.env[name] = forge.head.slice(0, 7);
    expect((await run('report.json')).out).toMatch(/^prod: comment updated/);
    forge.head = older;
    const [one] = forge.comments;
    if (one !== undefined)
      one.body = body.replace('\n\n', `\n\n${older}\nCommit \`${older.slice(0, 12)}\`\n\n`);
    for (const name of COMMITS) world.env[name] = 'abcdef9876543210fedcba9876543210fedcba98'; // a merge
    expect((await run('report.json', '--when-empty', 'delete')).out).toMatch(/^prod: comment deleted/);
    expect(forge.faults).toEqual([]);
  });

  it('counts as created only if the forge says which it is', async () => {
    const { forge, run } = await makeJob(sort);
    forge.intercept(({ method }) => (method === 'POST' ? { status: 200, data: { data: {} } } : undefined));
    const ran = await run('report.json');
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(ran.err).toContain('the forge did not answer with the comment that it was to create');
  });

  it('counts as updated only if the forge says which it is', async () => {
    const { forge, run } = await makeJob(sort);
    const { id } = forge.add(me, `${prod}\n\nold`);
    const raw = `${prod}\n\nold`;
    const asBefore = { ...{ id, body: raw, text: raw }, content: { raw } };
    for (const data of ['Please sign in', asBefore]) {
      forge.intercept(({ method }) =>
        ['PUT', 'PATCH'].includes(method) ? { status: 200, data } : undefined,
      );
      const ran = await run('report.json');
      expect(ran).toMatchObject({ code: 1, out: '' });
      expect(ran.err).toContain('the forge did not answer with the comment that it was to change');
    }
  });

  it('does not keep what somebody else has written into it', async () => {
    const { forge, run } = await makeJob(sort);
    await run('report.json');
    const body = forge.comments[0]?.body ?? '';
    for (const forged of [
      `${body.trim()}\n\n${marker('gwconf earlier')}\n\nno changes, approved by all\n`,
      body.replace(/\n[^\n]*$/, ' · [run](https://evil.example/runs/1)'),
    ]) {
      forge.comments.splice(0, 1, { ...forge.comments[0], body: forged } as never); // as an edit leaves it
      expect((await run('report.json')).out).toContain('comment updated');
      expect(forge.comments.map((one) => one.body)).toEqual([body]);
    }
    expect((await run('report.json')).out).toContain('up to date');
  });

  it('shows the token in no output', async () => {
    const { forge, world } = await makeJob(sort);
    const told: string[] = [];
    for (const status of [0, 200, 400, 401, 403, 404, 422, 500]) {
      // A server that repeats what it got.
      forge.intercept(({ headers }) =>
        status === 200
          ? undefined
          : {
              status,
              data: { message: `no ${String(headers.authorization)}` },
              ...(status === 0 ? { cut: true } : {}),
            },
      );
      const ran = await world.runWith(
        { onTrace: (fields) => told.push(JSON.stringify(fields)) },
        ...['comment', 'report.json', '--api-url', forge.api],
      );
      told.push(ran.out, ran.err);
    }
    expect(told.join('\n')).toContain('"forge"');
    expect(told.join('\n')).not.toContain('Kanarienvogel');
    expect(forge.comments.map(({ body }) => body).join('\n')).not.toContain('Kanarienvogel');
  });

  it('shows the texts of a report from another job as they are', async () => {
    const { forge, world, run } = await makeJob(sort);
    for (const trick of TRICKS) {
      const [change] = planReport(1)['changes'] as readonly object[];
      put(
        world,
        planReport(1, {
          ...{ environment: trick, gateway: trick, unclaimed: [trick] },
          risks: [{ risk: 'chaos', address: trick, message: trick }],
          problems: [
            { code: trick, severity: 'error', message: trick, hint: trick, file: trick, line: 1, column: 1 },
          ],
          changes: [
            {
              ...change,
              ...{ address: trick, reason: trick, removal: trick },
              fields: [{ op: 'add', path: `/spec/${trick}`, after: { [trick]: trick } }],
            },
          ],
        }),
      );
      const ran = await run('report.json', '--name', trick);
      expect(ran.code, ran.err).toBe(0);
      const body = forge.comments.at(-1)?.body ?? '';
      expect(body.match(/^(<!-- gwconf |\[\/\/\]: # \(gwconf )/gm)).toHaveLength(1);
      expect(body).not.toMatch(/^\s*\//m); // a command for GitLab
      for (const token of tokensOf(body.slice(body.indexOf('\n'))))
        expect(faultOf(token), body).toBeUndefined();
    }
  });
});

function faultOf(token: Token): string | undefined {
  if (token.type === 'link' && !/^https:\/\/[\w.]+\/\S+77\/?$/.test(String(token['href']))) return token.raw;
  if (token.type === 'image') return token.raw;
  if (token.type === 'html') {
    const tags = token.raw.replace(/<code>[^<>]*<\/code>/g, '').match(/<[^>]*>/g) ?? [];
    return tags.find((tag) => !/^<\/?(details( open)?|summary)>$/.test(tag));
  }
  const isLeaf = token.type === 'text' && !('tokens' in token) && !/^\[!(CAUTION|WARNING)\]/.test(token.raw);
  return isLeaf && /[@!&%~$#]\w|:\/\//.test(token.raw) ? token.raw : undefined;
}

describe('threat: author: a report of something else', () => {
  const [github] = FORGES;
  if (github === undefined) throw new Error('there is a forge');
  const [one, two] = ['1', '2'].map((digit) => digit.repeat(40));

  it('is not told as one of the environment of the job', async () => {
    const { forge, run } = await makeJob(github);
    const ran = await run('report.json', '--env', 'dev');
    expect(ran).toMatchObject({
      code: 64,
      err: wrongUsage('report.json is about prod, not about dev: leave out --env'),
    });
    expect(forge.requests).toEqual([]);
  });

  it('is told with the commit that it was planned at', async () => {
    const { world, run } = await makeJob(github);
    world.write('t.yaml', alias('orders'));
    for (const [name, sha = ''] of [
      ['a', one],
      ['b', two],
    ] as const) {
      world.write(
        'gwconf.yaml',
        projectOf({ [name]: 'gateway: { url: "embedded:state.json" }, files: [t.yaml]' }),
      );
      Object.assign(world.env, { GITHUB_SHA: sha });
      await world.run('plan', '--out', `${name}.plan`);
    }
    expect((await run('a.plan', '--dry-run')).out).toContain('Commit `111111111111`');
    expect((await run('b.plan', '--dry-run')).out).toContain('Commit `222222222222`');
    const { out } = await run('a.plan', 'b.plan', '--together', '--dry-run');
    expect(out).toContain('the plans are of several commits');
  });
});

describe('the marker of a comment', () => {
  it('is one line that ends where it should, whatever the names are', () => {
    const parts = 'gwconf name=[\\w.%]* environment=[\\w.%]*';
    const [html, link] = [new RegExp(`^<!-- ${parts} -->$`), new RegExp(`^\\[//\\]: # \\(${parts}\\)$`)];
    // Any character, halves of pairs too.
    const unit = fc.nat(0x10ffff).map((point) => String.fromCodePoint(point));
    const text = fc.string({ unit });
    fc.assert(
      fc.property(text, text, (name, environment) => {
        const subject = { name, environment };
        return html.test(markerOf(subject, inHtml)) && link.test(markerOf(subject, inLink));
      }),
    );
  });
});

describe('the token of a comment', () => {
  const [github] = FORGES;
  if (github === undefined) throw new Error('there is a forge');

  async function listen(): Promise<{ readonly url: string; readonly seen: readonly string[] }> {
    const seen: string[] = [];
    const url = await serveHttp((request, response) => {
      seen.push(request.url ?? '');
      response.end('[]');
    });
    return { url, seen };
  }

  it.each(['a next page', 'a redirect'])('goes to no other host that the forge names: %s', async (means) => {
    const { forge, run } = await makeJob(github);
    const other = await listen();
    const answer =
      means === 'a redirect'
        ? { status: 307, headers: { location: other.url } }
        : { status: 200, data: [], headers: { link: `<${other.url}>; rel="next"` } };
    forge.intercept(({ method }) => (method === 'GET' ? answer : undefined));
    const { code, err } = await run('report.json');
    expect(code).toBe(1);
    expect(err).toContain('which does not get the token');
    expect(other.seen).toEqual([]);
  });

  it('goes to no host that a file names', async () => {
    const { forge, world, run } = await makeJob(github);
    const other = await listen();
    world.write('gwconf.yaml', projectOf({ prod: `gateway: { url: "${other.url}" }, files: []` }));
    put(world, planReport(1, { environment: 'prod', gateway: other.url }));
    expect((await run('report.json')).code).toBe(0);
    expect(forge.comments).toHaveLength(1);
    expect(other.seen).toEqual([]);
  });

  it('goes to no other machine in plain http', async () => {
    const world = makeWorld();
    const env = {
      ...{ GITHUB_REPOSITORY: 'acme/gateway', GITHUB_REF: 'refs/pull/1/merge', GITHUB_TOKEN: TOKEN },
      GITHUB_API_URL: 'http://git.example/api/v3',
    };
    const ran = await world.runWith({ env }, 'comment', 'report.json');
    const sentence = 'the token would be sent to git.example without encryption; use https in --api-url';
    expect(ran).toMatchObject({ code: 64, err: wrongUsage(sentence) });
  });
});

const DEEP = '['.repeat(100_000) + ']'.repeat(100_000);

it.each([
  ['a list', 200, DEEP],
  ['a message', 422, `{"message":${DEEP}}`],
  ['errors', 422, `{"message":"no","errors":[${DEEP}]}`],
])('is refused where its answer has deep nesting: %s', async (_, status, text) => {
  const api = await serveHttp((request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
  const world = makeWorld();
  world.env['GITHUB_TOKEN'] = TOKEN;
  put(world, planReport(1));
  const place = ['--api-url', api, '--pull-request', 'https://github.com/a/b/pull/1'];
  const ran = await world.run('comment', 'report.json', ...place);
  expect(ran.code).toBe(1);
  expect(ran.err).toContain('is nested deeper than 1024 levels');
});

describe('threat: forge: a list of comments', () => {
  it('deletes none where pages list it again', async () => {
    const marker = markerOf({}, inHtml);
    const own = { id: '1', author: 'me', body: `${marker}\n\nold`, url: '' };
    const removed: string[] = [];
    const forge: Forge = {
      whoAmI: () => Promise.resolve('me'),
      readHead: () => Promise.resolve(undefined),
      list: () => Promise.resolve([own, own]),
      create: () => Promise.reject(new Error('there is one')),
      update: (comment, body) => Promise.resolve({ ...comment, body }),
      remove: ({ id }) => Promise.resolve(void removed.push(id)),
      close: () => Promise.resolve(),
    };
    const wanted = {
      marker,
      isQuiet: false,
      whenQuiet: 'update',
      textAfter: () => `${marker}\n\nnew`,
    } as const;
    const put = await putComment(forge, wanted, () => Promise.resolve());
    expect([put.outcome, removed]).toEqual(['updated', []]);
  });

  it('ends when pages never do', async () => {
    const page = (): Promise<Answer> => Promise.resolve({ data: [], headers: {} });
    const more = ['GET /more', {}] as const;
    const endless = readPages({ repeat: page }, { list: more, next: () => more });
    await expect(endless).rejects.toThrow('more than 1000 pages');
  });

  it('ends when pages are longer than a list of comments can be', async () => {
    const api = await serveHttp((request, response) => {
      const { host = '' } = request.headers;
      response.setHeader('link', `<http://${host}/more>; rel="next"`);
      response.setHeader('content-type', 'application/json').end('[]');
    });
    await expect((await openAt(api, { mostBytes: 100 })).list()).rejects.toThrow('are longer than 0.0001 MB');
  });

  it('ends when each page has to be waited for', async () => {
    let count = 0;
    const api = await serveHttp((request, response) => {
      count += 1;
      response.setHeader('content-type', 'application/json');
      if (count % 2 === 1) response.writeHead(429, { 'retry-after': '290' }).end();
      else response.setHeader('link', `<http://${request.headers.host ?? ''}/more>; rel="next"`).end('[]');
    });
    const forge = await openAt(api);
    await expect(forge.list()).rejects.toThrow('take longer than 30 minutes');
    expect(forge.waits).toHaveLength(7);
  });
});
