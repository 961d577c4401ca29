import { canonicalText, isList, valueOf, type Json } from '../../model/json/json.ts';
import type { KindSet, Tokens } from '../../model/kind.ts';
import { comparable, normalForm, requestBody } from '../../model/normal/normal-form.ts';
import { changeResource, kindOf, type Resource } from '../../model/resource.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import { list } from '../../model/text/list.ts';
import { diffFields } from '../diff/diff.ts';
import { marksOf, templatesOf, type DraftChange } from '../change/plan.ts';

/**
 * The extra step before an update in which its object gets the items of sets that the update adds, and keeps those that it
 * removes: what has to be added early no longer waits for what has to be removed late. Undefined where the update does not
 * do both.
 */
export function makeExpansion(change: DraftChange, kinds: KindSet): DraftChange | undefined {
  const kind = kinds.get(kindOf(change.address));
  if (kind === undefined || change.action !== 'update' || change.step !== undefined) return undefined;
  const { before, after, address, at } = change;
  // A template of the update names a place in another list.
  if (secretPlaces(kind, after, templatesOf(change.templates)).size > 0) return undefined;
  const [was, is] = [before, after].map((one) => comparable(kind, one));
  if (was === undefined || is === undefined) return undefined;
  let merged = before;
  const grown: string[] = [];
  for (const set of kind.sets(after)) {
    const more = itemsMissing(is, was, set);
    if (more.length === 0) continue;
    merged = changeResource(merged, set, (found) => [...(isList(found) ? found : []), ...more]);
    grown.push(set.at(-1) ?? '');
  }
  const [own, full, wanted] = [before, merged, after].map((one) => normalForm(kind, one));
  if (own === undefined || full === undefined || wanted === undefined) return undefined;
  const fields = diffFields(own, full, kind.sets(merged));
  if (fields.length === 0 || diffFields(full, wanted, kind.sets(after)).length === 0) return undefined;
  return {
    ...{ address, action: 'update', step: 'expand' },
    reason: `adds to ${list(grown)} before anything is removed, so that no principal lacks protection in between`,
    ...(at === undefined ? {} : { at }),
    ...marksOf(change),
    before,
    after: requestBody(kind, merged, before),
    fields,
  };
}

/** The items of a set that another resource does not have. */
function itemsMissing(from: Resource, other: Resource, set: Tokens): readonly Json[] {
  const known = new Set(itemsOf(other, set).map(canonicalText));
  return itemsOf(from, set).filter((item) => !known.has(canonicalText(item)));
}

function itemsOf(resource: Resource, set: Tokens): readonly Json[] {
  const found = set.reduce<Json | undefined>(valueOf, resource);
  return isList(found) ? found : [];
}
