import { isList, isObject, type Json, type JsonObject } from '../../model/json/json.ts';
import { addressOf } from '../../model/kind.ts';
import { identify } from '../../model/identity.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { Operation, RouteRequest } from '../../emulator/api/route.ts';
import { makeOk, Refusal, ROLES, titles } from '../../emulator/responses.ts';
import type { State } from '../../emulator/embedded-state.ts';
import {
  clusterIn,
  define,
  dropUnmentioned,
  kindOfRole,
  listIn,
  messages,
  object,
  putAs,
  removeAs,
  text,
  textOrNull,
  withMentioned,
} from './operation.ts';

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
export function makeUserMappings(state: State): readonly Operation[] {
  const of = (base: string): readonly Operation[] => {
    const one = `${base}/username/{username}`;
    return [
      define('POST', base, ({ params, body }) => postMapping(params, body, state), { body: { check } }),
      define('GET', base, ({ params }) => makeOk(listUsernames(clusterIn(params), state))),
      define('GET', one, ({ params }) => makeOk(getMapping(params, state))),
      define('PUT', one, ({ params, body }) => putMapping(params, body, state), { body: { check } }),
      define('DELETE', one, ({ params }) => deleteMapping(params, state)),
    ];
  };
  return ['/admin/userMappings/v1', '/admin/userMappings/v1/vcluster/{vcluster}'].flatMap(of);
}

const check = object(['username'], {
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
