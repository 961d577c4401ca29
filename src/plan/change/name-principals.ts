import { list } from '../../model/text/list.ts';
import type { Affected } from './exposure.ts';

/** `alice, bob and 3 more of prod` */
export function namePrincipals(principals: readonly Affected[]): string {
  const [one, ...others] = new Set(principals.map(({ virtualCluster }) => virtualCluster));
  if (others.length === 0) return `${list(principals.map(nameOf))} of ${one ?? ''}`;
  return list(principals.map((principal) => `${nameOf(principal)} of ${principal.virtualCluster}`));
}

function nameOf({ username, externalGroup }: Affected): string {
  if (username !== null) return username;
  return externalGroup === undefined ? 'all other clients' : `clients in external group ${externalGroup}`;
}
