import { compareNaturally } from '../model/text/natural-order.ts';
import { groupBy } from '../model/collect.ts';
import { parsePointer, type Pointer } from '../model/json/json.ts';
import { parseAddress, type Address } from '../model/resource.ts';
import { makeProblem, type Problem } from '../model/problem.ts';
import { compileGlob } from '../model/text/glob.ts';
import { digest } from '../plan/saved/digest.ts';
import type { SecretVariable, DeclareOptions, IsTaken, SecretName } from './declared.ts';
import type { FoundSecret } from './find-secrets.ts';

type Located = FoundSecret & { readonly address: Address };

type Named = {
  /** By the ids of the secrets. */
  readonly names: ReadonlyMap<string, string>;
  readonly variables: readonly SecretVariable[];
  readonly problems: readonly Problem[];
};

/**
 * A name for each secret; equal ones have one. The user's choice comes first. Otherwise a secret of one object is called after it, by
 * virtual cluster, name and field: `GW_PROD_ENCRYPT_VAULT_TOKEN`; one that several objects share after what it opens, and what they have
 * in common where that says too little or not which one: `GW_SCHEMA_REGISTRY_USER_INFO`.
 */
export function nameSecrets(
  secrets: readonly Located[],
  { isTaken = () => false, secretNames = [] }: Pick<DeclareOptions, 'isTaken' | 'secretNames'> = {},
): Named {
  const byId = groupBy(secrets, ({ id }) => id);
  const chosen = chooseNames([...byId.values()], secretNames, isTaken);
  const names = new Map(chosen.names);
  const used = new Set(names.values());
  const isUsed: IsTaken = (name, value) => used.has(name) || isTaken(name, value);
  for (const [id, wanted] of wantedNames(byId)) {
    const [first] = byId.get(id) ?? [];
    if (first === undefined || names.has(id)) continue;
    const name = pickName(wanted, first, isUsed);
    used.add(name);
    names.set(id, name);
  }
  const variables = [...byId].map(([id, places]): SecretVariable => ({
    name: names.get(id) ?? '',
    value: places[0].value,
    at: places.map(({ address, path }) => ({ address, path })),
  }));
  variables.sort((one, other) => compareNaturally(one.name, other.name));
  return { names, variables, problems: chosen.problems };
}

/** The names that the user has chosen, by the ids of the secrets. */
function chooseNames(
  secrets: readonly (readonly [Located, ...Located[]])[],
  chosen: readonly SecretName[],
  isTaken: IsTaken,
): Pick<Named, 'names' | 'problems'> {
  const names = new Map<string, string>();
  const problems: Problem[] = [];
  const owners = new Map<string, Located>();
  for (const { pattern, name } of chosen) {
    const matches = compileGlob(pattern);
    const found = secrets.filter((places) => places.some((one) => matches(placeOf(one))));
    if (found.length === 0) problems.push(unmatched(pattern, name));
    for (const [first] of found) {
      if (names.has(first.id)) continue;
      const owner = owners.get(name);
      if (owner !== undefined) problems.push(sameName(name, `both ${placeOf(owner)} and ${placeOf(first)}`));
      else if (isTaken(name, first.value))
        problems.push(sameName(name, `another value, and ${placeOf(first)}`));
      owners.set(name, first);
      names.set(first.id, name);
    }
  }
  return { names, problems };
}

function placeOf({ address, path }: Located): string {
  return `${address} ${path}`;
}

function sameName(name: string, what: string): Problem {
  return makeProblem({
    code: 'duplicate-value',
    message: `the variable ${name} of --secret-name would be for ${what}: their values differ`,
    hint: 'use another name, or a pattern that matches only one of them',
  });
}

function unmatched(pattern: string, name: string): Problem {
  return {
    code: 'unmatched-target',
    severity: 'warning',
    message: `--secret-name ${pattern}=${name} matches no secret`,
    hint: "a pattern is for the address and the field of a secret, as in '*/vault/token'; * is any text",
  };
}

/** Words of the owner, of which some can be left out, and of the field. */
type WantedName = { readonly owner: readonly string[]; readonly field: readonly string[] };

function wantedNames(
  byId: ReadonlyMap<string, readonly [Located, ...Located[]]>,
): ReadonlyMap<string, WantedName> {
  const byAddress = groupBy([...byId.values()].flat(), (one) => one.address);
  const fields = new Map(Array.from(byAddress, ([address, found]) => [address, fieldNames(found)]));
  const shared = new Map<string, WantedName>();
  const wanted = new Map<string, WantedName>();
  for (const [id, places] of byId) {
    const owners = [...new Set(places.map(({ address }) => address))].map(ownerName);
    const [first] = places;
    const [owner = [], ...others] = owners;
    if (others.length === 0)
      wanted.set(id, { owner, field: fields.get(first.address)?.get(first.path) ?? [] });
    else {
      const common = inAll(places.map(({ path }) => systemName(path)));
      shared.set(id, { owner: inAll(owners), field: common.length === 0 ? ['SECRET'] : common });
    }
  }
  const alike = groupBy([...shared.values()], ({ field }) => field.join('_'));
  for (const [id, { owner, field }] of shared) {
    const isClear = field.length > 1 && alike.get(field.join('_'))?.length === 1;
    wanted.set(id, { owner: isClear ? [] : owner, field });
  }
  return wanted;
}

