import { afterEach, describe, expect, it } from 'vitest';
import type { Connection } from '../../../src/gateway/connection.ts';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';
import { kindOf, resource } from '../../support/kinds.ts';
import { always, closeAll, failureOf, gatewayAt, serve, type Answerer } from '../opponent.ts';

afterEach(closeAll);

const interceptors = kindOf('Interceptor');
const SECRET = 'hunter2-in-a-config';
const encrypt = resource(
  'Interceptor',
  { name: 'encrypt' },
  {
    pluginClass: 'io.conduktor.gateway.interceptor.EncryptPlugin',
    priority: 1,
    config: { topic: 'x', kmsConfig: { vault: { uri: 'http://vault', token: SECRET } } },
  },
);

/** A gateway that answers like this, and what is traced of the calls to it. */
async function traced(
  answer: Answerer,
  more: Partial<Connection> = {},
): Promise<{ readonly gateway: ReturnType<typeof gatewayAt>; readonly events: readonly JsonObject[] }> {
  const events: JsonObject[] = [];
  const { url } = await serve(answer);
  return { gateway: gatewayAt(url, { ...more, trace: (event) => events.push(event) }), events };
}

describe('a traced call', () => {
  it('is told when it is sent and when it is answered, with headers and bodies', async () => {
    const { gateway, events } = await traced(always(200, { upsertResult: 'CREATED', resource: encrypt }));
    await gateway.put(interceptors, encrypt);
    const { spec } = encrypt;
    const shown = {
      ...encrypt,
      spec: {
        ...spec,
        config: { topic: 'x', kmsConfig: { vault: { uri: 'http://vault', token: '(hidden)' } } },
      },
    };
    expect(events).toMatchObject([
      {
        call: 1,
        event: 'request',
        method: 'PUT',
        url: `${gateway.url}/gateway/v2/interceptor`,
        headers: {
          accept: 'application/json',
          'user-agent': 'gwconf/1.2.3',
          'content-type': 'application/json',
        },
        body: shown,
      },
      { call: 1, event: 'answer', status: 200, body: { upsertResult: 'CREATED', resource: shown } },
    ]);
  });

  it('that gets no answer is told with the reason', async () => {
    const { gateway, events } = await traced((response) => response.socket?.destroy());
    await failureOf(gateway.list(interceptors));
    expect(events).toMatchObject([
      { call: 1, event: 'request', method: 'GET' },
      { call: 1, event: 'failure', why: expect.stringContaining('closed the connection') as string },
    ]);
  });

  it('with a long list is told with the beginning of it', async () => {
    const { gateway, events } = await traced(
      always(
        200,
        Array.from({ length: 50 }, () => encrypt),
      ),
    );
    await gateway.list(interceptors);
    const [, { body = [] } = {}] = events;
    expect(body).toHaveLength(21);
    expect((body as readonly unknown[]).at(-1)).toBe('(30 more)');
  });
});

describe('a trace', () => {
  const given = {
    user: 'admin',
    password: 'hunter2-password',
    headers: {
      'X-Team': 'hunter2-team',
      Cookie: 'hunter2-cookie',
      'User-Agent': 'hunter2-agent',
      Accept: 'hunter2',
    },
    proxy: undefined,
  };
  const base64 = Buffer.from('admin:hunter2-password').toString('base64');

  it.each<[string, Answerer]>([
    ['a list', always(200, [encrypt])],
    ['a list of what is no resource', always(200, [{ token: SECRET }, SECRET, [SECRET]])],
    ['an object', always(200, { token: SECRET })],
    ['a text', always(200, SECRET)],
    ['a refusal', always(400, { title: 'no', cause: `bad token ${SECRET}` })],
    ['a page', always(200, `<html>${SECRET}</html>`)],
    ['a redirect', always(302, '', { location: `http://x/?token=${SECRET}` })],
    ['cookies', always(200, [], { 'set-cookie': `a=${SECRET}`, 'x-api-key': SECRET })],
    [
      'what was sent to it',
      (response, { headers }) => response.writeHead(200, { 'x-echo': headers.authorization }).end('[]'),
    ],
    ['what is deep', always(200, `${'['.repeat(1000)}"${SECRET}"${']'.repeat(1000)}`)],
  ])('holds no secret, whatever comes back: %s', async (_, answer) => {
    const { gateway, events } = await traced(answer, given);
    await gateway.list(interceptors).catch(() => undefined);
    await gateway.put(interceptors, encrypt).catch(() => undefined);
    await gateway.remove(interceptors, encrypt).catch(() => undefined);
    const told = JSON.stringify(events);
    expect(events.length).toBeGreaterThanOrEqual(6);
    expect(told).not.toContain('hunter2');
    expect(told).not.toContain(base64);
  });

  it('does not tell how long a secret is', async () => {
    const tracedOf = async (token: string): Promise<unknown> => {
      const body = JSON.stringify([encrypt]).replace(SECRET, token);
      const { gateway, events } = await traced(
        always(200, body, { 'content-length': String(body.length), date: '' }),
      );
      await gateway.list(interceptors);
      return events.map(({ url: _, ...event }) => event);
    };
    expect(await tracedOf('short')).toEqual(await tracedOf('a-longer-secret-of-others'));
  });

  it('hides the secrets of every kind', async () => {
    const { gateway, events } = await traced(always(200, { upsertResult: 'CREATED' }));
    for (const kind of catalog.kinds.values()) {
      if (kind.removal === undefined) continue;
      await gateway.put(kind, { ...kind.example, spec: { ...kind.example.spec, password: SECRET } });
    }
    expect(JSON.stringify(events)).not.toContain(SECRET);
  });
});
