import type { Reply } from '../gateway/gateway.ts';
import type { JsonObject } from '../model/json/json.ts';

/** The result of a check. */
export type Finding = {
  readonly status: 'ok' | 'warning' | 'error' | 'not-checked';
  /** One clause without a full stop. */
  readonly message: string;
  /** The cure, an imperative. */
  readonly hint?: string | undefined;
  /** The same for programs. */
  readonly values?: JsonObject;
};

/** The gateway that the project expects. */
export type Expected = {
  readonly version?: string | undefined;
  readonly security?: string | undefined;
  /** Security modes of a gateway without the reserved kind: without virtual clusters. */
  readonly absentIn: readonly string[];
  /** Deprecated fields and values, with the versions that deprecate and remove them. */
  readonly deprecations: readonly {
    readonly name: string;
    readonly since: string;
    readonly removed?: string | undefined;
  }[];
};

export type Findings = Finding | readonly Finding[];

type MakeFinding = (message: string, about?: Pick<Finding, 'hint' | 'values'>) => Finding;
const ofStatus =
  (status: Finding['status']): MakeFinding =>
  (message, about) => ({ status, message, ...about });
export const ok = ofStatus('ok');
export const warning = ofStatus('warning');
export const failure = ofStatus('error');

export function notChecked(message: string, hint?: string): Finding {
  return { status: 'not-checked', message, hint };
}

export const NOT_REACHED = notChecked('the gateway was not reached');

export function statusOf(reply: Reply): number | undefined {
  return 'error' in reply ? reply.error.status : reply.status;
}

/** Whether a request failed, other than for something that this version does not have. */
export function isFailed(reply: Reply): boolean {
  return 'error' in reply && reply.error.code !== 'not-found';
}

/** Why there is nothing to check. */
export function unanswered(reply: Reply): Finding {
  return notChecked('error' in reply ? reply.error.message : 'the response is of no known form');
}
