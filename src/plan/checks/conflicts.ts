import { uniqueValuesOf } from '../../model/normal/constrained-values.ts';
import type { KindSet } from '../../model/kind.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { fitsInPath, kindOf } from '../../model/resource.ts';
import { placeOf, type LiveState } from '../../model/state.ts';
import { list } from '../../model/text/list.ts';
import { afterOf } from '../change/change.ts';
import { findMismatches, findReferrers, findTakenValues } from './constraints.ts';
import type { PlannedWorld } from './world.ts';

/** A gateway that does not list its interceptors; every mode of it has some. What clients lose cannot be told then. */
export function checkInterceptorList({ unavailable }: LiveState, kinds: KindSet): readonly Problem[] {
  return [...unavailable].flatMap(([kind, words]): readonly Problem[] =>
    kinds.get(kind)?.variants === undefined
      ? []
      : [
          {
            code: 'kind-unavailable',
            severity: 'warning',
            message: `${kind} is not available, so gwconf cannot tell what clients lose: ${words}`,
            hint: 'check the version and security mode of the gateway',
          },
        ],
  );
}

/** Declared and removed resources of kinds that the gateway does not serve. */
export function* checkAvailability({
  desired,
  live,
  removals,
  isSelected,
  kinds,
}: PlannedWorld): Generator<Problem> {
  if (live.unavailable.size === 0) return;
  yield* checkInterceptorList(live, kinds);
  for (const declared of desired.values()) {
    const { address } = declared;
    const words = live.unavailable.get(kindOf(address));
    if (words === undefined) continue;
    yield makeProblem({
      code: 'kind-unavailable',
      message: `${address} cannot exist: the gateway does not serve ${kindOf(address)}: ${words}`,
      at: placeOf(declared, '/kind'),
      address,
      path: '/kind',
      hint: 'remove it, or check the version and security mode of the gateway',
    });
  }
  for (const { address, place } of removals) {
    const words = live.unavailable.get(kindOf(address));
    if (words === undefined || !isSelected(address)) continue;
    yield {
      code: 'kind-unavailable',
      severity: 'warning',
      message: `gwconf could not look whether ${address} is gone: the gateway does not serve ${kindOf(address)}: ${words}`,
      at: place,
      address,
      hint: 'check the version and security mode of the gateway',
    };
  }
}

/** Deletes of what something on the gateway still refers to. */
export function* checkReferrers(world: PlannedWorld): Generator<Problem> {
  const { desired, isSelected } = world;
  for (const [address, names] of findReferrers(world, ({ action }) => action === 'delete')) {
    // A declared one that is selected has a problem of its own, at the reference.
    const left = names.filter((name) => !desired.has(name) || !isSelected(name));
    if (left.length === 0) continue;
    yield makeProblem({
      code: 'still-referenced',
      message: `${address} would be deleted, but ${list(left)} still ${left.length === 1 ? 'refers' : 'refer'} to it`,
      address,
      hint: `include ${left.length === 1 ? 'it' : 'them'} in this plan, or keep ${address}`,
    });
  }
}

/** Deletes of what no request can name: the gateway has it, and gwconf can only leave it alone. */
export function* checkNames({ changes, kinds }: PlannedWorld): Generator<Problem> {
  for (const change of changes.values()) {
    if (change.action !== 'delete' && change.action !== 'replace') continue;
    const { address, before } = change;
    const { name } = before.metadata;
    if (kinds.get(kindOf(address))?.removal === 'body' || fitsInPath(name)) continue;
    yield makeProblem({
      code: 'invalid-value',
      message: `${address} would be deleted, but the name ${JSON.stringify(name)} cannot be written in a URL`,
      address,
      path: '/metadata/name',
      hint: `leave it alone with ignore in gwconf.yaml, or --exclude ${address}`,
    });
  }
}

/** Objects that would have to be deleted and created anew, and others or data depend on them. */
export function* checkReplacements(world: PlannedWorld): Generator<Problem> {
  const { desired, kinds, changes } = world;
  const users = findReferrers(world, ({ action }) => action === 'replace');
  for (const change of changes.values()) {
    if (change.action !== 'replace') continue;
    const { address, because } = change;
    const holds = kinds.get(kindOf(address))?.holds;
    const names = users.get(address) ?? [];
    const loss = [
      ...(holds === undefined ? [] : [`it would lose ${holds}`]),
      ...(names.length === 0 ? [] : [`${list(names)} ${names.length === 1 ? 'refers' : 'refer'} to it`]),
    ];
    const declared = desired.get(address);
    const [path = ''] = because;
    if (loss.length === 0 || declared === undefined) continue;
    yield makeProblem({
      code: 'cannot-replace',
      message: `the gateway does not change ${because.join(' and ')} of ${address} in place, and it cannot be deleted and recreated: ${loss.join('; ')}`,
      at: placeOf(declared, path),
      address,
      path,
      hint: 'keep the value of the gateway, or declare a new object and migrate to it',
    });
  }
}

/** Values that must be the same in several resources, and would not be. */
export function* checkAgreement(world: PlannedWorld): Generator<Problem> {
  for (const { address, on, wanted, other, within } of findMismatches(world)) {
    const declared = world.desired.get(address);
    const isLeftOut = !world.isSelected(other) && !world.desired.has(other);
    yield makeProblem({
      code: 'cannot-replace',
      message: `${address} needs ${wanted} at ${on}, but ${other} on the gateway has another value, and all of ${within} must share one`,
      ...(declared === undefined ? {} : { at: placeOf(declared, on) }),
      address,
      path: on,
      hint: isLeftOut
        ? `select ${other} too if this run should delete it: --target ${other}`
        : 'keep the value that they share; or delete them all in one plan and create them in the next',
    });
  }
}

/** Values that only one may have, held by something live that does not give them up. */
export function* checkUniqueValues(world: PlannedWorld): Generator<Problem> {
  for (const { taker, holder, value } of findTakenValues(world)) {
    const declared = world.desired.get(taker);
    const kind = world.kinds.get(kindOf(taker));
    const change = world.changes.get(taker);
    const resource = declared?.resource ?? (change && afterOf(change));
    if (kind === undefined) continue;
    const path = uniqueValuesOf(kind, resource).find(({ key }) => key === value.key)?.pointer ?? '';
    yield makeProblem({
      code: 'duplicate-value',
      message: `${taker} needs a value at ${path} that ${holder} has on the gateway, and it must be unique`,
      ...(declared === undefined ? {} : { at: placeOf(declared, path) }),
      address: taker,
      path,
      hint: `take it from ${holder} in the same plan, or choose another`,
    });
  }
}

/** Changes that each wait for another: no order is right, and no extra step helps. */
export function* checkCycles({ cycles, desired }: PlannedWorld): Generator<Problem> {
  for (const { changes, dependants } of cycles) {
    const addresses = [...new Set(changes.map(({ address }) => address))];
    const waiting = [...new Set(dependants.map(({ address }) => address))];
    const also =
      waiting.length === 0 ? '' : `; ${list(waiting)} ${waiting.length === 1 ? 'depends' : 'depend'} on them`;
    const declared = addresses.map((address) => desired.get(address)).find((found) => found !== undefined);
    yield makeProblem({
      code: 'order-cycle',
      message: `${list(addresses)} depend on each other${also}`,
      ...(declared === undefined ? {} : { at: placeOf(declared, '') }),
      ...(addresses[0] === undefined ? {} : { address: addresses[0] }),
      hint: 'make the change in two plans; the first frees what the second takes',
    });
  }
}
