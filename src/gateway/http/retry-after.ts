import { readHeader, type HttpResponse } from './response.ts';

/** Nobody is left alone for longer than this, whatever the header says. */
const LONGEST_MS = 60_000;

/**
 * How long an answer asks to be left alone: seconds, or a date, which is held against the clock of whoever sent it, so
 * that no other clock matters. Nothing for a header that cannot be understood.
 */
export function readRetryAfter(answer: HttpResponse): { readonly retryAfterMs?: number } {
  const asked = readHeader(answer, 'retry-after')?.trim() ?? '';
  const wait = /^\d+$/.test(asked)
    ? Number(asked) * 1000
    : Date.parse(asked) - Date.parse(readHeader(answer, 'date') ?? '');
  return Number.isNaN(wait) ? {} : { retryAfterMs: Math.min(Math.max(wait, 0), LONGEST_MS) };
}
