import type { Json } from '../../model/json/json.ts';
import { splitUrl } from '../memory.ts';
import type { ApiResponse } from '../responses/response.ts';
import type { Interception, ServerOptions } from '../server.ts';

/** What goes wrong with some calls. The first fault of a script that is for a call is played. */
export type Fault = {
  /** The method of the calls, such as PUT. Default: any. */
  readonly method?: string;
  /** Their path without the query: `*` is any one segment, `**` at the end any number of them. Default: any. */
  readonly path?: string;
  /** Which of these calls, from 1. Default: each of them. */
  readonly nth?: number;
} & Effect;

export type Effect =
  /** Responds with this instead of doing anything. A body that is a string is sent as text. */
  | {
      readonly status: number;
      readonly body?: Json;
      /** The header Retry-After, in seconds. */
      readonly retryAfter?: number;
      readonly delayMs?: number;
    }
  /** Does what the call asks for, and responds later. */
  | { readonly delayMs: number }
  /** Closes the connection without a response: before anything is done, or after it. */
  | { readonly drop: 'before' | 'after'; readonly delayMs?: number }
  /** Does nothing and never responds. */
  | { readonly noResponse: true };

type Intercept = NonNullable<ServerOptions['intercept']>;

/** Plays a script of faults; every fault counts its own calls. */
export function playFaults(script: readonly Fault[]): Intercept {
  const counts = new Map<Fault, number>();
  return async ({ method, url }, handle) => {
    const { path } = splitUrl(url);
    const due = script.filter((fault) => isFor(fault, method, path)).filter((fault) => count(fault, counts));
    const [fault] = due;
    return fault === undefined ? handle() : await play(fault, handle);
  };
}

/** Counts a call of a fault, and tells whether it is the one. */
function count(fault: Fault, counts: Map<Fault, number>): boolean {
  const calls = (counts.get(fault) ?? 0) + 1;
  counts.set(fault, calls);
  return fault.nth === undefined || fault.nth === calls;
}

async function play(fault: Effect, handle: () => ApiResponse): Promise<Interception> {
  if ('noResponse' in fault) return 'no-response';
  const result = resultOf(fault, handle);
  if (fault.delayMs !== undefined) await delay(fault.delayMs);
  return result;
}

function resultOf(fault: Exclude<Effect, { noResponse: true }>, handle: () => ApiResponse): Interception {
  if ('drop' in fault) {
    if (fault.drop === 'after') handle();
    return 'drop-connection';
  }
  if (!('status' in fault)) return handle();
  const { status, body, retryAfter } = fault;
  return {
    status,
    ...(body === undefined ? {} : typeof body === 'string' ? { text: body } : { body }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

/** A process does not stay alive for it. */
function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref();
  });
}

function isFor({ method, path }: Fault, called: string, at: string): boolean {
  if (method !== undefined && method.toUpperCase() !== called) return false;
  if (path === undefined) return true;
  const [parts, segments] = [path.split('/'), at.split('/')];
  const isOpen = parts.at(-1) === '**';
  const fixed = isOpen ? parts.slice(0, -1) : parts;
  if (isOpen ? segments.length < fixed.length : segments.length !== fixed.length) return false;
  return fixed.every((part, index) => part === '*' || part === segments[index]);
}
