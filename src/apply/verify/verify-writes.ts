import { addTo } from '../../model/collect.ts';
import { knownKind } from '../../model/kind.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { idOf, type Change, type ChangeId } from '../../plan/change/plan.ts';
import { makeStep, type Site } from '../perform-write.ts';
import { entryOf, failedEntry, lastStepOf } from '../perform-change.ts';
import { insteadText, same } from './compare.ts';
import type { Entry } from '../events.ts';
import { Patience } from '../limiter/retry-budget.ts';
import { readAgain } from './list-batcher.ts';
import { mayChange } from './classify-error.ts';

/** A change that does not show, and what is there instead. */
type Missing = { readonly change: Change; readonly instead: string };

/**
 * Reads again what a run has touched until all of it shows. What does not show in time is written again, once more, and
 * then counts as failed. Gives the entries that are not what they were.
 */
export async function readBack(
  changes: readonly Change[],
  entries: ReadonlyMap<ChangeId, Entry>,
  site: Site,
): Promise<readonly { readonly change: Change; readonly entry: Entry }[]> {
  const corrected: { readonly change: Change; readonly entry: Entry }[] = [];
  let missing = await poll(touched(changes, entries), site);
  if (missing.length === 0 || site.signal.aborted) return corrected;
  const rewritten: Change[] = [];
  for (const { change, instead } of missing) {
    site.tell({ type: 'retrying', change, why: `it did not stick: ${instead}`, inMs: 0 });
    const made = await makeStep(lastStepOf(change), change, site);
    if (made.outcome === 'failed') corrected.push({ change, entry: entryOf(change, made, site) });
    else if (made.outcome === 'not-attempted') corrected.push(notStuck({ change, instead }));
    else rewritten.push(change);
  }
  missing = await poll(rewritten, site);
  return [...corrected, ...missing.map(notStuck)];
}

/** The last change of each object, where this run made it and nothing that came after it failed. */
function touched(changes: readonly Change[], entries: ReadonlyMap<ChangeId, Entry>): readonly Change[] {
  const last = new Map<Address, Change | undefined>();
  for (const change of changes) {
    const outcome = entries.get(idOf(change))?.outcome;
    if (outcome === 'done') last.set(change.address, change);
    if (outcome === 'failed') last.set(change.address, undefined);
  }
  return [...last.values()].filter((change) => change !== undefined);
}

function notStuck({ change, instead }: Missing): { readonly change: Change; readonly entry: Entry } {
  const message = `the ${change.action} of ${change.address} was made and did not stick: ${instead}`;
  const hint = 'find out who else writes there, then plan again';
  return { change, entry: failedEntry(change, { message, hint }) };
}

/** What does not show within the settle timeout. A kind that cannot be read any more is told of, and left as it is. */
async function poll(changes: readonly Change[], site: Site): Promise<readonly Missing[]> {
  const patience = new Patience(site);
  let missing: readonly Missing[] = [];
  let open = byKind(changes);
  while (open.length > 0 && !site.signal.aborted) {
    const looked = await Promise.all(open.map((ofKind) => look(ofKind, site)));
    missing = looked.flatMap((found) => ('missing' in found ? found.missing : []));
    const asked = Math.max(0, ...looked.map((found) => ('retryAfterMs' in found ? found.retryAfterMs : 0)));
    open = looked.flatMap((found) => found.open);
    const ms = open.length === 0 ? undefined : patience.next(asked === 0 ? undefined : asked);
    if (ms === undefined) {
      for (const found of looked) {
        if (!('why' in found) || found.open.length === 0) continue;
        site.tell({ type: 'unread', kind: found.kind, why: found.why });
      }
      return missing;
    }
    await site.clock.wait(ms, site.signal);
  }
  return site.signal.aborted ? [] : missing;
}

type Looked = { readonly open: readonly (readonly Change[])[] } & (
  | { readonly missing: readonly Missing[] }
  | { readonly kind: string; readonly why: string; readonly retryAfterMs: number }
);

/** Reads one kind; `open` is what to look at once more. */
async function look(changes: readonly Change[], site: Site): Promise<Looked> {
  const [first] = changes;
  if (first === undefined) return { open: [], missing: [] };
  const kind = knownKind(first.address, site.kinds);
  const read = await readAgain(site.rereading, kind);
  if ('error' in read) {
    const { error } = read;
    const why = error.message;
    if (mayChange(error))
      return { open: [changes], kind: kind.name, why, retryAfterMs: error.retryAfterMs ?? 0 };
    site.tell({ type: 'unread', kind: kind.name, why });
    return { open: [], missing: [] };
  }
  const missing = changes.flatMap((change): readonly Missing[] => {
    const live = read.listed.get(change.address);
    const wanted = change.action === 'delete' ? undefined : change.after;
    return same(kind, live, wanted) ? [] : [{ change, instead: insteadText(change, live, site.kinds) }];
  });
  return { open: missing.length === 0 ? [] : [missing.map(({ change }) => change)], missing };
}

function byKind(changes: readonly Change[]): readonly (readonly Change[])[] {
  const groups = new Map<string, Change[]>();
  for (const change of changes) addTo(groups, kindOf(change.address), change);
  return [...groups.values()];
}
