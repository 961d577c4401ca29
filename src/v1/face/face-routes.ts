import { signToken, connectionOf, switchCluster } from '../../emulator/api/operations.ts';
import type { Operation, RouteRequest } from '../../emulator/api/route.ts';
import { lifeTimeSeconds } from '../../emulator/api/schemas.ts';
import { makeOk, Refusal, formatValue, ROLES, titles } from '../../emulator/responses.ts';
import { listPlugins } from '../../emulator/rules/plugins.ts';
import type { State } from '../../emulator/embedded-state.ts';
import { valueOf, type Json, type JsonObject, isList, isObject } from '../../model/json/json.ts';
import { addressOf } from '../../model/kind.ts';
import { atLeast } from '../../model/text/version.ts';
import { makeConcentrationRules, makeTopics } from './topics.ts';
import { makeInterceptors } from './interceptors.ts';
import {
  clusterIn,
  define,
  messages,
  object,
  putAs,
  withMentioned,
  dropUnmentioned,
  kindOfRole,
  listIn,
  removeAs,
  text,
  textOrNull,
} from './operation.ts';
import { identify } from '../../model/identity.ts';
import type { Address, Resource } from '../../model/resource.ts';

/** v1, which was removed in 3.21.0 (gateway-api C): another view of the same resources. */
export function makeV1Routes(state: State): readonly Operation[] {
  if (atLeast(state.version, '3.21.0')) return [];
  return [
    ...makeUserMappings(state),
    ...makeVirtualClusters(state),
    ...makeTopics(state),
    ...makeConcentrationRules(state),
    ...makeInterceptors(state),
    ...makePlugins(state),
    ...makePhysicalClusters(state),
  ];
}

/** gateway-api C.3: virtual clusters, and tokens of their users. */
function makeVirtualClusters(state: State): readonly Operation[] {
  const post = (path: string): Operation =>
    define('POST', path, ({ params, body }) => postToken(params, body, state), { body: { check } });
  return [
    define('GET', '/admin/vclusters/v1', () =>
      makeOk({
        vclusters: Array.from(state.store.all(ROLES.virtualCluster), ({ metadata }) => metadata.name),
      }),
    ),
    post('/admin/vclusters/v1/vcluster/{vcluster}/username/{username}'),
    post('/admin/username/{username}'),
  ];
}

const check = object(['lifeTimeSeconds'], { lifeTimeSeconds });

/** Creates the account if there is none. v1 knows no types of accounts, so an EXTERNAL one gets a token, too. */
function postToken(params: RouteRequest['params'], body: Json | undefined, state: State) {
  const [vCluster, name] = [clusterIn(params), params['username'] ?? ''];
  const token = signToken(vCluster, name, valueOf(body, 'lifeTimeSeconds'), state);
  withMentioned({ vCluster }, state, () => {
    if (state.exists(addressOf(ROLES.account, name, { vCluster }))) return;
    putAs('account', { name, vCluster }, { type: 'LOCAL' }, state);
  });
  return { status: 201, body: { token } };
}

/** gateway-api C.6: which cluster a physical cluster connects to, on this instance. */
function makePhysicalClusters(state: State): readonly Operation[] {
  const path = '/admin/pclusters/v1/pcluster/{pcluster}';
  return [
    define('GET', path, ({ params: { pcluster = '' } }) => makeOk(connectionOf(pcluster, state))),
    define(
      'POST',
      `${path}/switch`,
      ({ params: { pcluster = '' }, query: { to } }) => {
        if (to === undefined) throw new Refusal(400, messages.noParameter('to'));
        switchCluster({ from: pcluster, to }, state);
        return makeOk({ message: messages.clusterSwitched });
      },
      { query: { to: 'string' } },
    ),
  ];
}

/** gateway-api C.8. */
function makePlugins({ options, version }: State): readonly Operation[] {
  const list = (show: (plugin: JsonObject) => JsonObject | string) => () =>
    makeOk({ plugins: listPlugins(options.plugins ?? [], version).map(show) });
  return [
    define(
      'GET',
      '/admin/plugins/v1',
      list(({ plugin }) => formatValue(plugin)),
    ),
    define(
      'GET',
      '/admin/plugins/v1/extended',
      list(({ plugin = '', pluginId = '', readme = '', ...tags }) => ({ plugin, pluginId, tags, readme })),
    ),
  ];
}

type Mapping = {
  readonly username: string;
  readonly principal: string;
  readonly groups: readonly string[];
};
type Params = RouteRequest['params'];

/**
 * gateway-api C.2. A user mapping is an EXTERNAL service account with its memberships, as the vendor migrated them (C.9):
 * LOCAL accounts are none.
 */
