import { isList } from '../../model/json/json.ts';
import { addressOf, type Kind } from '../../model/kind.ts';
import type { Address } from '../../model/resource.ts';
import { atLeast } from '../../model/text/version.ts';
import { putResource } from '../../emulator/api/resources.ts';
import { hasStrictReferences, type State } from '../../emulator/state/state.ts';
import { kindOfRole } from './operation.ts';

/** The virtual cluster and the group that a call names. */
export type Mentioned = { readonly vCluster?: string | null; readonly group?: string | null };

/**
 * Does the work of a call, for which the virtual cluster and the group that it names exist: before 3.3.0 there is no other
 * way to create them (gateway-api B.9, F). They are not created if the work throws.
 */
export function withMentioned<T>(mentioned: Mentioned, state: State, work: () => T): T {
  if (hasStrictReferences(state.version)) return work();
  const created: { readonly kind: Kind; readonly address: Address }[] = [];
  try {
    for (const { kind, name, address } of objectsIn(mentioned, state)) {
      if (state.exists(address)) continue;
      putResource(kind, makeEmpty(kind, name), state, { api: 'v1' });
      created.push({ kind, address });
    }
    return work();
  } catch (error) {
    for (const { kind, address } of created) state.store.delete(kind, address);
    throw error;
  }
}

/** Before 3.2.0 virtual clusters and groups are gone with their last mention. */
export function dropUnmentioned(mentioned: Mentioned, state: State): void {
  if (atLeast(state.version, '3.2.0')) return;
  for (const { kind, address } of objectsIn(mentioned, state)) {
    const members = state.store.get(address)?.spec['members'];
    const isMentioned = state.store.referrers(address).size > 0 || (isList(members) && members.length > 0);
    if (!isMentioned) state.store.delete(kind, address);
  }
}

function objectsIn({ vCluster, group }: Mentioned, state: State) {
  const named = [
    [kindOfRole('virtualCluster', state), vCluster],
    [kindOfRole('group', state), group],
  ] as const;
  return named.flatMap(([kind, name]) =>
    typeof name === 'string' ? [{ kind, name, address: addressOf(kind.name, name) }] : [],
  );
}

function makeEmpty({ name: kind, apiVersion }: Kind, name: string) {
  return { kind, apiVersion, metadata: { name }, spec: {} };
}
