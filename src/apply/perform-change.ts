import { knownKind, type Kind } from '../model/kind.ts';
import type { LocatedProblem } from '../model/problem.ts';
import type { Change } from '../plan/change/plan.ts';
import { hideSecretsIn } from '../plan/secrets/hide-secrets.ts';
import { makeStep, type Made, type Site } from './perform-write.ts';
import type { Intent } from './journal/call-journal.ts';
import { aboutChange, type Entry } from './events.ts';
import type { Step } from './effects.ts';

type Failed = Extract<Made, { outcome: 'failed' }>;

/**
 * Makes one change of a plan, which is one write, or for a replace two; `intent` is what the journal knows of the first.
 * Rejects only for a bug.
 */
export async function makeChange(change: Change, site: Site, intent: Intent): Promise<Entry> {
  const [first, second] = stepsOf(change);
  const made = await makeStep(first, change, site, { intent });
  if (second === undefined || made.outcome === 'failed' || made.outcome === 'not-attempted')
    return entryOf(change, made, site);
  // Half of a replace is worse than a late end.
  const anew = await makeStep(second, change, site, { finishes: true });
  const { outcome } = anew;
  switch (outcome) {
    case 'done':
    case 'already':
      return { ...aboutChange(change), outcome: 'done' };
    case 'failed':
      return failedEntry(change, {
        ...halfReplaced(change, anew, knownKind(change.address, site.kinds)),
        inHalf: true,
      });
    case 'not-attempted':
      throw new Error(`the second half of ${change.address} was never begun`);
    default:
      return outcome satisfies never;
  }
}

export function entryOf(change: Change, made: Made, site: Pick<Site, 'kinds'>): Entry {
  if (made.outcome !== 'failed') return { ...aboutChange(change), outcome: made.outcome };
  return failedEntry(change, failure(change, made, knownKind(change.address, site.kinds)));
}

export function failedEntry(change: Change, said: Said): Entry {
  const problem: LocatedProblem = {
    code: 'gateway-error',
    severity: 'error',
    message: said.message,
    address: change.address,
    ...(change.at === undefined ? {} : { at: change.at }),
    ...(said.hint === undefined ? {} : { hint: said.hint }),
  };
  return {
    ...aboutChange(change),
    outcome: 'failed',
    problem,
    ...(said.inHalf === true ? { inHalf: true } : {}),
  };
}

type Said = { readonly message: string; readonly hint?: string | undefined; readonly inHalf?: true };

/** The writes that a change is made of. */
function stepsOf(change: Change): readonly [Step, Step?] {
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
export function firstStepOf(change: Change): Step {
  return stepsOf(change)[0];
}

/** The write that brings about what a change was for, once more. */
export function lastStepOf(change: Change): Step {
  const [first, second] = stepsOf(change);
  return second ?? first;
}

const PLAN_AGAIN = 'plan again: it shows whether the change was made';
const HALF_HINT = 'mend the cause and plan again: it is a create now';

function failure(change: Change, { error, known, instead }: Failed, kind: Kind): Said {
  const words = hideSecretsIn(error.message, change, kind);
  const { action, address } = change;
  switch (known) {
    case 'refused': {
      if (error.status === undefined) break;
      const message = `the gateway refused to ${action} ${address} (${error.status}): ${words}`;
      return { message, hint: error.hint };
    }
    case 'not-made':
      return { message: `the ${action} of ${address} was not made: ${words}`, hint: error.hint };
    case 'something-else': {
      const there = `neither what was there nor what was asked for is there now: ${instead ?? ''}`;
      const message = `the answer to the ${action} of ${address} was lost, and ${there}`;
      return { message, hint: 'find out who else writes there, then plan again' };
    }
    case 'nothing':
      break;
    default:
      known satisfies never;
  }
  const message = `whether the ${action} of ${address} was made is not known: ${words}`;
  return { message, hint: error.hint ?? PLAN_AGAIN };
}

function halfReplaced(change: Change, { error, known, instead }: Failed, kind: Kind): Said {
  const words = hideSecretsIn(error.message, change, kind);
  const { address } = change;
  switch (known) {
    case 'refused':
    case 'not-made': {
      const said = `it is deleted, and was not created anew: ${words}`;
      const message =
        known === 'not-made' || error.status === undefined
          ? `the replace of ${address} was made in half: ${said}`
          : `the gateway refused to replace ${address} (${error.status}): ${said}`;
      return { message, hint: HALF_HINT };
    }
    case 'something-else': {
      const message = `${address} was deleted, the answer to its creation was lost, and something else is there now: ${instead ?? ''}`;
      return { message, hint: 'find out who else writes there, then plan again' };
    }
    case 'nothing': {
      const message = `${address} is deleted, and whether it was created anew is not known: ${words}`;
      return { message, hint: PLAN_AGAIN };
    }
    default:
      return known satisfies never;
  }
}
