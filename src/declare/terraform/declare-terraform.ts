import {
  entriesOf,
  isList,
  isObject,
  joinPointer,
  valueAt,
  valueOf,
  type Json,
  type Pointer,
} from '../../model/json/json.ts';
import { knownKind, type Kind, type KindSet } from '../../model/kind.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { asValid, kindOf, parseAddress, type Address } from '../../model/resource.ts';
import { declareLive } from '../declare-live.ts';
import type { Declared, DeclareOptions } from '../declared.ts';
import type { TerraformState, Managed } from './read-terraform.ts';
import { groupBy } from '../../model/collect.ts';
import { quoteForShell } from '../../model/text/escape.ts';

/** The objects that Terraform manages as documents; what it hides becomes `${NAME}`, too. */
export function declareTerraform(
  { managed }: TerraformState,
  catalog: Catalog,
  options: DeclareOptions = {},
): Declared {
  const resources = new Map([...managed].map(([address, { resource }]) => [address, resource]));
  return declareLive({ resources, unavailable: new Map() }, catalog, {
    ...options,
    hidden: (address, value) => {
      const sensitive = managed.get(address)?.sensitive ?? [];
      // The form of a file is valid if the resource is.
      return hiddenPlaces(knownKind(address, catalog.kinds), { resource: asValid(value), sensitive });
    },
  });
}

/**
 * The texts and numbers that Terraform hides, beside what the kind knows to be secret. A single value is one of them. Terraform hides
 * a whole config as soon as one value in it is sensitive: of a map or list these are those at keys that no schema has.
 */
export function hiddenPlaces(
  kind: Kind,
  { resource, sensitive }: Pick<Managed, 'resource' | 'sensitive'>,
): readonly Pointer[] {
  const part = kind.part(resource);
  const places: Pointer[] = [];
  const walk = (value: Json, schema: Json | undefined, place: Pointer): void => {
    const here = place === part?.path ? part.schema : schema;
    if (canBeSecret(value) && here === undefined) places.push(place);
    const properties = valueOf(here, 'properties');
    const items = valueOf(here, 'items');
    for (const [key, child] of entriesOf(value))
      walk(child, isList(value) ? items : valueOf(properties, key), joinPointer(place, key));
  };
  for (const place of sensitive) {
    const value = valueAt(resource, place);
    if (place.startsWith('/metadata') || value === undefined) continue;
    if (canBeSecret(value)) places.push(place);
    else walk(value, schemaOf(kind, place), place);
  }
  return places;
}

/** A text, or a number of any size. */
function canBeSecret(value: Json): boolean {
  return value !== null && typeof value !== 'boolean' && !isObject(value) && !isList(value);
}

function schemaOf({ schema }: Kind, place: Pointer): Json | undefined {
  const [, top = '', ...tokens] = place.split('/');
  return tokens.reduce<Json | undefined>(
    (found, token) => valueOf(valueOf(found, 'properties'), token) ?? valueOf(found, 'items'),
    valueOf({ ...schema }, top),
  );
}

/**
 * Live objects that Terraform may have left behind: the provider writes an interceptor with a new scope, which makes another
 * object, and forgets the former one.
 */
export function findLeftBehind(
  { managed }: Pick<TerraformState, 'managed'>,
  live: Iterable<Address>,
  kinds: KindSet,
): ReadonlyMap<Address, Address> {
  const scoped = [...managed.keys()].filter((address) => (kinds.get(kindOf(address))?.axes.length ?? 0) > 1);
  const byName = groupBy(scoped, nameOf);
  const found = new Map<Address, Address>();
  for (const address of live) {
    const [of] = byName.get(nameOf(address)) ?? [];
    if (of !== undefined && !managed.has(address)) found.set(address, of);
  }
  return found;
}

function nameOf(address: Address): string {
  return `${kindOf(address)}/${parseAddress(address)?.name ?? ''}`;
}

/**
 * The commands that take objects out of Terraform's state, so that it does not delete them: first what depends on others, so
 * that a run that is cut off leaves nothing that Terraform could still delete from under it. Of what several resources manage, one
 * may be on another gateway, where nobody would manage it any more: that is for a person to tell.
 */
export function stateRemovals(
  { program, managed, tokens }: TerraformState,
  kinds: KindSet,
): readonly string[] {
  const order = [...kinds.keys()].reverse();
  const rank = (kind: string): number => order.indexOf(kind);
  const resources = [...managed]
    .sort(([one], [other]) => rank(kindOf(one)) - rank(kindOf(other)) || (one < other ? -1 : 1))
    .flatMap(([, { from }]) => (from.length === 1 ? from : []));
  const addresses = [...tokens.map(({ from }) => from), ...resources];
  return addresses.map((address) => `${program} state rm ${quoteForShell(address)}`);
}
