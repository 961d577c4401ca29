import {
  changeAt,
  entriesOf,
  isList,
  isObject,
  childOf,
  joinPointer,
  keysOf,
  parsePointer,
  placesOf,
  printPointer,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
  isScalar,
} from '../json/json.ts';
import type { Kind } from '../kind.ts';
import type { Parsed } from '../resource.ts';
import type { Template } from '../state.ts';
import { looksSecret } from './looks-secret.ts';
import { isSecretKey, isSecretText } from './secret-texts.ts';

/**
 * The places of all secrets in a resource, leaf by leaf: those of the kind's form (gateway-api E.7), free keys with the name of
 * a secret, values that are certainly secret (private keys, JWTs, URLs with a password), and values from sources that are
 * not public.
 */
export function secretPlaces(
  kind: Kind,
  resource: Parsed,
  templates: ReadonlyMap<Pointer, Pick<Template, 'variables'>> = new Map(),
): ReadonlySet<Pointer> {
  const places = new Set<Pointer>();
  for (const tokens of kind.secrets(resource)) {
    for (const { pointer, value } of placesOf(resource, tokens)) addLeaves(places, pointer, value);
  }
  const found = kind.part(resource);
  const part =
    found === undefined ? undefined : { value: valueAt(resource, found.path), schema: found.schema };
  for (const field of ['metadata', 'spec'] as const) {
    walk(valueOf(resource, field) ?? null, kind.schema[field], { path: [field], part, places });
  }
  for (const [pointer, { variables }] of templates) {
    if (variables.length === 0 || pointer.startsWith('/metadata')) continue;
    for (const { pointer: place, value } of placesOf(resource, parsePointer(pointer))) {
      if (value !== null && isScalar(value)) places.add(place);
    }
  }
  return places;
}

/** Whether a place is for a secret, whatever its value is and wherever it comes from. */
export function isSecretPlace(kind: Kind, resource: Parsed, place: Pointer): boolean {
  const neutral = changeAt(resource, parsePointer(place), () => '') as Parsed; // a resource stays one
  return secretPlaces(kind, neutral).has(place);
}

/** The places of texts that look like unknown secrets. Sets and unique values are left out: they are names, which can be random. */
export function suspectPlaces(kind: Kind, resource: Parsed, known: ReadonlySet<Pointer>): readonly Pointer[] {
  const found = suspectsIn(valueOf(resource, 'spec') ?? null, ['spec']).filter((place) => !known.has(place));
  if (found.length === 0) return [];
  const patterns = [...kind.unique, ...kind.sets(resource)];
  const names = patterns.flatMap((tokens) => placesOf(resource, tokens).map(({ pointer }) => pointer));
  return found.filter((place) => !names.some((name) => place === name || place.startsWith(`${name}/`)));
}

function suspectsIn(value: Json, path: string[], found: Pointer[] = []): readonly Pointer[] {
  if (typeof value === 'string') {
    if (looksSecret(value)) found.push(printPointer(path));
    return found;
  }
  for (const key of keysOf(value)) {
    path.push(key);
    suspectsIn(childOf(value, key), path, found);
    path.pop();
  }
  return found;
}

/** The current path, printed only for secrets, and the results. */
type Walk = {
  readonly path: string[];
  /** The part with a separate schema. */
  readonly part: { readonly value: Json | undefined; readonly schema: JsonObject } | undefined;
  readonly places: Set<Pointer>;
};

function walk(value: Json, schema: Json | undefined, walking: Walk): void {
  const { path, part, places } = walking;
  const here: Json | undefined = part?.value === value ? part.schema : schema;
  const properties = valueOf(here, 'properties');
  const items = isList(value) ? valueOf(here, 'items') : undefined;
  const pair = pairName(value);
  for (const key of keysOf(value)) {
    const child = childOf(value, key);
    const known = valueOf(properties, key) ?? items;
    const free = known === undefined && isObject(value);
    path.push(key);
    if (typeof child === 'string' && isSecretText(child)) places.add(printPointer(path));
    if (free && isSecretKey(key === 'value' ? pair : key)) addLeaves(places, printPointer(path), child);
    else if (isList(child) || isObject(child)) walk(child, known, walking);
    path.pop();
  }
}

/** What `value` is the value of, in an item such as `{ name: ssl.key.password, value: … }`. */
function pairName(value: Json): string {
  const name = valueOf(value, 'name') ?? valueOf(value, 'key');
  return typeof name === 'string' ? name : '';
}

function addLeaves(places: Set<Pointer>, pointer: Pointer, value: Json): void {
  if (value !== null && isScalar(value)) places.add(pointer);
  for (const [key, child] of entriesOf(value)) addLeaves(places, joinPointer(pointer, key), child);
}

/**
 * A resource with its placeholders, not with the values that must not be shown: a problem found in it tells nothing about
 * these values, whatever they are compared with.
 */
export function asWritten<R extends Parsed>({
  resource,
  templates,
}: {
  readonly resource: R;
  readonly templates?: ReadonlyMap<Pointer, Template>;
}): R {
  if (templates === undefined || templates.size === 0) return resource;
  return withTexts(resource, '', templates) as R; // scalars are replaced by text
}

function withTexts(value: Json, pointer: Pointer, templates: ReadonlyMap<Pointer, Template>): Json {
  if (isList(value)) return value.map((item, at) => withTexts(item, joinPointer(pointer, at), templates));
  if (!isObject(value)) return templates.get(pointer)?.text ?? value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      withTexts(child, joinPointer(pointer, key), templates),
    ]),
  );
}
