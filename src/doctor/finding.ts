import type { Facts, Reply } from '../gateway/facts.ts';
import type { JsonObject } from '../model/json/json.ts';

export type Status = 'ok' | 'warning' | 'error' | 'not-checked';

/** What a check found. */
export type Finding = {
  readonly status: Status;
  /** One clause without a full stop. */
  readonly message: string;
  /** What to do, an imperative. */
  readonly hint?: string | undefined;
  /** The same for programs. */
  readonly values?: JsonObject;
};

/** What the project says of its gateway. */
export type Expected = {
  readonly version?: string | undefined;
  readonly security?: string | undefined;
  /** Security modes of a gateway without the reserved kind: without virtual clusters. */
  readonly absentIn: readonly string[];
};

/** A question about a gateway. It is answered from facts, whatever the other checks found. */
export type Check = {
  readonly name: string;
  readonly run: (facts: Facts, expected: Expected) => readonly Finding[];
};

export function notChecked(message: string, hint?: string): Finding {
  return { status: 'not-checked', message, hint };
}

export const NOT_REACHED = notChecked('the gateway was not reached');

/** The status of a response; undefined without one. */
export function statusOf(reply: Reply): number | undefined {
  return 'error' in reply ? reply.error.status : reply.status;
}

/** Why there is no answer, for a check that therefore finds nothing out. */
export function unanswered(reply: Reply): Finding {
  return 'error' in reply ? notChecked(reply.error.message, reply.error.hint) : notChecked('no answer');
}
