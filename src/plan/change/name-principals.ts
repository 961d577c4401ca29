import { list } from '../../model/text/list.ts';
import type { Principal } from '../../model/principal.ts';

/** Principals for a sentence about them. */
export type NamedPrincipals = {
  /** `alice in prod`, `12 principals of prod`. */
  readonly subject: string;
  readonly isOne: boolean;
  readonly names: readonly string[];
};

type Group = readonly [Principal, ...Principal[]];

/** Up to this many virtual clusters are named in a sentence. */
const MOST_CLUSTERS = 3;

export function describePrincipals(group: Group): NamedPrincipals {
  const clusters = [...new Set(group.map(({ virtualCluster }) => virtualCluster))];
  const where =
    clusters.length > MOST_CLUSTERS ? `${clusters.length} virtual clusters` : list(clusters.map(quoteOdd));
  const isOne = group.length === 1;
  return {
    subject: isOne ? namePrincipalIn(group[0]) : `${group.length} principals of ${where}`,
    isOne,
    names: mostFirst(group).map(clusters.length === 1 ? namePrincipal : namePrincipalIn),
  };
}

/** `3 principals of prod (anybody else, alice and bob)` */
export function namePrincipals(group: Group): string {
  const { subject, isOne, names } = describePrincipals(group);
  return isOne ? subject : `${subject} (${list(names)})`;
}

/** Anybody else is most of the clients, so nothing may hide them. */
export function mostFirst<T extends Principal>(group: readonly T[]): readonly T[] {
  return [
    ...group.filter(({ username }) => username === null),
    ...group.filter(({ username }) => username !== null),
  ];
}

export function namePrincipalIn(principal: Principal): string {
  return `${namePrincipal(principal)} in ${quoteOdd(principal.virtualCluster)}`;
}

export function namePrincipal({ virtualCluster, username, externalGroup, identity }: Principal): string {
  if (identity !== undefined) {
    const { externalName, was } = identity;
    const elsewhere = was.virtualCluster === virtualCluster ? '' : ` in ${quoteOdd(was.virtualCluster)}`;
    const before = `${quoteOdd(was.username)}${elsewhere}`;
    return `whoever logs in as ${quoteOdd(externalName)} (${before} before, ${quoteOdd(username ?? '')} after)`;
  }
  const name = username === null ? undefined : quoteOdd(username);
  if (externalGroup === undefined) return name ?? 'anybody else';
  return `${name ?? 'anybody'} of the external group ${quoteOdd(externalGroup)}`;
}

/** A name in quotes if it could be taken for a part of a sentence. */
export function quoteOdd(name: string): string {
  return /^[\p{L}\p{N}._@:/=+%#~*-]+$/u.test(name) ? name : `"${name.replace(/["\\]/g, '\\$&')}"`;
}

const PROTECTIONS: Readonly<Record<string, string>> = {
  access: 'access control',
  safeguard: 'safeguards',
  'data-quality': 'data quality rules',
};

/** A sort of protection as part of a sentence; its name, if the project has defined it. */
export function nameProtection(protection: string): string {
  return Object.hasOwn(PROTECTIONS, protection) ? (PROTECTIONS[protection] ?? '') : quoteOdd(protection);
}
