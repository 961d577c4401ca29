import { isList, isObject, keysOf, printPointer, valueOf, type Json } from './json.ts';

/**
 * Where a value is so unlike its JSON Schema that nothing could be made of it, as a clause: the first field of another
 * type, or item of a list without what tells it from the others. Fields that are null or not in the schema may be
 * anything, and so may values of the right type: a newer gateway may know more of them.
 */
export function misfit(value: Json, schema: Json | undefined): string | undefined {
  return misfitAt([], value, schema);
}

/** `at` is where the value stands; it is spelled out for a fault only. */
function misfitAt(at: string[], value: Json, schema: Json | undefined): string | undefined {
  const type = valueOf(schema, 'type');
  if (!isOfType(value, type)) {
    const [expected, where] = [
      textsOf(type).map(spoken).join(' or '),
      at.length === 0 ? '' : ` in ${printPointer(at)}`,
    ];
    return `expected ${expected}${where}, found ${spoken(typeOf(value))}`;
  }
  const items = isList(value) ? valueOf(schema, 'items') : undefined;
  const properties = valueOf(schema, 'properties');
  for (const key of keysOf(value)) {
    const child = valueOf(value, key) as Json; // it was just there
    const known = items ?? valueOf(properties, key);
    if (known === undefined || (child === null && items === undefined)) continue;
    at.push(key);
    const fault = misfitAt(at, child, known) ?? (items === undefined ? undefined : gap(at, child, known));
    if (fault !== undefined) return fault;
    at.pop();
  }
  return undefined;
}

/** What an item of a list lacks. */
function gap(at: readonly string[], item: Json, schema: Json): string | undefined {
  const missing = textsOf(valueOf(schema, 'required')).find((key) => (valueOf(item, key) ?? null) === null);
  return missing === undefined ? undefined : `expected ${missing} in ${printPointer(at)}`;
}

/** Whether a value is of a type that a schema names, or of one of several; a schema need not name any. */
function isOfType(value: Json, type: Json | undefined): boolean {
  if (isList(type)) return type.some((one) => isOfType(value, one));
  return typeof type !== 'string' || typeOf(value) === (type === 'integer' ? 'number' : type);
}

/** A text, or the texts of a list. */
function textsOf(value: Json | undefined): readonly string[] {
  return (isList(value) ? value : [value]).filter((one) => typeof one === 'string');
}

function typeOf(value: Json): string {
  if (value === null) return 'null';
  if (isList(value)) return 'array';
  return isObject(value) ? 'object' : typeof value;
}

function spoken(type: string): string {
  return NAMES[type] ?? type;
}

const NAMES: Readonly<Record<string, string>> = {
  null: 'null',
  array: 'a list',
  object: 'an object',
  string: 'a text',
  number: 'a number',
  integer: 'a number',
  boolean: 'true or false',
};
