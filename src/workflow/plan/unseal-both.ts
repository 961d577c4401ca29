import type { Address, Resource } from '../../model/resource.ts';
import type { DesiredState } from '../../model/state.ts';
import { unsealFor, type Unsealed, type Restorable } from '../../plan/saved/restore-snapshot.ts';
import type { Uncompared } from '../../plan/compare/compare-states.ts';
import type { LiveSnapshot } from '../../plan/saved/live-snapshot.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { isCi } from '../ci.ts';
import { withDigests } from '../digests.ts';
import type { Host } from '../host.ts';
import type { Contents } from './compare-source.ts';

type Resources = ReadonlyMap<Address, Resource>;
/** The resources of both sides, and what of them cannot be compared. */
export type Draft = {
  readonly from: Resources;
  readonly to: Resources;
  readonly uncompared: readonly Uncompared[];
};

/** The resources of snapshots, with secrets restored that the other side has. */
export async function unsealBoth(host: Host, from: Contents, to: Contents): Promise<Draft> {
  const [left, right] = [from.source, to.source];
  if (left.type === 'snapshot' && right.type === 'snapshot') return unsealTwo(left.snapshot, right.snapshot);
  if (left.type === 'snapshot') {
    const { resources, others, uncompared } = await unsealBeside(host, left.snapshot, to);
    return { from: resources, to: others, uncompared };
  }
  if (right.type === 'snapshot') {
    const { resources, others, uncompared } = await unsealBeside(host, right.snapshot, from);
    return { from: others, to: resources, uncompared };
  }
  return { from: from.resources, to: to.resources, uncompared: [] };
}

/** In CI, a snapshot may have guesses of the secrets of a gateway, so these are not compared with it. */
function unsealBeside(
  host: Host,
  snapshot: LiveSnapshot,
  { source, resources, desired }: Contents,
): Promise<Unsealed> {
  const others = restorable(resources, desired);
  if (source.type === 'live' && isCi(host.env))
    return Promise.resolve(unsealFor(snapshot, others, catalog.kinds, undefined));
  return withDigests(host, snapshot.salt, (slow) => unsealFor(snapshot, others, catalog.kinds, slow));
}

/** Each snapshot has its own salt, so the digests of two cannot be compared; those of one and the same are equal. */
function unsealTwo(left: LiveSnapshot, right: LiveSnapshot): Draft {
  const unseal = (snapshot: LiveSnapshot, others: Resources): Unsealed =>
    unsealFor(snapshot, restorable(others), catalog.kinds, undefined);
  const first = unseal(left, unseal(right, new Map()).resources);
  const second = unseal(right, first.resources);
  const uncompared = left.digest === right.digest ? [] : [...first.uncompared, ...second.uncompared];
  return { from: second.others, to: first.others, uncompared };
}

function restorable(
  resources: Resources,
  desired: DesiredState = new Map(),
): ReadonlyMap<Address, Restorable> {
  return new Map(
    [...resources].map(([address, resource]) => [address, { ...desired.get(address), resource }]),
  );
}
