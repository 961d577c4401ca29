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

/** A change that does not show, and what is there instead. */
type Missing = { readonly change: Change; readonly mismatch: string };

/**
 * Reads again what a run has touched until all of it shows. What does not show in time is written again, once more, and
 * then counts as failed. Gives the entries that are not what they were.
 */
export async function verifyWrites(
  changes: readonly Change[],
  entries: ReadonlyMap<ChangeId, Entry>,
  context: RunContext,
): Promise<readonly { readonly change: Change; readonly entry: Entry }[]> {
  const corrected: { readonly change: Change; readonly entry: Entry }[] = [];
  let missing = await poll(lastSuccessfulChanges(changes, entries), context);
  if (missing.length === 0 || context.signal.aborted) return corrected;
  const rewritten: Change[] = [];
  for (const { change, mismatch } of missing) {
    context.emit({ type: 'retrying', change, why: `it did not stick: ${mismatch}`, inMs: 0 });
    const made = await performWrite(lastWriteOf(change), change, context);
    if (made.outcome === 'failed') corrected.push({ change, entry: toEntry(change, made, context) });
    else if (made.outcome === 'not-attempted') corrected.push(failMissing({ change, mismatch }));
    else rewritten.push(change);
  }
  missing = await poll(rewritten, context);
  return [...corrected, ...missing.map(failMissing)];
}

/** The last change of each object, where this run made it and nothing that came after it failed. */
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

function failMissing({ change, mismatch }: Missing): { readonly change: Change; readonly entry: Entry } {
  const message = `the ${change.action} of ${change.address} was made and did not stick: ${mismatch}`;
  const hint = 'find out who else writes there, then plan again';
  return { change, entry: makeFailedEntry(change, { message, hint }) };
}

/** What does not show within the settle timeout. A kind that cannot be read any more is told of, and left as it is. */
async function poll(changes: readonly Change[], context: RunContext): Promise<readonly Missing[]> {
  const retries = new RetryBudget(context);
  let missing: readonly Missing[] = [];
  let open = groupByKind(changes);
  while (open.length > 0 && !context.signal.aborted) {
    const looked = await Promise.all(open.map((ofKind) => checkKind(ofKind, context)));
    missing = looked.flatMap((found) => ('missing' in found ? found.missing : []));
    const asked = Math.max(0, ...looked.map((found) => ('retryAfterMs' in found ? found.retryAfterMs : 0)));
    open = looked.flatMap((found) => found.open);
    const ms = open.length === 0 ? undefined : retries.nextDelay(asked === 0 ? undefined : asked);
    if (ms === undefined) {
      for (const found of looked) {
        if (!('why' in found) || found.open.length === 0) continue;
        context.emit({ type: 'unverified', kind: found.kind, why: found.why });
      }
      return missing;
    }
    await context.clock.wait(ms, context.signal);
  }
  return context.signal.aborted ? [] : missing;
}

type KindCheck = { readonly open: readonly (readonly Change[])[] } & (
  | { readonly missing: readonly Missing[] }
  | { readonly kind: string; readonly why: string; readonly retryAfterMs: number }
);

/** Reads one kind; `open` is what to look at once more. */
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
