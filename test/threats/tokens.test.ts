import { afterEach, describe, expect, it } from 'vitest';
import { closeAll, serve as answerAt, type Answerer } from '../gateway/opponent.ts';
import { makeWorld, type Ran } from '../support/cli.ts';
import { LOGIN } from '../support/served.ts';
import { tokenWith } from '../support/tokens.ts';

afterEach(closeAll);

const ACCOUNT = {
  apiVersion: 'gateway/v2',
  kind: 'GatewayServiceAccount',
  metadata: { name: 'app' },
  spec: { type: 'LOCAL' },
};

/** Asks a gateway for a token, which answers in this way, and logs all there is to log. */
async function issueFrom(
  answer: Answerer,
): Promise<Ran & { readonly file: string | undefined; readonly log: string }> {
  const { url } = await answerAt((response, request) => {
    if (request.method === 'POST') answer(response, request);
    else response.setHeader('content-type', 'application/json').end(JSON.stringify([ACCOUNT]));
  });
  const mine = makeWorld({ '.gitignore': 'token' });
  const log: object[] = [];
  const ran = await mine.runWith(
    { env: { ...LOGIN, GWCONF_URL: url }, onTrace: (fields) => log.push(fields) },
    ...['token', 'issue', '--account', 'app', '--lifetime', '1h', '--out', 'token'],
  );
  return { ...ran, file: mine.has('token') ? mine.read('token') : undefined, log: JSON.stringify(log) };
}

describe('threat: gateway: what it returns as a token', () => {
  it.each([
    ['a line break', 'eyJ\nLD_PRELOAD=x'],
    ['an escape', 'eyJ\u001b[2J'],
    ['a blank', 'eyJ x'],
    ['nothing', ''],
    ['no text', 7],
  ])('is refused as a token: %s', async (_, token) => {
    const ran = await issueFrom((response) => response.end(JSON.stringify({ token })));
    expect(ran).toMatchObject({ code: 1, out: '', file: undefined });
    expect(ran.err).toContain('contains no token');
  });

  it('keeps the token out of everything but its file', async () => {
    const token = tokenWith({ username: 'app', exp: 1_800_000_000 });
    const ran = await issueFrom((response) => {
      response.setHeader('x-request-id', token).setHeader('set-cookie', token);
      response.end(JSON.stringify({ token, msg: token }));
    });
    expect(ran).toMatchObject({ code: 0, file: `${token}\n` });
    expect(ran.out + ran.err + ran.log).not.toContain(token);
    const refused = await issueFrom((response) => {
      response.writeHead(409, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ title: 'no', msg: `the token ${token} is not for you` }));
    });
    expect(refused.code).toBe(1);
    expect(refused.out + refused.err + refused.log).not.toContain(token);
  });
});
