import { addTo } from '../model/collect.ts';
import { canonicalText, placesOf, printPointer, valueAt, type Pointer } from '../model/json.ts';
import type { Kind, KindSet } from '../model/kind.ts';
import { withDefaults } from '../model/normal-form.ts';
import type { Problem } from '../model/problem.ts';
import { kindOf, type Address, type Resource } from '../model/resource.ts';
import { placeOf, type Declared, type DesiredState, type LiveState } from '../model/state.ts';
import type { Cycle } from './order.ts';
import type { Change } from './plan.ts';
import { checkReferences, referencesOf } from './references.ts';
import { afterOf, beforeOf, uniqueValues, type Unordered } from './unordered.ts';

/** What a plan is made of, to be looked over before anybody makes it. */
export type Considered = {
  readonly desired: DesiredState;
  readonly live: LiveState;
  readonly kinds: KindSet;
  readonly changes: ReadonlyMap<Address, Unordered>;
};

/** What the gateway would refuse, or what would be lost: each a problem at the place that asks for it. */
export function conflicts(
  considered: Considered,
  isSelected: (address: Address) => boolean,
): readonly Problem[] {
  return [
    ...unavailableKinds(considered),
    ...missingTargets(considered, isSelected),
    ...stillReferenced(considered, isSelected),
    ...impossibleReplacements(considered),
    ...disagreements(considered),
    ...takenValues(considered),
  ];
}

function unavailableKinds({ desired, live }: Considered): readonly Problem[] {
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
function missingTargets(
  considered: Considered,
  isSelected: (address: Address) => boolean,
): readonly Problem[] {
  const { desired, live, kinds, changes } = considered;
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
  { live, kinds, changes }: Considered,
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

function stillReferenced(
  considered: Considered,
  isSelected: (address: Address) => boolean,
): readonly Problem[] {
  const users = usersAfterwards(considered, ({ action }) => action === 'delete');
  return [...users].flatMap(([address, names]): readonly Problem[] => {
    // Each declared one that this plan looks at is told of its missing target.
    const left = names.filter((name) => !considered.desired.has(name) || !isSelected(name));
    if (left.length === 0) return [];
    return [
      {
        code: 'still-referenced',
        severity: 'error',
        message: `${address} would be deleted, but ${list(left)} still ${left.length === 1 ? 'refers' : 'refer'} to it`,
        address,
        hint: `have ${left.length === 1 ? 'it' : 'them'} in this plan too, or leave ${address} alone`,
      },
    ];
  });
}

function impossibleReplacements(considered: Considered): readonly Problem[] {
  const { desired, kinds, changes } = considered;
  const users = usersAfterwards(considered, ({ action }) => action === 'replace');
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

/**
 * Resources that must have one value among them at every moment: a new one that has another, and one that would be
 * replaced to take another while its fellows have the old.
 */
function disagreements({ desired, live, kinds, changes }: Considered): readonly Problem[] {
  const taking = [...changes.values()].filter(({ action }) => action === 'create' || action === 'replace');
  return [...kinds.values()].flatMap((kind): readonly Problem[] => {
    const { agree } = kind;
    const mine = taking.filter(({ address }) => kindOf(address) === kind.name);
    if (agree === undefined || mine.length === 0) return [];
    const staying = [...live.resources].filter(
      ([address]) => kindOf(address) === kind.name && changes.get(address)?.action !== 'delete',
    );
    const shared = new Map<string, Map<string, Address[]>>();
    for (const [address, resource] of staying) {
      const within = valueIn(kind, resource, agree.within);
      const values = shared.get(within) ?? new Map<string, Address[]>();
      addTo(values, valueIn(kind, resource, agree.on), address);
      shared.set(within, values);
    }
    return mine.flatMap((change) => {
      const after = afterOf(change);
      const declared = desired.get(change.address);
      if (after === undefined || declared === undefined) return [];
      const within = valueIn(kind, after, agree.within);
      const wanted = valueIn(kind, after, agree.on);
      const others = [...(shared.get(within) ?? [])].filter(([value]) => value !== wanted);
      const other = others
        .flatMap(([, addresses]) => addresses.slice(0, 2))
        .find((address) => address !== change.address);
      return other === undefined ? [] : [disagreement(declared, agree.on, wanted, other, within)];
    });
  });
}

function disagreement(
  declared: Declared,
  on: Pointer,
  wanted: string,
  other: Address,
  within: string,
): Problem {
  const { address } = declared;
  return {
    code: 'cannot-replace',
    severity: 'error',
    message: `${address} wants ${wanted} at ${on}, and ${other} on the gateway has another value there, which all of ${within} share`,
    at: placeOf(declared, on),
    address,
    path: on,
    hint: 'keep the value that they share; or delete them all in one plan and create them in the next',
  };
}

function valueIn(kind: Kind, resource: Resource, path: Pointer): string {
  return canonicalText(valueAt(withDefaults(kind, resource), path) ?? null);
}

/** Values that only one may have, held by something live that does not give them up. */
function takenValues({ desired, live, kinds, changes }: Considered): readonly Problem[] {
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

/** Changes that each wait for another: no order is right, and no extra step helps. */
export function cycleProblem({ ring, behind }: Cycle, desired: DesiredState): Problem {
  const addresses = [...new Set(ring.map(({ address }) => address))];
  const waiting = [...new Set(behind.map(({ address }) => address))];
  const also =
    waiting.length === 0 ? '' : `; ${list(waiting)} ${waiting.length === 1 ? 'waits' : 'wait'} for them`;
  const declared = addresses.map((address) => desired.get(address)).find((found) => found !== undefined);
  return {
    code: 'order-cycle',
    severity: 'error',
    message: `${list(addresses)} each wait for another to go first${also}`,
    ...(declared === undefined ? {} : { at: placeOf(declared, '') }),
    ...(addresses[0] === undefined ? {} : { address: addresses[0] }),
    hint: 'make the change in two plans: first one that frees what the other takes',
  };
}

function list(names: readonly string[]): string {
  const shown = names.length > 5 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1) ?? ''}`;
}
