import { canonicalText, placesOf, printPointer, sameJson, valueAt, type Pointer } from '../model/json.ts';
import { addTo } from '../model/collect.ts';
import type { Kind, KindSet } from '../model/kind.ts';
import { comparable, normalForm, requestBody } from '../model/normal-form.ts';
import type { Checked, Problem } from '../model/problem.ts';
import { kindOf, type Address, type Resource } from '../model/resource.ts';
import { placeOf, type Declared, type DesiredState, type LiveState } from '../model/state.ts';
import { diffFields } from './diff.ts';
import { afterOf, beforeOf, order, uniqueValues, type Unordered } from './order.ts';
import type { Change, Plan, Selection } from './plan.ts';
import { checkReferences, referencesOf } from './references.ts';
import { isBuiltIn, matcher, selector } from './select.ts';

export type PlanOptions = {
  /** The URL of the gateway that `live` was read from. */
  readonly gateway: string;
  readonly selection?: Selection;
  /** Delete what these globs match and no file mentions; absent, nothing is deleted. */
  readonly prune?: readonly string[];
};

/**
 * Compares what files ask for with what the gateway has. The plan's changes stand in the order in which they will be
 * made; what cannot be done, or would be refused, is a problem, and with an error among them the plan is not to be
 * applied.
 */
export function makePlan(
  desired: DesiredState,
  live: LiveState,
  kinds: KindSet,
  { gateway, selection = { target: [], exclude: [] }, prune }: PlanOptions,
): Checked<Plan> {
  const isSelected = selector(selection, kinds);
  const isOwned = prune === undefined ? () => false : matcher(prune, kinds);
  const unordered: Unordered[] = [];
  const lists = { unchanged: [] as Address[], unmanaged: [] as Address[], unselected: [] as Address[] };

  for (const declared of desired.values()) {
    const kind = kinds.get(kindOf(declared.address));
    if (kind === undefined || live.unavailable.has(kind.name)) continue;
    if (!isSelected(declared.address)) {
      lists.unselected.push(declared.address);
      continue;
    }
    const change = compare(declared, live.resources.get(declared.address), kind);
    if (change === undefined) lists.unchanged.push(declared.address);
    else unordered.push(change);
  }
  for (const [address, before] of live.resources) {
    if (desired.has(address) || isBuiltIn(address, kinds)) continue;
    if (!isSelected(address)) lists.unselected.push(address);
    else if (isOwned(address)) unordered.push({ action: 'delete', address, before });
    else lists.unmanaged.push(address);
  }

  const { changes, cycles } = order(unordered, kinds);
  const plan: Plan = {
    gateway,
    selection,
    ...(prune === undefined ? {} : { prune }),
    changes,
    unchanged: lists.unchanged.sort(),
    unmanaged: lists.unmanaged.sort(),
    unselected: lists.unselected.sort(),
  };
  const world = {
    desired,
    live,
    kinds,
    changes: new Map(unordered.map((change) => [change.address, change])),
  };
  return {
    value: plan,
    problems: [
      ...unavailableKinds(world),
      ...missingTargets(world, isSelected),
      ...stillReferenced(world),
      ...impossibleReplacements(world),
      ...takenValues(world),
      ...cycles.map((ring) => cycleProblem(ring, desired)),
    ],
  };
}

function compare(declared: Declared, before: Resource | undefined, kind: Kind): Unordered | undefined {
  const { address, resource, at } = declared;
  const templates =
    declared.templates === undefined ? {} : { templates: Object.fromEntries(declared.templates) };
  const after = requestBody(kind, resource, before);
  const about = { address, at, after, ...templates };
  if (before === undefined) return { action: 'create', ...about };
  const was = normalForm(kind, before);
  const is = normalForm(kind, resource);
  if (sameJson(was, is)) return undefined;
  const fields = diffFields(comparable(kind, before), comparable(kind, resource), kind.sets(resource));
  if (fields.length === 0) throw new Error(`${address} differs, but in no field`);
  const because = kind.immutable.filter((path) => {
    const value = valueAt(was, path);
    return value !== undefined && !sameJson(value, valueAt(is, path));
  });
  return because.length === 0
    ? { action: 'update', ...about, before, fields }
    : { action: 'replace', ...about, after: requestBody(kind, resource), before, fields, because };
}

