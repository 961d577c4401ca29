import type { JsonObject } from '../../../src/model/json/json.ts';
import { readCalls, type ReadFiles } from '../../../src/v1/read/read-calls.ts';
import type { Call, UnreadCall } from '../../../src/v1/read/request.ts';
import type { Translated } from '../../../src/v1/translate/ledger.ts';
import { translate } from '../../../src/v1/translate/translate.ts';
import { catalog } from '../../../src/schema/kinds/index.ts';

/** A call as text, `POST /path?query`, with its body. */
export type Written = readonly [request: string, body?: JsonObject];

export const CHECKS = { catalog, context: { version: '3.21.0' } };

/** Calls of one file, each in a line of its own. */
export function callsOf(...written: readonly Written[]): readonly Call[] {
  return written.map(([request, body], at) => {
    const [method = '', url = ''] = request.split(' ');
    const [path = '', search = ''] = url.split('?');
    return {
      file: 'old.sh',
      line: at + 1,
      gateway: 'http://old:8888',
      method,
      path,
      query: Object.fromEntries(new URLSearchParams(search)),
      body,
    };
  });
}

/** What a file has, of which no other file is part. */
export function readAlone(path: string, text: string): ReadFiles {
  return readCalls([{ path, text }], { read: () => undefined });
}

export function translated(...written: readonly Written[]): Translated {
  return translate(callsOf(...written), CHECKS);
}

/** The specs of all resources, by address. */
export function specsOf({ gateways }: Translated): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(
    gateways.flatMap(({ state }) => [...state.resources].map(([address, { spec }]) => [address, spec])),
  );
}

/** Outcome and reason of each call. */
export function outcomesOf({ calls }: Translated): readonly (readonly [outcome: string, why: string])[] {
  return calls.map(({ outcome, why = '' }) => [outcome, why]);
}

export function unread(why: string): UnreadCall {
  return { file: 'old.sh', line: 1, why };
}
