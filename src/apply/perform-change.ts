import type { GatewayError } from '../gateway/gateway.ts';
import { knownKind, type Kind } from '../model/kind.ts';
import type { Change } from '../plan/change/change.ts';
import { hideSecretsIn } from '../plan/secrets/hide-in-chains.ts';
import { performWrite, type WriteResult, type RunContext } from './perform-write.ts';
import type { Intent } from './journal/call-journal.ts';
import { entryFieldsOf, type Entry } from './events.ts';
import type { LocatedProblem } from '../model/problem.ts';
import { isRetryable } from './limiter/retries.ts';
import type { Write } from './effects.ts';

type Failed = Extract<WriteResult, { outcome: 'failed' }>;

/**
 * Makes one change of a plan: one write, or two for a replace. `intent` is the journal's of the first. Rejects only for a
 * bug.
 */
export async function performChange(change: Change, context: RunContext, intent: Intent): Promise<Entry> {
  const [first, second] = writesOf(change);
  const result = await performWrite(first, change, context, { intent });
  if (second === undefined || result.outcome === 'failed' || result.outcome === 'not-attempted')
    return toEntry(change, result, context);
  // A replace is completed even when the run is interrupted: half of one is worse than a late end.
  const created = await performWrite(second, change, context, { finishes: true });
  const { outcome } = created;
  switch (outcome) {
    case 'done':
    case 'already':
      return { ...entryFieldsOf(change), outcome: 'done' };
    case 'failed': {
      const text = describeHalfReplace(change, created, knownKind(change.address, context.kinds));
      return makeFailedEntry(change, { ...text, ...retryOf(created), changed: true });
    }
    case 'not-attempted':
      throw new Error(`the second half of ${change.address} was never begun`);
    default:
      return outcome satisfies never;
  }
}

export function toEntry(change: Change, result: WriteResult, { kinds }: Pick<RunContext, 'kinds'>): Entry {
  if (result.outcome !== 'failed') return { ...entryFieldsOf(change), outcome: result.outcome };
  const text = describeFailure(change, result, knownKind(change.address, kinds));
  const changed = result.effect === 'overwrote' ? ({ changed: true } as const) : {};
  return makeFailedEntry(change, { ...text, ...retryOf(result), ...changed });
}

/** Whether the same write may succeed later: its call or response was lost, the gateway was busy, or the login was rejected. */
function retryOf({ error, effect }: Failed): Pick<Extract<Entry, { outcome: 'failed' }>, 'canRetry'> {
  const isLost = effect === 'not-made' || effect === 'unknown' || isRetryable(error);
  const isLogin = error.code === 'unauthorized' || error.code === 'forbidden';
  if (effect === 'overtaken' || effect === 'overwrote' || !(isLost || isLogin)) return {};
  return { canRetry: isLogin ? 'with-other-login' : true };
}

type FailureText = {
  readonly message: string;
  readonly hint?: string | undefined;
  /** Default: gateway-error. */
  readonly code?: LocatedProblem['code'];
};

export function makeFailedEntry(
  change: Change,
  {
    message,
    hint,
    code = 'gateway-error',
    changed,
    canRetry,
  }: FailureText & { readonly changed?: true } & ReturnType<typeof retryOf>,
): Entry {
  const { address, at } = change;
  return {
    ...entryFieldsOf(change),
    outcome: 'failed',
    problem: {
      ...{ code, severity: 'error', message, address },
      ...(at !== undefined && { at }),
      ...(hint !== undefined && { hint }),
    },
    ...(changed && { changed }),
    ...(canRetry && { canRetry }),
  };
}

/** The writes that a change consists of. */
function writesOf(change: Change): readonly [Write, Write?] {
  switch (change.action) {
    case 'create':
    case 'update':
      return [{ call: 'put', resource: change.after }];
    case 'replace':
      return [
        { call: 'remove', resource: change.before },
        { call: 'put', resource: change.after },
      ];
    case 'delete':
      return [{ call: 'remove', resource: change.before }];
    default:
      return change satisfies never;
  }
}

/** The write that a change begins with. */
export function firstWriteOf(change: Change): Write {
  return writesOf(change)[0];
}

/** The write that leaves the object as planned. */
export function lastWriteOf(change: Change): Write {
  const [first, second] = writesOf(change);
  return second ?? first;
}

const FIND_WRITER = 'find out which other client writes this object, then plan again';
const PLAN_AGAIN = 'plan again to see whether it was made';
const MAY_FOLLOW = 'the write may still take effect, so plan again before the next apply';
const PLAN_CREATE = 'fix the cause and plan again: the change is a create now';

function describeFailure(change: Change, { error, effect, mismatch }: Failed, kind: Kind): FailureText {
  const why = hideSecretsIn(error.message, change, kind);
  const { action, address } = change;
  const { status } = error;
  const hint = error.code === 'timeout' && !error.unsent ? `${error.hint ?? ''}; ${MAY_FOLLOW}` : error.hint;
  if (effect === 'not-made') return { message: `the ${action} of ${address} was not made: ${why}`, hint };
  if (effect === 'refused' && status !== undefined) {
    const refused = isDecision(error)
      ? `refused to ${action} ${address} (${status})`
      : `did not ${action} ${address}`;
    return { message: `the gateway ${refused}: ${why}`, hint };
  }
  if (effect === 'overwrote')
    return {
      message: `${address} was overtaken: ${why}, and this run wrote over it`,
      hint: FIND_WRITER,
      code: 'overtaken',
    };
  if (effect === 'overtaken') {
    const now = `it is now neither as before nor as planned: ${mismatch ?? ''}`;
    const response = status === undefined ? 'no response' : 'no clear response';
    const message = `${response} to the ${action} of ${address}, and ${now}`;
    return { message, hint: FIND_WRITER, code: effect };
  }
  return {
    message: `unknown whether the ${action} of ${address} was made: ${why}`,
    hint: error.code === 'timeout' ? hint : PLAN_AGAIN,
  };
}

/** A gateway that has no time, or a fault, has decided nothing; its message has the status. */
function isDecision({ code }: GatewayError): boolean {
  return code !== 'busy' && code !== 'failed';
}

function describeHalfReplace(change: Change, { error, effect, mismatch }: Failed, kind: Kind): FailureText {
  const why = hideSecretsIn(error.message, change, kind);
  const { address } = change;
  switch (effect) {
    case 'refused':
    case 'not-made': {
      const half = `deleted and not created again: ${why}`;
      const message =
        effect === 'not-made' || error.status === undefined || !isDecision(error)
          ? `the replace of ${address} was made in half: ${half}`
          : `the gateway refused to replace ${address} (${error.status}): ${half}`;
      return { message, hint: PLAN_CREATE };
    }
    case 'overwrote':
    case 'overtaken': {
      const message = `${address} was deleted, there was no response to its create, and it differs now: ${mismatch ?? ''}`;
      return { message, hint: FIND_WRITER, code: 'overtaken' };
    }
    case 'unknown':
      return {
        message: `${address} was deleted, and it is unknown whether it was created again: ${why}`,
        hint: PLAN_AGAIN,
      };
    default:
      return effect satisfies never;
  }
}
