import { addTo } from '../../model/collect.ts';
import { knownKind } from '../../model/kind.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { idOf, type Change, type ChangeId } from '../../plan/change/plan.ts';
import { performWrite, type RunContext } from '../perform-write.ts';
import { toEntry, makeFailedEntry, lastWriteOf } from '../perform-change.ts';
import { describeMismatch, isSame } from './compare.ts';
import type { Entry } from '../events.ts';
import { RetryBudget } from '../limiter/retry-budget.ts';
import { readList } from './list-batcher.ts';
import { isRetryable } from './classify-error.ts';

/** A change that is not in effect, and how the object differs from it. */
type Missing = { readonly change: Change; readonly mismatch: string };

type Corrected = { readonly change: Change; readonly entry: Entry };

/**
 * Reads what a run has written until all of it is in effect. What is not in effect in time is written once more, and then
 * counts as failed. Returns the entries that changed.
 */
export async function verifyWrites(
  changes: readonly Change[],
  entries: ReadonlyMap<ChangeId, Entry>,
  context: RunContext,
): Promise<readonly Corrected[]> {
  const corrected: Corrected[] = [];
  const missing = await findMissing(lastSuccessfulChanges(changes, entries), context);
  if (missing.length === 0 || context.signal.aborted) return corrected;
  const rewritten: Change[] = [];
  for (const { change, mismatch } of missing) {
    context.emit({ type: 'retrying', change, why: `confirmed but not in effect: ${mismatch}`, inMs: 0 });
    const result = await performWrite(lastWriteOf(change), change, context);
    if (result.outcome === 'failed') corrected.push({ change, entry: toEntry(change, result, context) });
    else if (result.outcome === 'not-attempted') corrected.push(failMissing({ change, mismatch }));
    else rewritten.push(change);
  }
  return [...corrected, ...(await findMissing(rewritten, context)).map(failMissing)];
}

/** For each object its last change, if this run made it and no later one failed. */
function lastSuccessfulChanges(
  changes: readonly Change[],
  entries: ReadonlyMap<ChangeId, Entry>,
): readonly Change[] {
  const last = new Map<Address, Change | undefined>();
  for (const change of changes) {
    const outcome = entries.get(idOf(change))?.outcome;
    if (outcome === 'done') last.set(change.address, change);
    if (outcome === 'failed') last.set(change.address, undefined);
  }
  return [...last.values()].filter((change) => change !== undefined);
}

function failMissing({ change, mismatch }: Missing): Corrected {
  const message = `the ${change.action} of ${change.address} was confirmed but is not in effect: ${mismatch}`;
  const hint = 'find out who else writes this object, then plan again';
  return { change, entry: makeFailedEntry(change, { message, hint }) };
}

/** What is not in effect within the settle timeout. A kind that cannot be read is reported, and none of it is missing. */
async function findMissing(changes: readonly Change[], context: RunContext): Promise<readonly Missing[]> {
  const retries = new RetryBudget(context);
  let missing: readonly Missing[] = [];
  let open = groupByKind(changes);
  while (open.length > 0 && !context.signal.aborted) {
    const checks = await Promise.all(open.map((ofKind) => checkKind(ofKind, context)));
    missing = checks.flatMap((check) => ('missing' in check ? check.missing : []));
    const asked = Math.max(0, ...checks.map((check) => ('why' in check ? check.retryAfterMs : 0)));
    open = checks.flatMap((check) => check.open);
    const ms = open.length === 0 ? undefined : retries.nextDelay(asked === 0 ? undefined : asked);
    if (ms === undefined) {
      for (const check of checks)
        if ('why' in check && check.open.length > 0)
          context.emit({ type: 'unverified', kind: check.kind, why: check.why });
      return missing;
    }
    await context.clock.wait(ms, context.signal);
  }
  return context.signal.aborted ? [] : missing;
}

/** `open` is what to check again. */
type KindCheck = { readonly open: readonly (readonly Change[])[] } & (
  | { readonly missing: readonly Missing[] }
  | { readonly kind: string; readonly why: string; readonly retryAfterMs: number }
);

async function checkKind(changes: readonly Change[], context: RunContext): Promise<KindCheck> {
  const [first] = changes;
  if (first === undefined) return { open: [], missing: [] };
  const kind = knownKind(first.address, context.kinds);
  const read = await readList(context.lists, kind);
  if ('error' in read) {
    const { error } = read;
    const why = error.message;
    if (isRetryable(error))
      return { open: [changes], kind: kind.name, why, retryAfterMs: error.retryAfterMs ?? 0 };
    context.emit({ type: 'unverified', kind: kind.name, why });
    return { open: [], missing: [] };
  }
  const missing = changes.flatMap((change): readonly Missing[] => {
    const live = read.listed.get(change.address);
    const wanted = change.action === 'delete' ? undefined : change.after;
    return isSame(kind, live, wanted)
      ? []
      : [{ change, mismatch: describeMismatch(change, live, context.kinds) }];
  });
  return { open: missing.length === 0 ? [] : [missing.map(({ change }) => change)], missing };
}

function groupByKind(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) addTo(groups, kindOf(change.address), change);
  return [...groups.values()];
}