type World = {
  readonly desired: DesiredState;
  readonly live: LiveState;
  readonly kinds: KindSet;
  readonly changes: ReadonlyMap<Address, Unordered>;
};

function unavailableKinds({ desired, live }: World): readonly Problem[] {
  return [...desired.values()].flatMap((declared): readonly Problem[] => {
    const kind = kindOf(declared.address);
    const words = live.unavailable.get(kind);
    if (words === undefined) return [];
    return [
      {
        code: 'kind-unavailable',
        severity: 'error',
        message: `${declared.address} cannot be there: the gateway does not serve ${kind}: ${words}`,
        at: placeOf(declared, '/kind'),
        address: declared.address,
        path: '/kind',
        hint: 'take it out, or change the security mode of the gateway',
      },
    ];
  });
}

/** References to what neither files nor gateway have, what this plan deletes, or what was left out of it. */
function missingTargets(world: World, isSelected: (address: Address) => boolean): readonly Problem[] {
  const { desired, live, kinds, changes } = world;
  const stays = (address: Address): boolean =>
    live.resources.has(address) && changes.get(address)?.action !== 'delete';
  const looked = new Map([...desired].filter(([address]) => isSelected(address)));
  const missing = checkReferences(looked, kinds, {
    has: (to) => desired.has(to) || stays(to),
    addresses: live.resources.keys(),
  });
  const unselected = [...changes.values()].flatMap((change) => {
    const kind = kinds.get(kindOf(change.address));
    const after = afterOf(change);
    const declared = desired.get(change.address);
    if (kind === undefined || after === undefined || declared === undefined) return [];
    return referencesOf(after, kind).flatMap(({ to, path }): readonly Problem[] => {
      if (!desired.has(to) || live.resources.has(to) || isSelected(to)) return [];
      return [
        {
          code: 'dangling-reference',
          severity: 'error',
          message: `${change.address} refers to ${to}, which is declared but left out of this plan, and the gateway does not have it`,
          at: placeOf(declared, path),
          address: change.address,
          path,
          hint: `select ${to} too`,
        },
      ];
    });
  });
  return [...missing, ...unselected];
}

/** Who refers to what when the plan is done, among what the plan deletes or replaces. */
function usersAfterwards(
  { live, kinds, changes }: World,
  of: (change: Unordered) => boolean,
): ReadonlyMap<Address, readonly Address[]> {
  const users = new Map<Address, Address[]>();
  if (![...changes.values()].some(of)) return users;
  const note = (address: Address, resource: Resource | undefined): void => {
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || resource === undefined) return;
    for (const { to } of referencesOf(resource, kind)) {
      const target = changes.get(to);
      if (target !== undefined && of(target)) addTo(users, to, address);
    }
  };
  for (const [address, resource] of live.resources) if (!changes.has(address)) note(address, resource);
  for (const change of changes.values()) note(change.address, afterOf(change));
  return users;
}

function stillReferenced(world: World): readonly Problem[] {
  const users = usersAfterwards(world, ({ action }) => action === 'delete');
  return [...users].flatMap(([address, names]): readonly Problem[] => {
    const undeclared = names.filter((name) => !world.desired.has(name));
    if (undeclared.length === 0) return []; // each declared one is told of its missing target
    return [
      {
        code: 'still-referenced',
        severity: 'error',
        message: `${address} would be deleted, but ${list(undeclared)} still ${undeclared.length === 1 ? 'refers' : 'refer'} to it`,
        address,
        hint: `manage and prune ${undeclared.length === 1 ? 'it' : 'them'} too, or leave ${address} alone`,
      },
    ];
  });
}

