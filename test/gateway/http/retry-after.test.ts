import { afterEach, expect, it } from 'vitest';
import { always, closeAll, failureOf, gatewayAt, serve } from '../opponent.ts';
import { book, shelf } from '../toy-kinds.ts';

afterEach(closeAll);

const date = 'Wed, 21 Oct 2026 07:28:00 GMT';

it.each([
  ['seconds', { 'retry-after': '3' }, 3000],
  ['no time at all', { 'retry-after': '0' }, 0],
  ['a date, held against that of the answer', { 'retry-after': 'Wed, 21 Oct 2026 07:28:07 GMT', date }, 7000],
  ['a date that has passed', { 'retry-after': 'Wed, 21 Oct 2026 07:27:00 GMT', date }, 0],
  ['at most a minute', { 'retry-after': '86400' }, 60_000],
  ['nothing that can be understood', { 'retry-after': 'soon', date }, undefined],
  ['nothing', {}, undefined],
] as const)('a gateway that is busy may ask for %s', async (_, headers, retryAfterMs) => {
  const server = await serve(always(503, '', headers));
  expect(await failureOf(gatewayAt(server.url).put(book, book.example))).toMatchObject({
    code: 'busy',
    retryAfterMs,
  });
});

it('only an answer that asks to come back is understood so', async () => {
  const server = await serve(always(400, { title: 'Not this way' }, { 'retry-after': '3' }));
  expect(await failureOf(gatewayAt(server.url).list(shelf))).toMatchObject({ retryAfterMs: undefined });
});

it('a call that found nobody was never sent', async () => {
  const server = await serve(always(200));
  await closeAll();
  expect(await failureOf(gatewayAt(server.url).list(shelf))).toMatchObject({ unsent: true });
});
