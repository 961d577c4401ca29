import { afterEach, describe, expect, it } from 'vitest';
import type { GatewayError } from '../../src/gateway/gateway.ts';
import { always, closeAll, failureOf, gatewayAt, serve, type Answerer } from './opponent.ts';
import { book, shelf } from './toy-kinds.ts';

afterEach(closeAll);

const page = '<!DOCTYPE html><html><body><h1>Sign in</h1></body></html>';
const html = { 'content-type': 'text/html; charset=utf-8' };

async function listing(answer: Answerer, more: Parameters<typeof gatewayAt>[1] = {}): Promise<GatewayError> {
  const server = await serve(answer);
  return failureOf(gatewayAt(server.url, more).list(shelf));
}

async function putting(answer: Answerer): Promise<GatewayError> {
  const server = await serve(answer);
  return failureOf(gatewayAt(server.url).put(book, book.example));
}

async function removing(answer: Answerer): Promise<GatewayError> {
  const server = await serve(answer);
  return failureOf(gatewayAt(server.url).remove(shelf, shelf.example));
}

describe("the gateway's own words", () => {
  it.each([
    ['cause', { title: 'Conflict', msg: 'in use', cause: 'still used by two' }, 'still used by two'],
    ['else msg', { title: 'Conflict', msg: 'in use' }, 'in use'],
    ['else msg when cause is blank', { title: 'Conflict', msg: 'in use', cause: ' ' }, 'in use'],
    ['else title', { title: 'Conflict', cause: null }, 'Conflict'],
    [
      'else title and detail, as a proxy has them',
      { title: 'Bad Request', detail: 'blocked' },
      'Bad Request: blocked',
    ],
  ])('are %s', async (_, body, words) => {
    expect(await putting(always(409, body))).toMatchObject({ code: 'conflict', status: 409, message: words });
  });

  it('may be plain text', async () => {
    const error = await listing(always(400, 'Invalid value for: body\n', { 'content-type': 'text/plain' }));
    expect(error).toMatchObject({ code: 'refused', status: 400 });
    expect(error.message).toMatch(/refused GET \/gateway\/v2\/shelf \(400\): Invalid value for: body$/);
  });

  it('are cut and stripped of what terminals obey', async () => {
    const { message } = await putting(
      always(400, { title: `\u001b[31mred\u0007\r\n\u202eback ${'x'.repeat(9999)}` }),
    );
    expect(message).toMatch(/^\[31mred back x+…$/);
    expect(message).toHaveLength(500);
  });

  it('may be missing', async () => {
    const error = await putting(always(400));
    expect(error.message).toMatch(/^127\.0\.0\.1:\d+ refused PUT \/gateway\/v2\/book \(400\)$/);
  });
});

describe('a refusal', () => {
  it('of the credentials says where they come from', async () => {
    const error = await listing(always(401, { title: 'The credentials are invalid' }), {
      user: 'a',
      password: 'b',
      origins: { user: 'gwconf.yaml', password: 'GWCONF_PASSWORD' },
    });
    expect(error).toMatchObject({ code: 'unauthorized', status: 401 });
    expect(error.message).toContain('rejects the user or the password');
    expect(error.hint).toBe('check the user (from gwconf.yaml) and the password (from GWCONF_PASSWORD)');
  });

  it('of a user without a password asks for one', async () => {
    const error = await listing(always(401), { user: 'a' });
    expect(error.message).toContain('requires a password, and none was given (401)');
  });

  it('of a caller without credentials asks for some', async () => {
    const error = await listing(always(401));
    expect(error.message).toContain('requires a user and a password');
    expect(error.hint).toMatch(/^set GWCONF_USER and GWCONF_PASSWORD/);
  });

  it("of the user's rights is told in the gateway's words", async () => {
    const error = await putting(
      always(403, { title: 'Forbidden', msg: 'the feature audit is not licensed' }),
    );
    expect(error).toMatchObject({ code: 'forbidden', message: 'the feature audit is not licensed' });
    expect((await putting(always(403, page, html))).message).toContain('does not allow PUT /gateway/v2/book');
  });

  it.each([
    ['no such API', always(404)],
    ['a page for people', always(200, page, html)],
    ['another server', always(200, 'x')],
    ['a redirect', always(302)],
  ])('of %s names where the URL was written', async (_, answer) => {
    const { hint } = await listing(answer, { urlName: 'GWCONF_URL' });
    expect(hint).toContain('GWCONF_URL');
    expect(hint).not.toContain('--url');
  });

  it('of a read says what was asked, and of whom, besides the words of who refuses', async () => {
    const asked: string[] = [];
    for (const status of [400, 403, 409, 503]) {
      const { message, hint } = await listing(always(status, { title: 'No', detail: 'not you' }));
      asked.push(`${message.replace(/:\d+/, '')}; ${hint}`);
    }
    expect(asked).toEqual([
      '127.0.0.1 refused GET /gateway/v2/shelf (400): No: not you; fix what the gateway reports',
      '127.0.0.1 does not allow GET /gateway/v2/shelf (403): No: not you; use a user with admin: true in GATEWAY_ADMIN_API_USERS, and check any proxy in between',
      '127.0.0.1 has something that conflicts with GET /gateway/v2/shelf (409): No: not you; resolve the reported conflict, then plan again',
      '127.0.0.1 cannot handle the call now (503): No: not you; try again later',
    ]);
  });

  it('of a list with 404 means that there is no such API', async () => {
    for (const answer of [
      always(404),
      always(404, page, html),
      always(404, { message: 'no Route matched' }),
    ]) {
      const error = await listing(answer);
      expect(error).toMatchObject({ code: 'not-found', status: 404 });
      expect(error.message).toMatch(/^there is no v2 API at 127\.0\.0\.1:\d+ \(404\)$/);
      expect(error.hint).toContain('3.3.0');
    }
  });

  it('of a put with 404 names what is missing', async () => {
    const error = await putting(always(404, { title: 'Not found', cause: 'no virtual cluster prod' }));
    expect(error).toMatchObject({ code: 'not-found', message: 'no virtual cluster prod' });
  });

  it('of a removal with 404 is an error unless a gateway says it', async () => {
    for (const answer of [
      always(404),
      always(404, page, html),
      always(404, { error: 'Not Found', path: '/' }),
    ]) {
      expect((await removing(answer)).message).toContain('there is no v2 API');
    }
  });

  it.each([429, 502, 503, 504])('with %i is for now, and says when to come back', async (status) => {
    const error = await putting(always(status, page, { ...html, 'retry-after': '7' }));
    expect(error).toMatchObject({ code: 'busy', status });
    expect(error.message).toContain(`cannot handle the call now (${status}, Retry-After: 7)`);
  });

  it('of a proxy that has no gateway behind it, or waited for one in vain, says so', async () => {
    const hints: string[] = [];
    for (const [status, text] of [
      [502, {}],
      [504, {}],
      [503, page],
      [503, {}],
      [429, page],
    ] as const)
      hints.push((await putting(always(status, text, text === page ? html : {}))).hint ?? '');
    const behind =
      'a proxy or load balancer answered in place of the gateway: check that the gateway behind it is running, then try again';
    const busy = 'try again later, or lower --parallelism';
    expect(hints).toEqual([behind, behind, behind, busy, busy]);
  });

  it('with 500 gives the reason', async () => {
    const error = await putting(always(500, { title: 'Internal', cause: 'Kafka timed out' }));
    expect(error).toMatchObject({ code: 'failed', status: 500 });
    expect(error.message).toMatch(/failed to handle PUT \/gateway\/v2\/book \(500\): Kafka timed out$/);
  });

  it('with a status that the API does not have is told with the status', async () => {
    expect(await removing(always(405))).toMatchObject({ code: 'failed', status: 405 });
  });

  it('with a page for people is not understood', async () => {
    expect(await listing(always(400, page))).toMatchObject({ code: 'not-understood', status: 400 });
  });

  it('in a strange encoding is still told', async () => {
    const error = await putting((response) => response.writeHead(400).end(Buffer.from([0x66, 0xfc, 0x72])));
    expect(error).toMatchObject({ code: 'refused', message: 'f\ufffdr' });
  });
});

describe('a redirect', () => {
  it.each([301, 302, 307, 308])('with %i is not followed, and only its host is shown', async (status) => {
    const other = await serve(always(200, []));
    const to = `${other.url.replace('//', '//u:pw@')}/login?token=abc`;
    const error = await listing(always(status, '', { location: to }), { user: 'a', password: 'b' });
    expect(error).toMatchObject({ code: 'not-understood', status });
    expect(error.message).toContain(`redirects to ${other.url} (${status}), which gwconf does not follow`);
    expect(other.received).toEqual([]);
  });

  it('may be to nowhere', async () => {
    expect((await listing(always(302))).message).toContain('redirects (302)');
    expect((await listing(always(302, '', { location: 'http://%' }))).message).toContain('redirects (302)');
  });
});

describe('an answer that is not what the API gives', () => {
  it.each([
    ['an HTML page', always(200, page, html), 'responded with an HTML page (200)'],
    ['an HTML page that says it is JSON', always(200, page), 'responded with an HTML page (200)'],
    ['half of a JSON text', always(200, '[{"kind":'), 'is not JSON'],
    [
      'a map with equal keys',
      always(200, JSON.stringify([shelf.example]).replace('{', '{"kind":"Other",')),
      'has a map with two equal keys',
    ],
    ['an object', always(200, { items: [] }), 'is not a list'],
    ['null', always(200, null), 'is not a list'],
    ['a list of texts', always(200, ['a']), 'contains no resource at index 0: expected a map'],
    [
      'a resource without a name',
      always(200, [shelf.example, { metadata: {}, spec: {} }]),
      'no resource at index 1',
    ],
  ])('as a list: %s', async (_, answer, message) => {
    const error = await listing(answer);
    expect(error).toMatchObject({ code: 'not-understood', status: 200 });
    expect(error.message).toContain(message);
  });

  it.each([
    ['status', always(206, [shelf.example])],
    ['link to more', always(200, [shelf.example], { link: '</gateway/v2/shelf?page=2>; rel="next"' })],
    ['link among others', always(200, [shelf.example], { link: '<a>; rel=prev, <b>; title="x"; rel=next' })],
  ])('as a list: a part of it, by its %s', async (_, answer) => {
    expect((await listing(answer)).message).toContain('is only a part of the list');
  });

  it('as a list: one whose links lead elsewhere is whole', async () => {
    const link = '</nextdoor>; rel="self", <next>; rel="up"; title="next"';
    const { url } = await serve(always(200, [shelf.example], { link }));
    expect(await gatewayAt(url).list(shelf)).toHaveLength(1);
  });

  it('as a list: bytes that are not UTF-8', async () => {
    const error = await listing((response) => response.end(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d])));
    expect(error.message).toContain('is not UTF-8');
  });

  it.each([
    ['an empty body', always(200, '')],
    ['white space', always(200, ' \n')],
    ['no content', always(204)],
  ])('as a list: %s', async (_, answer) => {
    const error = await listing(answer);
    expect(error).toMatchObject({ code: 'not-understood' });
    expect(error.message).toContain('is empty, and a list was expected');
  });

  it('as a list: something compressed', async () => {
    const error = await listing(always(200, '[]', { 'content-encoding': 'gzip' }));
    expect(error.message).toContain('is compressed, which was not requested');
  });

  it('as a list: more than can be held', async () => {
    const error = await listing(always(200, [shelf.example]), { maxAnswerBytes: 10 });
    expect(error.message).toContain('is longer than 0.00001 MB');
  });

  it.each([
    ['an empty body', always(200)],
    ['an unknown word', always(200, { upsertResult: 'Postponed' })],
    ['an object in place of the word', always(200, { upsertResult: {} })],
    ['a list', always(200, [])],
  ])('to a put: %s', async (_, answer) => {
    const error = await putting(answer);
    expect(error).toMatchObject({ code: 'not-understood', status: 200 });
    expect(error.message).toContain('contains no upsertResult');
  });

  it('to a removal: an HTML page', async () => {
    expect((await removing(always(200, page, html))).message).toContain('HTML page');
  });
});

describe('the password', () => {
  it('is in no message, though the other side repeats it', async () => {
    const password = 'hunter2/ä';
    const server = await serve((response, { headers }) =>
      response.writeHead(400).end(
        JSON.stringify({
          cause: `${password} ${encodeURIComponent(password)} ${headers.authorization ?? ''} ${headers['x-token'] as string}`,
        }),
      ),
    );
    const connection = { user: 'admin', password, headers: { 'X-Token': 'Key 0123456789' } };
    const error = await failureOf(gatewayAt(server.url, connection).list(shelf));
    expect(error.message).toMatch(/: \*{3} \*{3} Basic \*{3} Key \*{3}$/);
  });

  it('that everybody knows does not blot out the names of plugins', async () => {
    const cause = 'no class io.conduktor.gateway.interceptor.NonePlugin';
    const error = await listing(always(400, { cause }), { user: 'admin', password: 'conduktor' });
    expect(error.message).toMatch(/: no class io\.conduktor\.gateway\.interceptor\.NonePlugin$/);
  });
});