function impossibleReplacements(world: World): readonly Problem[] {
  const { desired, kinds, changes } = world;
  const users = usersAfterwards(world, ({ action }) => action === 'replace');
  return [...changes.values()].flatMap((change): readonly Problem[] => {
    if (change.action !== 'replace') return [];
    const kind = kinds.get(kindOf(change.address));
    const hanging = users.get(change.address) ?? [];
    const loss = [
      ...(kind?.holds === undefined ? [] : [`it would lose ${kind.holds}`]),
      ...(hanging.length === 0
        ? []
        : [`${list(hanging)} ${hanging.length === 1 ? 'refers' : 'refer'} to it`]),
    ];
    const declared = desired.get(change.address);
    const [path = ''] = change.because;
    if (loss.length === 0 || declared === undefined) return [];
    return [
      {
        code: 'cannot-replace',
        severity: 'error',
        message: `the gateway does not change ${change.because.join(' and ')} of ${change.address} in place, and it cannot be deleted and created anew: ${loss.join('; ')}`,
        at: placeOf(declared, path),
        address: change.address,
        path,
        hint: 'keep the value as it is on the gateway, or declare a new one beside it and move over',
      },
    ];
  });
}

/** Values that only one may have, held by something live that does not give them up. */
function takenValues({ desired, live, kinds, changes }: World): readonly Problem[] {
  const wanted = new Map<string, { readonly change: Change | Unordered; readonly kind: Kind }>();
  for (const change of changes.values()) {
    const kind = kinds.get(kindOf(change.address));
    const after = afterOf(change);
    if (kind === undefined || after === undefined || kind.unique.length === 0) continue;
    const before = beforeOf(change);
    const had = new Set(before === undefined ? [] : uniqueValues(before, kind));
    for (const value of uniqueValues(after, kind)) if (!had.has(value)) wanted.set(value, { change, kind });
  }
  if (wanted.size === 0) return [];
  return [...live.resources].flatMap(([address, resource]): readonly Problem[] => {
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || kind.unique.length === 0) return [];
    const change = changes.get(address);
    const kept = change === undefined ? resource : afterOf(change);
    return (kept === undefined ? [] : uniqueValues(kept, kind)).flatMap((value) => {
      const taker = wanted.get(value);
      const declared = taker === undefined ? undefined : desired.get(taker.change.address);
      if (declared === undefined || declared.address === address) return [];
      const path = placeOfValue(declared, kind, value);
      return [
        {
          code: 'duplicate-value',
          severity: 'error',
          message: `${declared.address} wants a value at ${path} that ${address} has on the gateway, and only one may`,
          at: placeOf(declared, path),
          address: declared.address,
          path,
          hint: `take it from ${address} in the same plan, or choose another`,
        },
      ];
    });
  });
}

function placeOfValue({ resource }: Declared, kind: Kind, wanted: string): Pointer {
  for (const tokens of kind.unique) {
    for (const { pointer, value } of placesOf(resource, tokens)) {
      if (`${kind.name}/${tokens.join('/')} ${canonicalText(value)}` === wanted) return pointer;
    }
  }
  return printPointer(kind.unique[0] ?? []);
}

function cycleProblem(ring: readonly Change[], desired: DesiredState): Problem {
  const addresses = [...new Set(ring.map(({ address }) => address))];
  const declared = addresses.map((address) => desired.get(address)).find((found) => found !== undefined);
  return {
    code: 'order-cycle',
    severity: 'error',
    message: `${list(addresses)} each wait for another to go first`,
    ...(declared === undefined ? {} : { at: placeOf(declared, '') }),
    ...(addresses[0] === undefined ? {} : { address: addresses[0] }),
    hint: 'make the change in two plans: first one that frees what the other takes',
  };
}

function list(names: readonly string[]): string {
  const shown = names.length > 5 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1) ?? ''}`;
}