function makeUserMappings(state: State): readonly Operation[] {
  const of = (base: string): readonly Operation[] => {
    const one = `${base}/username/{username}`;
    return [
      define('POST', base, ({ params, body }) => postMapping(params, body, state), {
        body: { check: mappingCheck },
      }),
      define('GET', base, ({ params }) => makeOk(listUsernames(clusterIn(params), state))),
      define('GET', one, ({ params }) => makeOk(getMapping(params, state))),
      define('PUT', one, ({ params, body }) => putMapping(params, body, state), {
        body: { check: mappingCheck },
      }),
      define('DELETE', one, ({ params }) => deleteMapping(params, state)),
    ];
  };
  return ['/admin/userMappings/v1', '/admin/userMappings/v1/vcluster/{vcluster}'].flatMap(of);
}

const mappingCheck = object(['username'], {
  username: text,
  principal: textOrNull,
  groups: { type: ['array', 'null'], items: text },
});

function postMapping(params: Params, body: Json | undefined, state: State) {
  setMapping(clusterIn(params), readMapping(body), state);
  return { status: 201, body: { message: messages.mappingCreated } };
}

function putMapping(params: Params, body: Json | undefined, state: State) {
  const mapping = readMapping(body);
  if (mapping.username !== params['username']) throw new Refusal(400, messages.otherUsername);
  const isNew = findMapping(clusterIn(params), mapping.username, state) === undefined;
  setMapping(clusterIn(params), mapping, state);
  return { status: isNew ? 201 : 204 };
}

/** 204 also if there is none: no other status is documented. */
function deleteMapping(params: Params, state: State) {
  const [vCluster, username] = [clusterIn(params), params['username'] ?? ''];
  const account = findMapping(vCluster, username, state);
  if (account !== undefined) {
    setGroups(account, [], state);
    removeAs('account', account, state);
    dropUnmentioned({ vCluster }, state);
  }
  return { status: 204 };
}

function getMapping(params: Params, state: State): JsonObject {
  const [vcluster, username] = [clusterIn(params), params['username'] ?? ''];
  const account = findMapping(vcluster, username, state);
  if (account === undefined) throw new Refusal(404, messages.noMapping(username));
  const { externalNames } = account.spec;
  const principal = (isList(externalNames) ? externalNames[0] : undefined) ?? username;
  return { vcluster, username, principal, groups: groupsOf(account, state).map(nameOf).sort() };
}

function listUsernames(vCluster: string, state: State): readonly string[] {
  return listIn(vCluster, 'account', state).filter(isMapping).map(nameOf);
}

function findMapping(vCluster: string, username: string, { store }: State): Resource | undefined {
  const account = store.get(addressOf(ROLES.account, username, { vCluster }));
  return account !== undefined && isMapping(account) ? account : undefined;
}

function isMapping({ spec }: Resource): boolean {
  return spec['type'] === 'EXTERNAL';
}

function readMapping(body: Json | undefined): Mapping {
  const { username, principal, groups } = isObject(body) ? body : {};
  if (typeof username !== 'string') throw new Refusal(400, titles.badRequest);
  return {
    username,
    principal: typeof principal === 'string' ? principal : username,
    groups: isList(groups) ? groups.filter((group) => typeof group === 'string') : [],
  };
}

function setMapping(vCluster: string, { username, principal, groups }: Mapping, state: State): void {
  const spec = { type: 'EXTERNAL', externalNames: [principal] };
  const account = withMentioned({ vCluster }, state, () =>
    putAs('account', { name: username, vCluster }, spec, state),
  );
  setGroups(account, groups, state);
}

/** Makes an account a member of these groups and of no other; v1 has no other way to create a group. */
function setGroups(account: Resource, names: readonly string[], state: State): void {
  const { vCluster } = account.metadata;
  const member = { name: nameOf(account), vCluster: typeof vCluster === 'string' ? vCluster : 'passthrough' };
  const left = groupsOf(account, state).filter((group) => !names.includes(nameOf(group)));
  for (const group of left) {
    const members = membersOf(group).filter((one) => !isSame(one, member));
    putAs('group', group.metadata, { ...group.spec, members }, state);
    dropUnmentioned({ group: nameOf(group) }, state);
  }
  for (const name of names) {
    const group = state.store.get(addressOf(ROLES.group, name));
    const members = group === undefined ? [] : membersOf(group);
    if (members.some((one) => isSame(one, member))) continue;
    putAs('group', { ...group?.metadata, name }, { ...group?.spec, members: [...members, member] }, state);
  }
}

function groupsOf(account: Resource, state: State): readonly Resource[] {
  const address = identify(kindOfRole('account', state), account);
  const groups: ReadonlySet<Address> = state.store.referrers(address).get(ROLES.group) ?? new Set();
  return [...groups].flatMap((group) => state.store.get(group) ?? []);
}

function membersOf({ spec: { members } }: Resource): readonly Json[] {
  return isList(members) ? members : [];
}

function isSame(
  one: Json,
  { name, vCluster }: { readonly name: string; readonly vCluster: string },
): boolean {
  return isObject(one) && one['name'] === name && (one['vCluster'] ?? 'passthrough') === vCluster;
}

function nameOf({ metadata: { name } }: Resource): string {
  return name;
}