/** The words that all of these have, in the order of the first. */
function inAll(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = lists.map((words) => new Set(words));
  return [...first].filter((word) => others.every((words) => words.has(word)));
}

/** The field of a secret that several objects have, with the system that it is for: `SCHEMA_REGISTRY_USER_INFO`, `VAULT_TOKEN`. */
function systemName(path: Pointer): readonly string[] {
  const keys = fieldsIn(path).filter((token) => !/^\d+$/.test(token));
  const said = keys.map((key) => wordsOf(key).filter((word) => !SAYS_NOTHING.has(word)));
  const last = said.at(-1) ?? [];
  const system = said.slice(0, -1).findLast((words) => words.length > 0) ?? [];
  return [...new Set([...system, ...(last.length > 0 ? last : wordsOf(keys.at(-1) ?? ''))])];
}

const SAYS_NOTHING = new Set(['CONFIG', 'CONFIGS', 'ADDITIONAL', 'PROPERTIES', 'SETTINGS', 'BASIC', 'AUTH']);

/** The name of each field of an object: short where that is clear, or else with the whole path. */
function fieldNames(found: readonly Located[]): ReadonlyMap<Pointer, readonly string[]> {
  const byName = groupBy(found, ({ path }) => shortName(path).join('_'));
  return new Map(
    [...byName.values()].flatMap((alike) => {
      const isClear = new Set(alike.map(({ id }) => id)).size === 1;
      return alike.map(({ path }) => [path, isClear ? shortName(path) : wordsOf(...fieldsIn(path))] as const);
    }),
  );
}

/** The last key, and the one above it unless the key says enough. */
function shortName(path: Pointer): readonly string[] {
  const keys = fieldsIn(path).filter((token) => !/^\d+$/.test(token));
  const last = wordsOf(keys.at(-1) ?? '');
  const above = last.length >= LONG ? [] : wordsOf(keys.at(-2) ?? '');
  const isRepeated = above.length > 0 && above.every((word, at) => word === last[at]);
  return [...(isRepeated ? [] : above), ...last];
}

/** Words of a key that need no more: `basic.auth.user.info`. */
const LONG = 3;

/** The path below the part that all objects of the kind have. */
function fieldsIn(path: Pointer): readonly string[] {
  return parsePointer(path)
    .slice(1)
    .filter((token, at) => at > 0 || token !== 'config');
}

/** The scope and name of an object. */
function ownerName(address: Address): readonly string[] {
  const identity = parseAddress(address);
  const scope = Object.values(identity?.scope ?? {}).map((value) => value ?? '');
  const where = scope.length === 0 && address.endsWith('@global') ? ['global'] : scope;
  return wordsOf(...where, identity?.name ?? '');
}

/** Words in upper case: of ASCII letters and digits, accents left out. */
function wordsOf(...texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) =>
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1 ')
      .toUpperCase()
      .split(/[^A-Z\d]+/)
      .filter((word) => word !== ''),
  );
}

/** Of a name that nobody chose: so that it can be read in a list, and typed. */
const LONGEST = 40;
/** A name that is not used yet. */
function pickName(wanted: WantedName, { address, path, value }: Located, used: IsTaken): string {
  const legal = fit(wanted);
  if (!used(legal, value)) return legal;
  const mark = digest(`${address} ${path}`).toUpperCase();
  for (let length = MARK; ; length += 1) {
    const name = `${legal.slice(0, LONGEST - MARK - 1)}_${mark.slice(0, length)}`;
    if (!used(name, value)) return name;
  }
}

/**
 * Leaves out the last words of the owner, then the first ones of the field. No program has a setting whose name begins as all of these
 * do, so nothing that an object is called on a gateway changes what a shell runs that reads the secrets.
 */
function fit({ owner, field }: WantedName): string {
  const join = (words: readonly string[]): string => `GW_${words.slice(words[0] === 'GW' ? 1 : 0).join('_')}`;
  // More words than that cannot fit.
  const [first, last] = [owner.slice(0, LONGEST), field.slice(-LONGEST)];
  const shorter = [
    ...first.map((_, left) => [...first.slice(0, first.length - left), ...field]),
    ...last.map((_, from) => last.slice(from)),
  ].map(join);
  return shorter.find((name) => name.length <= LONGEST) ?? join(field.slice(-1)).slice(0, LONGEST);
}

const MARK = 6;
