import { describe, expect, it } from 'vitest';
import { waitBefore, type SendResult } from '../../src/forge/fetch.ts';

const now = new Date('2026-03-01T12:00:00Z');
const inSeconds = (seconds: number): string => String(now.getTime() / 1000 + seconds);

function wait(outcome: SendResult, mayRepeat = true, attempt = 1): number | undefined {
  return waitBefore(outcome, { attempt, mayRepeat }, { random: () => 1, now: () => now });
}

function response(status: number, headers: Record<string, string> = {}, text = ''): SendResult {
  return { status, headers: new Headers(headers), text };
}

describe('a request that failed', () => {
  it.each([
    ['a limit with a time', response(429, { 'retry-after': '7' }), 7_000],
    ['a limit with a date', response(429, { 'retry-after': 'Sun, 01 Mar 2026 12:00:09 GMT' }), 9_000],
    ['the secondary limit of GitHub', response(403, { 'retry-after': '30' }), 30_000],
    ['the same without a time', response(403, {}, 'You have exceeded a secondary rate limit'), 60_000],
    [
      'the primary limit of GitHub',
      response(403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': inSeconds(20) }),
      21_000,
    ],
    ['the limit of GitLab', response(429, { 'ratelimit-reset': inSeconds(5) }), 6_000],
    ['a limit that lasts an hour', response(429, { 'retry-after': '3600' }), undefined],
  ])('is sent again after %s, also if it must not have its effect twice', (_, outcome, expected) => {
    expect(wait(outcome)).toBe(expected);
    expect(wait(outcome, false)).toBe(expected);
  });

  it.each([
    ['500', response(500)],
    ['502', response(502)],
    ['503', response(503)],
    ['504', response(504)],
    ['no response', { failure: 'ECONNRESET' }],
  ])('is sent again after %s only if it may have its effect twice', (_, outcome) => {
    expect([1, 2, 3, 4, 5].map((attempt) => wait(outcome, true, attempt))).toEqual([
      ...[1_000, 2_000, 4_000, 8_000],
      undefined,
    ]);
    expect(wait(outcome, false)).toBeUndefined();
  });

  it.each([200, 400, 401, 403, 404, 409, 422])('is not sent again after %i', (status) => {
    expect(wait(response(status))).toBeUndefined();
  });

  it.each(['CERT_HAS_EXPIRED', 'ENOTFOUND', 'TypeError'])('is not sent again after %s', (failure) => {
    expect(wait({ failure })).toBeUndefined();
  });
});
