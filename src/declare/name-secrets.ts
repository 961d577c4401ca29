import { groupBy } from '../model/collect.ts';
import { parsePointer, type Pointer } from '../model/json/json.ts';
import { parseAddress, type Address } from '../model/resource.ts';
import { digest } from '../plan/saved/digest.ts';
import type { SecretVariable } from './declared.ts';
import type { FoundSecret } from './find-secrets.ts';

type Located = FoundSecret & { readonly address: Address };

/**
 * Names for secrets, by their ids: one for equal ones, made from the first object that has it, by address: its virtual
 * cluster, its name and the field, `PROD_ENCRYPT_VAULT_TOKEN`. Another object changes a name only if it comes first and has
 * the same secret or would get the same name.
 */
export function nameSecrets(
  secrets: readonly Located[],
  taken: ReadonlySet<string> = new Set(),
): { readonly names: ReadonlyMap<string, string>; readonly variables: readonly SecretVariable[] } {
  const byId = groupBy(secrets, ({ id }) => id);
  const names = new Map<string, string>();
  const used = new Set(taken);
  for (const [address, found] of groupBy(secrets, (one) => one.address)) {
    const fields = fieldNames(found);
    for (const one of found) {
      if (names.has(one.id)) continue;
      const wanted = [...ownerName(address), ...(fields.get(one.path) ?? [])].join('_');
      const name = pickName(wanted, one, used);
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
/** Settings of gwconf and of other programs, which must not change when a shell reads the secrets. */
const OF_PROGRAMS =
  /^(?:GWCONF|CDK|AWS|AZURE|BASH|CI|CURL|DYLD|GCP|GIT|GITHUB|GITLAB|GOOGLE|HTTPS?|JAVA|LD|NODE|NPM|PYTHON|RUNNER|SSH|SSL|VAULT)_/;

/** A name that is not used yet. */
function pickName(wanted: string, { address, path }: Located, used: ReadonlySet<string>): string {
  const isFree = /^[A-Z][A-Z\d]*_/.test(wanted) && !OF_PROGRAMS.test(wanted);
  const legal = isFree ? wanted : `GATEWAY_${wanted}`;
  if (legal.length <= LONGEST && !used.has(legal)) return legal;
  const mark = digest(`${address} ${path}`).toUpperCase();
  for (let length = MARK; ; length += 1) {
    const name = `${legal.slice(0, LONGEST)}_${mark.slice(0, length)}`;
    if (!used.has(name)) return name;
  }
}

const MARK = 6;
