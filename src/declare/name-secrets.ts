import { groupBy } from '../model/collect.ts';
import {
  parsePointer,
  type Pointer,
  childOf,
  joinPointer,
  keysOf,
  valueAt,
  type Json,
  type JsonObject,
} from '../model/json/json.ts';
import type { Kind } from '../model/kind.ts';
import { isMasked } from '../model/normal/normal-form.ts';
import { parseAddress, type Address, type Resource } from '../model/resource.ts';
import { secretPlaces, suspectPlaces } from '../model/secrets/secrets.ts';
import { findFormerSecrets, isAt } from '../plan/change/former-secrets.ts';
import { digest } from '../plan/saved/digest.ts';
import type { SecretVariable, DeclareOptions, IsTaken } from './declared.ts';
import { printJson } from '../model/json/json-text.ts';

type Located = FoundSecret & { readonly address: Address };

/**
 * Names for secrets, by their ids: one for equal ones, made from the first object that has it, by address: its virtual
 * cluster, its name and the field, `GW_PROD_ENCRYPT_VAULT_TOKEN`. Another object changes a name only if it comes first and has
 * the same secret or would get the same name.
 */
export function nameSecrets(
  secrets: readonly Located[],
  isTaken: IsTaken = () => false,
): { readonly names: ReadonlyMap<string, string>; readonly variables: readonly SecretVariable[] } {
  const byId = groupBy(secrets, ({ id }) => id);
  const names = new Map<string, string>();
  const used = new Set<string>();
  const isUsed: IsTaken = (name, value) => used.has(name) || isTaken(name, value);
  for (const [address, found] of groupBy(secrets, (one) => one.address)) {
    const fields = fieldNames(found);
    for (const one of found) {
      if (names.has(one.id)) continue;
      const wanted = [...ownerName(address), ...(fields.get(one.path) ?? [])].join('_');
      const name = pickName(wanted, one, isUsed);
      used.add(name);
      names.set(one.id, name);
    }
  }
  const variables = [...byId].map(([id, places]): SecretVariable => ({
    name: names.get(id) ?? '',
    value: places[0].value,
    at: places.map(({ address, path }) => ({ address, path })),
  }));
  return { names, variables: variables.sort((one, other) => (one.name < other.name ? -1 : 1)) };
}

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

const LONGEST = 120;
/**
 * How the names of all variables for secrets begin. No program has a setting of such a name, so nothing that an object is called on a
 * gateway changes what a shell runs that reads the secrets.
 */
const OURS = 'GW_';

/** A name that is not used yet. */
function pickName(wanted: string, { address, path, value }: Located, used: IsTaken): string {
  const legal = wanted.startsWith(OURS) ? wanted : `${OURS}${wanted}`;
  if (legal.length <= LONGEST && !used(legal, value)) return legal;
  const mark = digest(`${address} ${path}`).toUpperCase();
  for (let length = MARK; ; length += 1) {
    const name = `${legal.slice(0, LONGEST)}_${mark.slice(0, length)}`;
    if (!used(name, value)) return name;
  }
}

const MARK = 6;

/** A secret in a resource. */
export type FoundSecret = {
  readonly path: Pointer;
  /** Undefined if the gateway did not return it. */
  readonly value: string | undefined;
  readonly isText: boolean;
  /** Equal secrets have the same. */
  readonly id: string;
};

type FoundSecrets = {
  readonly secrets: readonly FoundSecret[];
  /** The places of secrets where no variable can stand, because all output shows them. */
  readonly shown: readonly Pointer[];
};

/**
 * The secrets in a resource: in places for secrets and `hidden` ones, texts that look like one, values of secret variables, and
 * texts that stand for a secret. Empty text is none, and neither is a placeholder that the gateway fills in.
 */
export function findSecrets(
  kind: Kind,
  value: JsonObject,
  { isSecret, isSealed, isOpen }: Pick<DeclareOptions, 'isSecret' | 'isSealed' | 'isOpen'>,
  hidden: readonly Pointer[] = [],
): FoundSecrets {
  const resource = value as Resource; // only the gateway's own values were left out
  const certain = secretPlaces(kind, resource);
  const places = new Set([
    ...certain,
    ...hidden,
    ...suspectPlaces(kind, resource, certain),
    ...(isSecret === undefined ? [] : findFormerSecrets(resource, kind, isSecret)),
    ...(isSealed === undefined ? [] : placesOfText(value, isSealed)),
  ]);
  const secrets: FoundSecret[] = [];
  const shown: Pointer[] = [];
  for (const path of [...places].sort()) {
    const found = valueAt(value, path) ?? '';
    if (found === '' || isFilledIn(found)) continue;
    if (typeof found === 'string' && isOpen?.(found) === true) continue;
    if (path.startsWith('/spec/') && !isShown(kind, path)) secrets.push(secretAt(path, found, isSealed));
    else if (certain.has(path)) shown.push(path);
  }
  return { secrets, shown };
}

function secretAt(path: Pointer, found: Json, isSealed: DeclareOptions['isSealed']): FoundSecret {
  const isText = typeof found === 'string';
  const text = isText ? found : printJson(found);
  if (isText && isSealed?.(text) === true) return { path, value: undefined, isText, id: `sealed ${text}` };
  if (isText && isMasked(text)) return { path, value: undefined, isText, id: `masked ${path} ${text}` };
  return { path, value: text, isText, id: `${typeof found} ${text}` };
}

function isShown({ shown }: Kind, path: Pointer): boolean {
  const tokens = parsePointer(path);
  return shown.some((pattern) => isAt(pattern, tokens.slice(0, pattern.length)));
}

/** Whether the gateway fills in all of a text (gateway-api D.4). */
function isFilledIn(value: Json): boolean {
  return typeof value === 'string' && /^\s*(?:(?:\$\{[^{}]+\}|\{\{[^{}]+\}\})\s*)+$/.test(value);
}

function placesOfText(
  value: Json,
  isWanted: (text: string) => boolean,
  at: Pointer = '',
): readonly Pointer[] {
  if (typeof value === 'string') return isWanted(value) ? [at] : [];
  return keysOf(value).flatMap((key) => placesOfText(childOf(value, key), isWanted, joinPointer(at, key)));
}
