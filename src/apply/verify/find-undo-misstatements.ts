import { sameJson } from '../../model/json/json.ts';
import { knownKind, type Kind, type KindSet } from '../../model/kind.ts';
import { declarable, normalForm, requestBody } from '../../model/normal/normal-form.ts';
import type { Problem } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { anyItem } from '../../model/secrets/secrets.ts';
import { idOf, isStep, type ChangeId } from '../../plan/change/plan.ts';
import type { SavedChange } from '../../plan/saved/saved-plan.ts';
import { hideSecrets } from '../../plan/secrets/redact.ts';
import { derive, misstated, showsItself } from './find-misstatements.ts';

/**
 * Where an undo shows something else than what it would do. It was made from what the run wrote, which the gateway may have
 * completed and put in order, and the run may have stopped anywhere. Its changes are made in the order that it shows.
 */
export function findUndoMisstatements(
  changes: readonly SavedChange[],
  already: ReadonlySet<ChangeId>,
  live: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
): readonly Problem[] {
  return changes.flatMap((change) => {
    const now = already.has(idOf(change)) ? undefined : live.get(change.address);
    const what = findDifference(change, now, kinds);
    return what === undefined ? [] : [misstated(change.address, what)];
  });
}

/** What a change shows otherwise than it is. */
function findDifference(shown: SavedChange, now: Resource | undefined, kinds: KindSet): string | undefined {
  const kind = knownKind(shown.address, kinds);
  if (!showsItself(shown, kind, kinds)) return 'other fields';
  const draft = now === undefined ? undefined : derive(shown, now, kind);
  if (draft === undefined || isStep(shown)) return undefined;
  const derived = hideSecrets({ ...draft, dependsOn: [], stage: 1 }, kinds); // a change but for its place
  if (derived.action !== shown.action) return 'another action';
  if (!('before' in shown) || !('before' in derived)) return undefined;
  const [was, is] = [shown.before, derived.before].map((one) => normalForm(kind, one));
  const isHalfway = shown.halfway !== undefined; // an extra step of the run may stand
  if (!isHalfway && was !== undefined && is !== undefined && !sameJson(was, is))
    return 'another former value';
  if (!('fields' in shown) || !('fields' in derived)) return undefined;
  if (shown.action === 'update' && hasUnknown(kind, shown.after, now)) return 'another body';
  const paths = new Set(shown.fields.map(({ path }) => anyItem(path)));
  return derived.fields.every(({ path }) => paths.has(anyItem(path))) ? undefined : 'other fields';
}

/** Whether a body has fields that gwconf does not know and that are not on the gateway: nothing shows those. */
function hasUnknown(kind: Kind, body: Resource, now: Resource | undefined): boolean {
  return !sameJson(requestBody(kind, declarable(kind, body), now), requestBody(kind, body, now));
}
