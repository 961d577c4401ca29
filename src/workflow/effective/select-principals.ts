import type { Principal } from '../../model/principal.ts';
import { inShownOrder, listExternalPrincipals, listPrincipals } from '../../effective/principals.ts';
import type { EffectiveState } from '../../effective/effective-state.ts';
import { addressOf } from '../../model/kind.ts';
import { PASSTHROUGH } from '../../model/principal.ts';
import type { Problem } from '../../model/problem.ts';
import { kindOf, parseAddress, type Address, type Identity } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { list } from '../../model/text/list.ts';
import { isMisspelt, suggest } from '../../model/text/suggest.ts';
import type { ChainRedaction } from '../../plan/secrets/hide-in-chains.ts';
import { group } from '../../schema/kinds/group.ts';
import { serviceAccount } from '../../schema/kinds/service-account.ts';
import { virtualCluster } from '../../schema/kinds/virtual-cluster.ts';

/** One principal, as it is asked for. Its groups are those that are named, and those that the state says it is in. */
export type Asked = {
  readonly username?: string | null | undefined;
  /** Default: passthrough; of an external group, each virtual cluster in which its groups have interceptors. */
  readonly virtualCluster?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly externalGroup?: string | undefined;
};

/** The principal that is asked for; without one, all that a state knows, whose order tells nothing of a hidden name. */
export function selectPrincipals(
  state: EffectiveState,
  asked: Asked | undefined,
  { principalOf }: Pick<ChainRedaction, 'principalOf'>,
): readonly Principal[] {
  if (asked === undefined)
    return [...listPrincipals(state), ...inShownOrder(listExternalPrincipals(state), principalOf)];
  return clustersOf(state, asked).map((name) => principalIn(state, { ...asked, virtualCluster: name }));
}

function clustersOf(
  state: EffectiveState,
  { username, virtualCluster: named, groups = [], externalGroup }: Asked,
): readonly string[] {
  if (named !== undefined) return [named];
  if (externalGroup === undefined || typeof username === 'string' || groups.length > 0) return [PASSTHROUGH];
  const found = listExternalPrincipals(state).filter((one) => one.externalGroup === externalGroup);
  return found.length === 0 ? [PASSTHROUGH] : found.map((one) => one.virtualCluster);
}

/** A principal with its groups in a state. */
export function principalIn(
  state: EffectiveState,
  {
    username = null,
    virtualCluster: cluster,
    groups = [],
    externalGroup,
  }: Asked & { readonly virtualCluster: string },
): Principal {
  const all = new Set([
    ...groups,
    ...(username === null ? [] : state.groupsOf(cluster, username)),
    ...(externalGroup === undefined ? [] : state.groupsOfExternal(externalGroup)),
  ]);
  return {
    ...{ virtualCluster: cluster, username, groups: [...all].sort() },
    ...(externalGroup === undefined ? {} : { externalGroup }),
  };
}

/** Where the objects are that a principal can name; of kinds that are unavailable nothing is known. */
export type Known = {
  readonly addresses: ReadonlyMap<Address, unknown>;
  readonly unavailable?: LiveState['unavailable'];
};

/**
 * The virtual cluster and the groups that are asked for and do not exist; `missing` says so of an address. A client needs no account,
 * so one is missing only where another has a similar name.
 */
export function findUnknown(
  asked: Asked,
  { addresses, unavailable }: Known,
  missing: (address: Address) => string,
): readonly Problem[] {
  const { username, virtualCluster: cluster = PASSTHROUGH, groups = [] } = asked;
  const named = [
    ...(virtualCluster.builtIn.includes(cluster) ? [] : [addressOf(virtualCluster.name, cluster)]),
    ...(typeof username === 'string' && isTypo(username, cluster, addresses.keys())
      ? [addressOf(serviceAccount.name, username, { vCluster: cluster })]
      : []),
    ...groups.map((name) => addressOf(group.name, name)),
  ];
  return [
    ...named
      .filter((address) => !addresses.has(address) && unavailable?.has(kindOf(address)) !== true)
      .map((address) => unknownProblem('warning', missing(address), suggest(address, addresses.keys()))),
    ...(typeof username === 'string' && asked.virtualCluster === undefined
      ? findElsewhere(username, addresses.keys())
      : []),
  ];
}

/** Without a virtual cluster, passthrough is meant: an account of that name in another one only is what was probably meant. */
function findElsewhere(username: string, addresses: Iterable<Address>): readonly Problem[] {
  const clusters = accountsOf(addresses).flatMap(({ name, scope }) =>
    name === username ? (scope['vCluster'] ?? PASSTHROUGH) : [],
  );
  const [first] = clusters;
  if (first === undefined || clusters.includes(PASSTHROUGH)) return [];
  const message = `the account ${username} is in ${list(clusters)}, and this is what runs for a client of that name in ${PASSTHROUGH}`;
  return [{ code: 'not-found', severity: 'warning', message, hint: `add --virtual-cluster ${first}` }];
}

function accountsOf(addresses: Iterable<Address>): readonly Identity[] {
  return [...addresses].flatMap((address) => {
    const found = parseAddress(address);
    return found?.kind === serviceAccount.name ? [found] : [];
  });
}

/** Whether a name is that of an account of a virtual cluster with a typo, not with another number: app-1 and app-2. */
function isTypo(username: string, cluster: string, addresses: Iterable<Address>): boolean {
  const withoutDigits = (name: string): string => name.replace(/\d+/g, '');
  const names = accountsOf(addresses).flatMap(({ name, scope }) =>
    scope['vCluster'] === cluster ? name : [],
  );
  const others = names.filter((name) => withoutDigits(name) !== withoutDigits(username));
  return !names.includes(username) && isMisspelt(username, others);
}

/** An external group that no group has gives a principal nothing, so it is probably misspelt. No secret name is suggested. */
export function findUnknownExternal(
  { externalGroup }: Asked,
  state: EffectiveState,
  { externalOf }: Pick<ChainRedaction, 'externalOf'>,
): readonly Problem[] {
  if (externalGroup === undefined || state.groupsOfExternal(externalGroup).length > 0) return [];
  const known = [...state.facts()].flatMap((fact) =>
    fact.type === 'external-group' && externalOf(fact.name) === fact.name ? [fact.name] : [],
  );
  const message = `no group has the external group ${externalGroup}`;
  return [unknownProblem('error', message, suggest(externalGroup, known))];
}

function unknownProblem(severity: Problem['severity'], message: string, near: string | undefined): Problem {
  const hint = near === undefined ? 'check the name' : `did you mean ${near}?`;
  return { code: 'not-found', severity, message, hint };
}

/** A principal, for messages. */
export function describePrincipal({
  username,
  virtualCluster: cluster,
  groups,
  externalGroup,
}: Principal): string {
  const who =
    externalGroup === undefined ? (username ?? 'all other clients') : `the external group ${externalGroup}`;
  return `${who} in ${cluster}${groups.length === 0 ? '' : ` with ${list(groups)}`}`;
}
