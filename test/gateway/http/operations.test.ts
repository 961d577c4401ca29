import { afterEach, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/model/json/json.ts';
import { always, closeAll, gatewayAt, serve, type Answerer } from '../opponent.ts';

afterEach(closeAll);

const REQUEST = { username: 'jdoe', lifeTimeSeconds: 60 };

/** Responds by path; 404 for any other. */
function byPath(answers: { readonly [path: string]: Answerer }): Answerer {
  return (response, request) => (answers[request.path ?? ''] ?? always(404))(response, request);
}

it('a gateway that is not ready is alive', async () => {
  const { url } = await serve(
    byPath({ '/health/live': always(200, 'LIVE'), '/health/ready': always(503, 'NOTREADY') }),
  );
  expect(await gatewayAt(url).readHealth()).toEqual({ live: true, ready: false });
});

it('a gateway that says it is down, before 3.12.0, is neither alive nor ready', async () => {
  const { url } = await serve(byPath({ '/health': always(200, { status: 'DOWN', checks: [] }) }));
  expect(await gatewayAt(url).readHealth()).toEqual({ live: false, ready: false });
});

it('a gateway that does not tell its version has none', async () => {
  const { url } = await serve(byPath({ '/gateway/v2/analytics/lived': always(200, { interceptors: [] }) }));
  expect(await gatewayAt(url).readVersion()).toBeUndefined();
});

it('a server that fails fails the call', async () => {
  const { url } = await serve(always(500));
  await expect(gatewayAt(url).readHealth()).rejects.toMatchObject({ code: 'failed', status: 500 });
  await expect(gatewayAt(url).readVersion()).rejects.toMatchObject({ code: 'failed', status: 500 });
});

it.each([{}, [], { token: 1 }, ''])('%j is no token', async (body) => {
  const { url } = await serve(always(200, body));
  await expect(gatewayAt(url).issueToken(REQUEST)).rejects.toMatchObject({
    code: 'not-understood',
    message: expect.stringContaining('contains no token') as string,
  });
});

it('no token is traced', async () => {
  const events: JsonObject[] = [];
  const { url } = await serve(always(200, { token: 'header.claims.signature' }));
  expect(await gatewayAt(url, { trace: (event) => events.push(event) }).issueToken(REQUEST)).toContain(
    'claims',
  );
  expect(events.map(({ event }) => event)).toEqual(['request', 'answer']);
  expect(JSON.stringify(events)).not.toContain('claims');
});
