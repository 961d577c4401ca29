import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import type { FieldDifference } from '../../model/field-difference.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { requestBody } from '../../model/normal/normal-form.ts';
import type { Position } from '../../model/problem.ts';
import type { Removal, Rules } from '../../model/rules.ts';
import {
  placeOf,
  type Declared,
  type DesiredState,
  type LiveState,
  type Overlay,
} from '../../model/state.ts';
import { compileGlobs } from '../../model/text/glob.ts';
import { LEFT_BEHIND, type DraftChange } from './change.ts';
import { diffResources } from './diff-resources.ts';
import { isBuiltIn, makeMatcher, type Matcher } from './select.ts';

/** What files and rules ask for, beside the desired state. */
export type Wanted = {
  readonly rules: Rules;
  readonly removals: readonly Removal[];
  readonly prune: readonly string[] | undefined;
  readonly isSelected: Matcher;
  readonly isIgnored: Matcher;
};

/** What becomes of each object: a change, or why there is none. */
export type Drafts = {
  readonly drafts: readonly DraftChange[];
  /** Of the live objects, those that are declared or may be deleted. */
  readonly managed: readonly Address[];
} & Readonly<Record<Reason, readonly Address[]>>;

/** Why an object is not changed: it is as declared, in no file, of others, or not looked at. */
type Reason = 'unchanged' | 'unclaimed' | 'unmanaged' | 'unselected';

type Fate = { readonly isManaged: boolean; readonly outcome: DraftChange | Reason };

/** Compares each object of either state with the other. */
export function draftChanges(desired: DesiredState, live: LiveState, kinds: KindSet, wanted: Wanted): Drafts {
  const { rules, removals, isSelected, isIgnored } = wanted;
  const claimOf = claims(wanted, kinds);
  const movedFrom = new Map(
    removals.flatMap(({ address, to }) =>
      to !== undefined && live.resources.has(address) ? [[to.address, address] as const] : [],
    ),
  );
  const found = {
    drafts: [] as DraftChange[],
    managed: [] as Address[],
    unchanged: [] as Address[],
    unclaimed: [] as Address[],
    unmanaged: [] as Address[],
    unselected: [] as Address[],
  };
  for (const declared of desired.values()) note(declared.address, fateOfDeclared(declared));
  for (const [address, before] of live.resources)
    if (!desired.has(address)) note(address, fateOfOther(address, before));
  return found;

  function note(address: Address, fate: Fate | undefined): void {
    if (fate === undefined) return;
    const { isManaged, outcome } = fate;
    if (isManaged) found.managed.push(address);
    if (typeof outcome === 'string') found[outcome].push(address);
    else found.drafts.push(outcome);
  }

  function fateOfDeclared(declared: Declared): Fate | undefined {
    const { address } = declared;
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || live.unavailable.has(kind.name)) return undefined;
    const before = live.resources.get(address);
    const isManaged = before !== undefined;
    const from = movedFrom.get(address);
    // One half of a move is none.
    const isSplit = before === undefined && from !== undefined && !isSelected(from);
    if (!isSelected(address) || isSplit) return { isManaged, outcome: 'unselected' };
    const change = compare(declared, before, kind);
    if (change?.action !== 'create' || from === undefined)
      return { isManaged, outcome: change ?? 'unchanged' };
    return { isManaged, outcome: { ...change, movedFrom: from } };
  }

  /** Of a live object that no file declares. Undefined for one that no plan speaks of. */
  function fateOfOther(address: Address, before: Resource): Fate | undefined {
    if (isIgnored(address) || isBuiltIn(address, kinds)) return undefined;
    const claim = claimOf(address);
    if (claim === 'external') return undefined;
    const isWanted = isSelected(address);
    const isOwn = rules.manages === undefined || claim !== 'unmanaged';
    const isLeft = kinds.get(kindOf(address))?.isBridge?.(before) === true;
    if (isLeft && isOwn && isWanted && typeof claim === 'string')
      return { isManaged: true, outcome: { action: 'delete', address, before, removal: LEFT_BEHIND } };
    if (claim === 'unmanaged') {
      const isTold = isWanted || rules.manages !== undefined;
      return { isManaged: false, outcome: isTold ? 'unmanaged' : 'unselected' };
    }
    const removal = typeof claim === 'string' ? undefined : claim;
    const isSplit = removal?.to !== undefined && !isSelected(removal.to.address);
    if (!isWanted || isSplit) return { isManaged: true, outcome: 'unselected' };
    if (claim === 'unclaimed') return { isManaged: true, outcome: 'unclaimed' };
    return {
      isManaged: true,
      outcome: { action: 'delete', address, before, ...(removal && saidOf(removal)) },
    };
  }
}

/** Decides what happens to objects that are live and in no file. */
function claims(
  { rules, removals, prune }: Pick<Wanted, 'rules' | 'removals' | 'prune'>,
  kinds: KindSet,
): (address: Address) => Removal | 'pruned' | 'unclaimed' | 'unmanaged' | 'external' {
  const byAddress = new Map(removals.map((removal) => [removal.address, removal]));
  const isManaged = rules.manages === undefined ? undefined : makeMatcher(rules.manages, kinds);
  const isPruned = prune === undefined ? () => false : makeMatcher(prune, kinds);
  const isExternal = compileGlobs((rules.external ?? []).map(({ address }) => address));
  return (address) => {
    if (isExternal(address)) return 'external';
    if (isManaged?.(address) === false) return 'unmanaged';
    const removal = byAddress.get(address);
    if (removal !== undefined) return removal;
    if (isPruned(address)) return 'pruned';
    return isManaged === undefined ? 'unmanaged' : 'unclaimed';
  };
}

function saidOf({
  at,
  reason,
  to,
}: Removal): Pick<Extract<DraftChange, { action: 'delete' }>, 'at' | 'removal' | 'movedTo'> {
  return { at, removal: reason, ...(to === undefined ? {} : { movedTo: to.address }) };
}

function compare(declared: Declared, before: Resource | undefined, kind: Kind): DraftChange | undefined {
  const { address, resource, at } = declared;
  const templates =
    declared.templates === undefined ? {} : { templates: Object.fromEntries(declared.templates) };
  if (before === undefined)
    return { action: 'create', address, at, after: requestBody(kind, resource), ...templates };
  const change = diffResources(before, resource, kind, { address, at, ...templates });
  return change !== undefined && 'fields' in change
    ? { ...change, at: madeAt(declared, change.fields) }
    : change;
}

/** The place of the last layer that a changed field comes from: whoever reads the change looks there. */
function madeAt(declared: Declared, fields: readonly FieldDifference[]): Position {
  const { overlays = [], at } = declared;
  if (overlays.length === 0) return at;
  const places = fields.map(({ path }) => placeOf(declared, path));
  const isMade = (one: Overlay): boolean =>
    places.some((place) => 'document' in place && place.document === one.document);
  return overlays.findLast(isMade)?.at ?? at;
}
