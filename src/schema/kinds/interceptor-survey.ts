import { addTo, getOrAdd } from '../../model/collect.ts';
import { addressOf, type SurveyProblem, type World } from '../../model/kind.ts';
import { isList, valueOf, type Json } from '../../model/json/json.ts';
import { rankOf, type Scoped } from '../../model/principal.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';

/** The clients that an interceptor applies to. */
export type InterceptorScope = {
  readonly vCluster?: string | null;
  readonly group?: string | null;
  readonly username?: string | null;
};
type Surveyed = {
  readonly metadata: { readonly name: string; readonly scope?: InterceptorScope };
  readonly spec: { readonly priority: number };
};
type ScopedInterceptor = Scoped & { readonly address: Address; readonly scope: Required<InterceptorScope> };
const EVERYBODY = { vCluster: null, group: null, username: null };

/** Checks all interceptors together: overrides, equal priorities, and scopes without clients. */
export function surveyInterceptors(
  mine: ReadonlyMap<Address, Surveyed>,
  world: World,
): readonly SurveyProblem[] {
  const placed = [...mine].map(([address, { metadata, spec }]): ScopedInterceptor => ({
    address,
    name: metadata.name,
    scope: { ...EVERYBODY, ...metadata.scope },
    priority: spec.priority,
  }));
  return [...overrides(placed), ...ties(placed, world), ...placed.flatMap((one) => unmatched(one, world))];
}

function overrides(placed: readonly ScopedInterceptor[]): readonly SurveyProblem[] {
  const byName = new Map<string, ScopedInterceptor[]>();
  for (const one of placed) addTo(byName, one.name, one);
  return [...byName.values()].flatMap((scopes) => (scopes.length < 2 ? [] : overridesOf(scopes)));
}

function overridesOf(scopes: readonly ScopedInterceptor[]): readonly SurveyProblem[] {
  const everybody = scopes.find(({ scope }) => rankOf(scope) === 0);
  const clusters = new Map(
    scopes.flatMap((one) => (rankOf(one.scope) === 1 ? [[one.scope.vCluster, one]] : [])),
  );
  return scopes.flatMap((one): readonly SurveyProblem[] => {
    const rank = rankOf(one.scope);
    const wider =
      (rank > 1 ? clusters.get(one.scope.vCluster) : undefined) ?? (rank > 0 ? everybody : undefined);
    if (wider === undefined) return [];
    return [
      {
        code: 'overriding-name',
        address: one.address,
        path: '/metadata/name',
        message: `for ${audienceOf(one.scope)} ${one.address} runs instead of ${wider.address}`,
        hint: 'rename it if both should run',
        also: { address: wider.address, path: '/metadata/name' },
      },
    ];
  });
}

function audienceOf({ vCluster, group, username }: ScopedInterceptor['scope']): string {
  const where = `virtual cluster ${String(vCluster)}`;
  if (typeof username === 'string') return `the user ${username} of ${where}`;
  return typeof group === 'string' ? `the group ${group} in ${where}` : `all of ${where}`;
}

/**
 * One finding for each interceptor that meets an earlier one of its priority. Only what can meet is compared: those
 * for everybody, those of the same virtual cluster, and in it those of the same group or user, where a group is also
 * each of the members that it is known to have.
 */
function ties(placed: readonly ScopedInterceptor[], world: World): readonly SurveyProblem[] {
  const firsts = new Map<string, ScopedInterceptor[]>();
  const groups = new Map<string, readonly string[]>();
  const inner = ({ vCluster, group, username }: ScopedInterceptor['scope']): readonly string[] => {
    const cluster = String(vCluster);
    if (typeof group !== 'string') return [`user ${String(username)} in ${cluster}`];
    const name = `group ${group} in ${cluster}`;
    return getOrAdd(groups, name, () => [name, ...membersOf(group, cluster, world)]);
  };
  return placed.filter(mayTie(placed)).flatMap((one): readonly SurveyProblem[] => {
    const meeting = meetingPlaces(one.scope, inner).flatMap(
      (place) => firsts.get(`${one.priority} ${place}`) ?? [],
    );
    const other = meeting.find(({ name }) => name !== one.name);
    for (const place of standingPlaces(one.scope, inner)) {
      const key = `${one.priority} ${place}`;
      // Two of different names are enough to find one that is not of the same name.
      const known = firsts.get(key) ?? [];
      if (known.length < 2 && !known.some(({ name }) => name === one.name)) addTo(firsts, key, one);
    }
    if (other === undefined) return [];
    return [
      {
        code: 'priority-tie',
        address: one.address,
        path: '/spec/priority',
        message: `${one.address} and ${other.address} have the same priority; their order is undefined`,
        hint: 'give them different priorities',
        also: { address: other.address, path: '/spec/priority' },
      },
    ];
  });
}

