import { readHeader, type HttpResponse } from './response.ts';

/** A longer wait is cut. */
const LONGEST_MS = 60_000;

/**
 * The wait that a response asks for: seconds, or a date, which is compared with the sender's `Date`, so that our clock does
 * not matter. Nothing for a header that cannot be parsed.
 */
export function readRetryAfter(response: HttpResponse): { readonly retryAfterMs?: number } {
  const asked = readHeader(response, 'retry-after')?.trim() ?? '';
  const wait = /^\d+$/.test(asked)
    ? Number(asked) * 1000
    : Date.parse(asked) - Date.parse(readHeader(response, 'date') ?? '');
  return Number.isNaN(wait) ? {} : { retryAfterMs: Math.min(Math.max(wait, 0), LONGEST_MS) };
}
