import {
  isList,
  isObject,
  joinPointer,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import { findInexactNumbers } from '../../model/json/numbers.ts';
import { isNullable, type Kind } from '../../model/kind.ts';
import { readJsonMap } from '../read-json.ts';
import type { Instance } from './instance.ts';

export type Converted = {
  readonly value: JsonObject;
  /** Places in `value` that Terraform does not print, with all that is below them. */
  readonly sensitive: readonly Pointer[];
  /** What could not be taken over, as predicates: `has the attribute colour, which gwconf does not know`. */
  readonly faults: readonly string[];
};

/**
 * Attributes of the provider as a resource of the API. Their names are those of the API in snake case, so the schema of the
 * kind says where each belongs, and where JSON text stands for an object.
 */
export function convert(kind: Kind, { values, sensitive }: Instance): Converted {
  const reading: Reading = { hidden: new Set(sensitive), sensitive: [], faults: [] };
  const { spec = null, id: _, ...named } = values;
  if (reading.hidden.has('')) reading.sensitive.push('/spec');
  const metadata = readValue(named, kind.schema.metadata, { from: '', to: '/metadata' }, reading);
  const below = readValue(spec, kind.schema.spec, { from: '/spec', to: '/spec' }, reading);
  const { apiVersion, name } = kind;
  const value = { apiVersion, kind: name, metadata: metadata ?? {}, spec: below ?? {} };
  return { value, sensitive: reading.sensitive, faults: reading.faults };
}

type Reading = {
  readonly hidden: ReadonlySet<Pointer>;
  readonly sensitive: Pointer[];
  readonly faults: string[];
};
type Places = { readonly from: Pointer; readonly to: Pointer };

/** Undefined for null, which is how the provider says that a value is absent. */
function readValue(value: Json, schema: Json | undefined, at: Places, reading: Reading): Json | undefined {
  if (value === null) return undefined;
  if (at.from !== '' && reading.hidden.has(at.from)) reading.sensitive.push(at.to);
  const properties = valueOf(schema, 'properties');
  if (isObject(properties) && isObject(value)) return readFields(value, properties, at, reading);
  if (valueOf(schema, 'type') === 'object' && typeof value === 'string')
    return readEmbedded(value, at, reading);
  if (!isList(value)) return value;
  const items = valueOf(schema, 'items');
  return value.map((item, index) => readValue(item, items, below(at, index, index), reading) ?? null);
}

function readFields(value: JsonObject, properties: JsonObject, at: Places, reading: Reading): JsonObject {
  const names = new Map(Object.keys(properties).map((name) => [name.toLowerCase(), name]));
  const fields: [string, Json][] = [];
  for (const [attribute, child] of Object.entries(value)) {
    const name = names.get(attribute.replaceAll('_', ''));
    if (name === undefined) {
      if (child !== null) reading.faults.push(`has the attribute ${attribute}, which gwconf does not know`);
      continue;
    }
    const read = readValue(child, properties[name], below(at, attribute, name), reading);
    if (read !== undefined) fields.push([name, read]);
  }
  return Object.fromEntries(fields.length === 0 ? nullsOf(value, names, properties) : fields);
}

/** Only if all of a map is null, each null is a value: the provider read a global interceptor. */
function nullsOf(
  value: JsonObject,
  names: ReadonlyMap<string, string>,
  properties: JsonObject,
): readonly [string, Json][] {
  const found = Object.keys(value).flatMap((attribute) => names.get(attribute.replaceAll('_', '')) ?? []);
  return found.every((name) => isNullable(properties[name])) ? found.map((name) => [name, null]) : [];
}

/** The text of a plugin config. */
function readEmbedded(text: string, { to }: Places, reading: Reading): Json | undefined {
  const read = readJsonMap(text);
  if ('fault' in read) {
    reading.faults.push(`has a ${lastOf(to)} that ${read.fault}`);
    return undefined;
  }
  for (const { text: number, path } of findInexactNumbers(text))
    reading.faults.push(`has the number ${number} at ${to}${path}, which JSON clients round`);
  return read.map;
}

function lastOf(pointer: Pointer): string {
  return pointer.slice(pointer.lastIndexOf('/') + 1);
}

function below({ from, to }: Places, attribute: string | number, field: string | number): Places {
  return { from: joinPointer(from, attribute), to: joinPointer(to, field) };
}