/** Whether one shares its priority with another of its virtual cluster, or with one for everybody: few do. */
function mayTie(placed: readonly ScopedInterceptor[]): (one: ScopedInterceptor) => boolean {
  const crowds = new Map<string, number>();
  const crowdOf = ({ priority, scope }: ScopedInterceptor): string => `${priority} ${scope.vCluster ?? ''}`;
  for (const one of placed) crowds.set(crowdOf(one), (crowds.get(crowdOf(one)) ?? 0) + 1);
  return (one) =>
    rankOf(one.scope) === 0 || (crowds.get(crowdOf(one)) ?? 0) > 1 || crowds.has(`${one.priority} `);
}

/** The keys of a scope inside a virtual cluster. */
type Inner = (scope: ScopedInterceptor['scope']) => readonly string[];

/** The keys under which others find an interceptor. */
function standingPlaces(scope: ScopedInterceptor['scope'], inner: Inner): readonly string[] {
  const cluster = String(scope.vCluster);
  switch (rankOf(scope)) {
    case 0:
      return ['everybody', 'any'];
    case 1:
      return [`all of ${cluster}`, `any in ${cluster}`, 'any'];
    default:
      return [...inner(scope), `any in ${cluster}`, 'any'];
  }
}

/** The keys under which the interceptors stand that it can meet. */
function meetingPlaces(scope: ScopedInterceptor['scope'], inner: Inner): readonly string[] {
  const cluster = String(scope.vCluster);
  switch (rankOf(scope)) {
    case 0:
      return ['any'];
    case 1:
      return ['everybody', `any in ${cluster}`];
    default:
      return ['everybody', `all of ${cluster}`, ...inner(scope)];
  }
}

function membersOf(group: string, cluster: string, world: World): readonly string[] {
  const members = world.get(addressOf('GatewayGroup', group))?.spec['members'];
  return (isList(members) ? members : []).flatMap((member) => {
    const name = valueOf(member, 'name');
    return typeof name === 'string' && valueOf(member, 'vCluster') === cluster
      ? [`user ${name} in ${cluster}`]
      : [];
  });
}

function unmatched({ address, scope }: ScopedInterceptor, world: World): readonly SurveyProblem[] {
  const finding = (path: SurveyProblem['path'], message: string, hint: string): readonly SurveyProblem[] => [
    { code: 'unmatched-interceptor', address, path, message, hint },
  ];
  if (typeof scope.group === 'string') {
    const group = world.get(addressOf('GatewayGroup', scope.group));
    if (group === undefined || listIn(group, 'externalGroups').length > 0) return [];
    const members = listIn(group, 'members');
    const to = `${address} applies to the group ${scope.group}`;
    if (members.length === 0)
      return finding(
        '/metadata/scope/group',
        `${to}, which is empty`,
        'add members or external groups to the group',
      );
    const { vCluster } = scope;
    const clusters = members.map((member) => valueOf(member, 'vCluster'));
    if (vCluster === null || clusters.some((one) => one === vCluster || hasPlaceholder(one))) return [];
    return finding(
      '/metadata/scope/group',
      `${to} in virtual cluster ${vCluster}, where it has no members`,
      'set vCluster of the scope to where its members are; without it, passthrough is meant',
    );
  }
  if (typeof scope.username !== 'string' || !world.complete) return [];
  const account = addressOf('GatewayServiceAccount', scope.username, { vCluster: scope.vCluster ?? null });
  if (world.get(account) !== undefined) return [];
  const message = `${address} applies to the user ${scope.username}, but there is no such service account`;
  return finding(
    '/metadata/scope/username',
    message,
    'check the name; clients that authenticate with Kafka or mTLS need no service account',
  );
}

function listIn({ spec }: Resource, field: string): readonly Json[] {
  const list = spec[field];
  return isList(list) ? list : [];
}
