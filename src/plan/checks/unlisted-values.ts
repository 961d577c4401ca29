import { addTo } from '../../model/collect.ts';
import { valueAt } from '../../model/json/json.ts';
import type { Kind, KindSet, Variants } from '../../model/kind.ts';
import { didYouMean, type Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { placeOf, type DesiredState } from '../../model/state.ts';
import { isMisspelt, suggest } from '../../model/text/suggest.ts';
import { afterOf, beforeOf, type DraftChange } from '../change/change.ts';

/** A value that selects a variant, and that a change brings to the gateway. */
type Chosen = { readonly address: Address; readonly value: string; readonly variants: Variants };
/** The names that a gateway lists, by kind. */
export type Listed = ReadonlyMap<string, ReadonlySet<string>>;

/** The kinds whose lists can be needed, of any changes. */
export function findListedKinds(kinds: KindSet): readonly Kind[] {
  const names = new Set([...kinds.values()].map(({ variants }) => variants?.listedAs ?? ''));
  return [...names].flatMap((name) => kinds.get(name) ?? []);
}

/** The kinds whose lists are needed to check these changes, such as that of plugins for new interceptors. */
export function findNeededLists(changes: readonly DraftChange[], kinds: KindSet): readonly Kind[] {
  const names = new Set(chosenIn(changes, kinds).map(({ variants }) => variants.listedAs));
  return [...names].flatMap((name) => kinds.get(name ?? '') ?? []);
}

/** Changes that the gateway would reject because it does not have the value, such as an unknown plugin class. */
export function checkListedValues(
  changes: readonly DraftChange[],
  listed: Listed,
  kinds: KindSet,
  desired: DesiredState = new Map(),
): readonly Problem[] {
  return chosenIn(changes, kinds).flatMap(({ address, value, variants }): readonly Problem[] => {
    const names = listed.get(variants.listedAs ?? '');
    if (names === undefined || names.has(value) || !isComplete(names, variants)) return [];
    if (!isListable(value, [...names], variants)) return [];
    const near = findNear(value, names);
    const declared = desired.get(address);
    return [
      {
        code: 'unknown-class',
        severity: 'error',
        message: `${address} cannot be written: the gateway has no ${value}`,
        ...(declared === undefined ? {} : { at: placeOf(declared, variants.by) }),
        address,
        path: variants.by,
        ...didYouMean(near, 'use a class that the gateway has'),
      },
    ];
  });
}

function chosenIn(changes: readonly DraftChange[], kinds: KindSet): readonly Chosen[] {
  return changes.flatMap((change): readonly Chosen[] => {
    const variants = kinds.get(kindOf(change.address))?.variants;
    const after = afterOf(change);
    if (variants?.listedAs === undefined || after === undefined) return [];
    const before = beforeOf(change);
    const value = valueAt(after, variants.by);
    const isKept = before !== undefined && valueAt(before, variants.by) === value;
    return typeof value === 'string' && !isKept ? [{ address: change.address, value, variants }] : [];
  });
}

/** Whether a list is one of all values: of names that are spelled as here. */
function isComplete(names: ReadonlySet<string>, { known }: Variants): boolean {
  return known.some(({ name }) => names.has(name));
}

/** Whether the list would have the value: one of the vendor, or one with a typo. It may leave out those of others. */
function isListable(value: string, names: readonly string[], { namespace = '' }: Variants): boolean {
  const isOwn = (name: string): boolean => !name.startsWith(namespace);
  return !isOwn(value) || names.some(isOwn) || isMisspelt(value, names);
}

/** Names have a long common beginning, so their last parts are compared. */
function findNear(value: string, names: ReadonlySet<string>): string | undefined {
  const byEnd = new Map<string, string[]>();
  for (const name of names) addTo(byEnd, endOf(name), name);
  const [near] = byEnd.get(suggest(endOf(value), byEnd.keys()) ?? '') ?? [];
  return near;
}

function endOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}
