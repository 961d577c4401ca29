import type { KnownPrincipal } from '../effective/principals.ts';

export type PrincipalRecord = {
  readonly virtualCluster: string;
  /** null: anybody else. */
  readonly username: string | null;
  readonly groups: readonly string[];
  /** Anybody in this group of the identity provider. */
  readonly externalGroup?: string | undefined;
};

export function describePrincipal({
  virtualCluster,
  username,
  groups,
  externalGroup,
}: KnownPrincipal): PrincipalRecord {
  return { virtualCluster, username: username ?? null, groups, externalGroup };
}
