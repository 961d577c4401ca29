import { groupBy } from '../../model/collect.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { digest } from '../../plan/saved/digest.ts';
import { accountName, groupName } from '../../schema/kinds/common.ts';
import { isCredential, isSecretName } from './drop.ts';
import { keyOf, type Account, type State } from './v1-state.ts';

/** The pattern of a JSON Schema of names. */
export function patternOf({ pattern }: JsonObject): RegExp {
  if (typeof pattern !== 'string') throw new Error('the schema has no pattern');
  return new RegExp(pattern);
}

/** What names of a kind are like. */
export type NameRule = {
  readonly fits: RegExp;
  /** Whether nothing of a name may be shown; default: no name is a secret. */
  readonly isSecret?: (name: string) => boolean;
  readonly longest: number;
  /** Added to what is too short. */
  readonly word: string;
};

/**
 * New names for those that v2 refuses or that are taken: `CN=alice,O=Acme` becomes `alice`. They depend on the old names alone,
 * not on their order, and no two are equal.
 */
export function proposeNames(
  names: Iterable<string>,
  rule: NameRule,
  taken: Iterable<string> = [],
): ReadonlyMap<string, string> {
  const all = [...new Set(names)];
  const used = new Set(taken);
  const refused = all.filter((name) => used.has(name) || !isFit(name, rule)).sort();
  for (const name of all) if (isFit(name, rule)) used.add(name);
  const wanted = refused.map((name) => [name, readable(name, rule)] as const);
  const counts = new Map<string, number>();
  for (const [, name] of wanted) counts.set(name, (counts.get(name) ?? 0) + 1);
  const proposed = new Map<string, string>();
  for (const [old, name] of wanted) {
    const isFree = !used.has(name) && counts.get(name) === 1;
    const chosen = isFree ? name : withMark(name, old, used, rule);
    used.add(chosen);
    proposed.set(old, chosen);
  }
  return proposed;
}

function isFit(name: string, { fits, longest, isSecret }: NameRule): boolean {
  return name.length <= longest && fits.test(name) && isSecret?.(name) !== true;
}

function readable(name: string, rule: NameRule): string {
  const { longest, word } = rule;
  const [, common = name] = /^\s*CN\s*=\s*([^,+]+)/i.exec(name) ?? [];
  const plain = common
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .slice(0, longest - MOST_MARK)
    .replace(/\W+/g, '-')
    .replace(/^-|-$/g, '');
  if (rule.isSecret?.(name) === true || rule.isSecret?.(plain) === true) return word;
  if (isFit(plain, rule)) return plain;
  return plain === '' ? word : `${plain}-${word}`;
}

function withMark(name: string, old: string, used: ReadonlySet<string>, { longest }: NameRule): string {
  const mark = digest(old);
  for (let length = MARK; ; length += 1) {
    const chosen = `${name.slice(0, longest - length - 1)}-${mark.slice(0, length)}`;
    if (!used.has(chosen)) return chosen;
  }
}

const MARK = 6;
/** Room for a mark and a word. */
const MOST_MARK = 16;

/** An account as v2 has it. */
export type NamedAccount = {
  readonly account: Account;
  readonly name: string;
  readonly type: 'LOCAL' | 'EXTERNAL';
  /** The calls that it declares. */
  readonly by: readonly number[];
};

const ACCOUNT: NameRule = { fits: patternOf(accountName), longest: 64, word: 'account' };
const GROUP: NameRule = { fits: patternOf(groupName), longest: 100, word: 'group' };

function withoutSecrets(rule: NameRule, checks: State['checks']): NameRule {
  return { ...rule, isSecret: (name) => isSecretName(name, checks) };
}

/** The new names of groups that v2 refuses, by the old ones. */
export function nameGroups({ groups, checks }: State): ReadonlyMap<string, string> {
  return proposeNames(groups.keys(), withoutSecrets(GROUP, checks));
}

/** The accounts that can be declared, by their old keys. The ledger learns why the others cannot. */
export function nameAccounts(state: State): ReadonlyMap<string, NamedAccount> {
  const owners = findOwners(state);
  const named = new Map<string, NamedAccount>();
  const users = groupBy(
    [...state.interceptors.values()].map(({ value }) => value.scope),
    (scope) => scope.vCluster,
  );
  for (const [vCluster, accounts] of groupBy(state.accounts.values(), (one) => one.vCluster)) {
    const own = new Set(accounts.map(({ name }) => name));
    // A user whom a scope names is a client, whether it has an account or not.
    const others = (users.get(vCluster) ?? []).flatMap(({ username }) =>
      username === null || own.has(username) ? [] : [username],
    );
    const names = proposeNames(own, withoutSecrets(ACCOUNT, state.checks), others);
    for (const account of accounts) {
      const name = names.get(account.name) ?? account.name;
      const chosen = choose(account, name, owners, state);
      if (chosen !== undefined) named.set(keyOf(vCluster, account.name), chosen);
    }
  }
  return named;
}

/** The account of each external identity: the one that was mapped last, since v2 has only one. */
function findOwners({ accounts }: State): ReadonlyMap<string, Account> {
  const owners = new Map<string, Account>();
  for (const account of accounts.values()) {
    if (account.external === undefined) continue;
    const { identity } = account.external.value;
    const owner = owners.get(identity);
    if (owner === undefined || lastOf(account) > lastOf(owner)) owners.set(identity, account);
  }
  return owners;
}

function lastOf({ external }: Account): number {
  return external?.by.at(-1) ?? -1;
}

/** An account of v2 is either LOCAL or EXTERNAL. */
function choose(
  account: Account,
  name: string,
  owners: ReadonlyMap<string, Account>,
  { ledger, checks }: State,
): NamedAccount | undefined {
  const { external, local } = account;
  const mapped = external?.by ?? [];
  const owner = external === undefined ? undefined : owners.get(external.value.identity);
  const isTaken = owner !== undefined && owner !== account;
  if (isTaken || (external !== undefined && isCredential(external.value.identity, checks))) {
    const why = !isTaken
      ? 'its principal looks like a secret, and files must not show it'
      : `v2 has one account for an identity, and ${ledger.placeOf(lastOf(owner))} maps this one to ${owner.name} in ${owner.vCluster}`;
    ledger.add(mapped, 'refusal', why);
    return local === undefined ? undefined : { account, name, type: 'LOCAL', by: rename(local.by) };
  }
  if (external !== undefined && (local === undefined || external.value.identity !== name)) {
    ledger.add(
      local?.by ?? [],
      'refusal',
      `${name} is EXTERNAL because of ${ledger.placeOf(lastOf(account))}, and only a LOCAL account has tokens`,
    );
    return { account, name, type: 'EXTERNAL', by: rename(mapped) };
  }
  if (local === undefined) return undefined;
  ledger.add(mapped, 'choice', `${name} has tokens, so it is LOCAL and needs no external name`);
  return { account, name, type: 'LOCAL', by: rename([...mapped, ...local.by]) };

  function rename(by: readonly number[]): readonly number[] {
    if (name === account.name) return by;
    const hint = by === mapped ? '' : '; its clients log in with this name and a new token';
    ledger.add(
      by,
      'choice',
      `${isSecretName(account.name, checks) ? 'the name of the account looks like a secret' : 'v2 refuses the name of the account'}, which is now ${name}${hint}`,
    );
    return by;
  }
}
