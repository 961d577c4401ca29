import { valueOf } from '../../model/json/json.ts';
import { nameIn, namesIn, objectIn, otherKeys, refusePlaceholders, textIn, BadBody } from './body.ts';
import {
  accountAt,
  groupAt,
  hold,
  keyOf,
  mention,
  release,
  tellAbsent,
  type Account,
  type Handler,
  type State,
} from './state.ts';

/** gateway-api C.2: a mapping is an EXTERNAL account, and makes it a member of groups. */
export const putMapping: Handler = ({ call, params, body, tell }, state) => {
  const mapping = objectIn(body);
  const { vCluster = 'passthrough' } = params;
  const name = params['username'] ?? nameIn(mapping, 'username');
  const identity = textIn(mapping, 'principal') ?? name;
  if (identity === '') throw new BadBody('its principal is empty');
  const groups = [...new Set(namesIn(mapping, 'groups'))];
  tellOthers(otherKeys(mapping, ['username', 'principal', 'groups', 'vcluster']), tell);
  mention(state, vCluster, call);
  const account = accountAt(state, vCluster, name);
  leaveGroups(account, state);
  account.external = hold(account.external, { identity, groups }, call, state.ledger);
  const key = keyOf(vCluster, name);
  for (const group of groups) groupAt(state, group).members.set(key, { account, by: [call] });
  if (vCluster === 'passthrough' && groups.length === 0 && identity === name)
    tell(
      'choice',
      'declared as an EXTERNAL account; a gateway with delegated authentication or mTLS does not need it',
    );
};

export const deleteMapping: Handler = (request, state) => {
  const { call, params } = request;
  const { vCluster = 'passthrough', username = '' } = params;
  const account = state.accounts.get(keyOf(vCluster, username));
  if (account?.external === undefined) {
    tellAbsent(request, `the user mapping ${username}`);
    return;
  }
  leaveGroups(account, state);
  release(account.external, call, state.ledger);
  account.external = undefined;
};

function leaveGroups({ vCluster, name, external }: Account, { groups }: State): void {
  for (const group of external?.value.groups ?? []) groups.get(group)?.members.delete(keyOf(vCluster, name));
}

/** gateway-api C.3: a token creates the account, and the virtual cluster. */
export const issueToken: Handler = ({ call, params, body }, state) => {
  const { vCluster = 'passthrough', username = '' } = params;
  const seconds = valueOf(body, 'lifeTimeSeconds');
  if (typeof seconds === 'string') refusePlaceholders(seconds, 'lifeTimeSeconds');
  mention(state, vCluster, call);
  const account = accountAt(state, vCluster, username);
  const lifetimes = typeof seconds === 'number' ? [seconds] : [];
  const before = account.local;
  if (before === undefined) account.local = { value: { lifetimes }, by: [call] };
  else before.by.push(call);
};

/** What v2 has no field for. */
export function tellOthers(keys: readonly string[], tell: (note: 'choice', text: string) => void): void {
  if (keys.length > 0) tell('choice', `left out: ${keys.slice(0, 5).join(', ')}, which v2 does not have`);
}
