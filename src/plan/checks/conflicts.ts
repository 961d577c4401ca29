import { canonicalText, placesOf, printPointer, type Pointer } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { placeOf, type Declared, type DesiredState } from '../../model/state.ts';
import { findMismatches, findTakenValues, findReferrers, type PlannedChanges } from './constraints.ts';
import { list } from '../../model/text/list.ts';
import type { Cycle } from '../order/order.ts';
import { referencesOf } from '../../model/normal/references-of.ts';
import { checkReferences } from './references.ts';
import { afterOf } from '../change/draft-change.ts';

/** What a plan is made of, to be looked over before anybody makes it. */
export type DesiredChanges = PlannedChanges & { readonly desired: DesiredState };

/** What the gateway would refuse, or what would be lost: each a problem at the place that asks for it. */
export function checkConflicts(
  considered: DesiredChanges,
  isSelected: (address: Address) => boolean,
): readonly Problem[] {
  return [
    ...unavailableKinds(considered),
    ...missingTargets(considered, isSelected),
    ...stillReferenced(considered, isSelected),
    ...impossibleReplacements(considered),
    ...disagreeing(considered),
    ...duplicates(considered),
  ];
}

function unavailableKinds({ desired, live }: DesiredChanges): readonly Problem[] {
  if (live.unavailable.size === 0) return [];
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
  considered: DesiredChanges,
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

function stillReferenced(
  considered: DesiredChanges,
  isSelected: (address: Address) => boolean,
): readonly Problem[] {
  const users = findReferrers(considered, ({ action }) => action === 'delete');
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

function impossibleReplacements(considered: DesiredChanges): readonly Problem[] {
  const { desired, kinds, changes } = considered;
  const users = findReferrers(considered, ({ action }) => action === 'replace');
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

function disagreeing(considered: DesiredChanges): readonly Problem[] {
  return findMismatches(considered).flatMap(({ address, on, wanted, other, within }): readonly Problem[] => {
    const declared = considered.desired.get(address);
    if (declared === undefined) return [];
    return [
      {
        code: 'cannot-replace',
        severity: 'error',
        message: `${address} wants ${wanted} at ${on}, and ${other} on the gateway has another value there, which all of ${within} share`,
        at: placeOf(declared, on),
        address,
        path: on,
        hint: 'keep the value that they share; or delete them all in one plan and create them in the next',
      },
    ];
  });
}

/** Values that only one may have, held by something live that does not give them up. */
function duplicates(considered: DesiredChanges): readonly Problem[] {
  return findTakenValues(considered).flatMap(({ taker, holder, value }): readonly Problem[] => {
    const declared = considered.desired.get(taker);
    const kind = considered.kinds.get(kindOf(taker));
    if (declared === undefined || kind === undefined) return [];
    const path = placeOfValue(declared, kind, value.key);
    return [
      {
        code: 'duplicate-value',
        severity: 'error',
        message: `${taker} wants a value at ${path} that ${holder} has on the gateway, and only one may`,
        at: placeOf(declared, path),
        address: taker,
        path,
        hint: `take it from ${holder} in the same plan, or choose another`,
      },
    ];
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
export function cycleProblem({ changes, dependants }: Cycle, desired: DesiredState): Problem {
  const addresses = [...new Set(changes.map(({ address }) => address))];
  const waiting = [...new Set(dependants.map(({ address }) => address))];
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
