import { knownKind, type Kind } from '../model/kind.ts';
import type { LocatedProblem } from '../model/problem.ts';
import type { Change } from '../plan/change/plan.ts';
import { hideSecretsIn } from '../plan/secrets/hide-secrets.ts';
import { performWrite, type WriteResult, type RunContext } from './perform-write.ts';
import type { Intent } from './journal/call-journal.ts';
import { entryFieldsOf, type Entry } from './events.ts';
import type { Write } from './effects.ts';

type Failed = Extract<WriteResult, { outcome: 'failed' }>;

/**
 * Makes one change of a plan, which is one write, or for a replace two; `intent` is what the journal knows of the first.
 * Rejects only for a bug.
 */
export async function performChange(change: Change, context: RunContext, intent: Intent): Promise<Entry> {
  const [first, second] = writesOf(change);
  const made = await performWrite(first, change, context, { intent });
  if (second === undefined || made.outcome === 'failed' || made.outcome === 'not-attempted')
    return toEntry(change, made, context);
  // Half of a replace is worse than a late end.
  const anew = await performWrite(second, change, context, { finishes: true });
  const { outcome } = anew;
  switch (outcome) {
    case 'done':
    case 'already':
      return { ...entryFieldsOf(change), outcome: 'done' };
    case 'failed':
      return makeFailedEntry(change, {
        ...describeHalfReplace(change, anew, knownKind(change.address, context.kinds)),
        inHalf: true,
      });
    case 'not-attempted':
      throw new Error(`the second half of ${change.address} was never begun`);
    default:
      return outcome satisfies never;
  }
}

export function toEntry(change: Change, made: WriteResult, context: Pick<RunContext, 'kinds'>): Entry {
  if (made.outcome !== 'failed') return { ...entryFieldsOf(change), outcome: made.outcome };
  return makeFailedEntry(change, describeFailure(change, made, knownKind(change.address, context.kinds)));
}

export function makeFailedEntry(change: Change, said: FailureText): Entry {
  const problem: LocatedProblem = {
    code: 'gateway-error',
    severity: 'error',
    message: said.message,
    address: change.address,
    ...(change.at === undefined ? {} : { at: change.at }),
    ...(said.hint === undefined ? {} : { hint: said.hint }),
  };
  return {
    ...entryFieldsOf(change),
    outcome: 'failed',
    problem,
    ...(said.inHalf === true ? { inHalf: true } : {}),
  };
}

type FailureText = { readonly message: string; readonly hint?: string | undefined; readonly inHalf?: true };

/** The writes that a change is made of. */
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

/** The write that brings about what a change was for, once more. */
export function lastWriteOf(change: Change): Write {
  const [first, second] = writesOf(change);
  return second ?? first;
}

const PLAN_AGAIN = 'plan again: it shows whether the change was made';
const HALF_HINT = 'mend the cause and plan again: it is a create now';

function describeFailure(change: Change, { error, effect, mismatch }: Failed, kind: Kind): FailureText {
  const words = hideSecretsIn(error.message, change, kind);
  const { action, address } = change;
  switch (effect) {
    case 'refused': {
      if (error.status === undefined) break;
      const message = `the gateway refused to ${action} ${address} (${error.status}): ${words}`;
      return { message, hint: error.hint };
    }
    case 'not-made':
      return { message: `the ${action} of ${address} was not made: ${words}`, hint: error.hint };
    case 'overwritten': {
      const there = `neither what was there nor what was asked for is there now: ${mismatch ?? ''}`;
      const message = `the answer to the ${action} of ${address} was lost, and ${there}`;
      return { message, hint: 'find out who else writes there, then plan again' };
    }
    case 'unknown':
      break;
    default:
      effect satisfies never;
  }
  const message = `whether the ${action} of ${address} was made is not known: ${words}`;
  return { message, hint: error.hint ?? PLAN_AGAIN };
}

function describeHalfReplace(change: Change, { error, effect, mismatch }: Failed, kind: Kind): FailureText {
  const words = hideSecretsIn(error.message, change, kind);
  const { address } = change;
  switch (effect) {
    case 'refused':
    case 'not-made': {
      const said = `it is deleted, and was not created anew: ${words}`;
      const message =
        effect === 'not-made' || error.status === undefined
          ? `the replace of ${address} was made in half: ${said}`
          : `the gateway refused to replace ${address} (${error.status}): ${said}`;
      return { message, hint: HALF_HINT };
    }
    case 'overwritten': {
      const message = `${address} was deleted, the answer to its creation was lost, and something else is there now: ${mismatch ?? ''}`;
      return { message, hint: 'find out who else writes there, then plan again' };
    }
    case 'unknown': {
      const message = `${address} is deleted, and whether it was created anew is not known: ${words}`;
      return { message, hint: PLAN_AGAIN };
    }
    default:
      return effect satisfies never;
  }
}
