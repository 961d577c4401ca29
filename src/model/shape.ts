import { entriesOf, isList, isObject, joinPointer, valueOf, type Json, type Pointer } from './json.ts';

/**
 * Where a value is so unlike its JSON Schema that nothing could be made of it, as a clause: the first field of another
 * type, or item of a list without what tells it from the others. Fields that are null or not in the schema may be
 * anything, and so may values of the right type: a newer gateway may know more of them.
 */
export function misfit(value: Json, schema: Json | undefined, at: Pointer = ''): string | undefined {
  const types = textsOf(valueOf(schema, 'type'));
  const found = typeOf(value);
  if (types.length > 0 && !types.includes(found) && !(types.includes('integer') && found === 'number')) {
    const [expected, where] = [types.map(spoken).join(' or '), at === '' ? '' : ` in ${at}`];
    return `expected ${expected}${where}, found ${spoken(found)}`;
  }
  const items = isList(value) ? valueOf(schema, 'items') : undefined;
  for (const [key, child] of entriesOf(value)) {
    const known = items ?? valueOf(valueOf(schema, 'properties'), key);
    if (known === undefined || (child === null && items === undefined)) continue;
    const place = joinPointer(at, key);
    const fault = misfit(child, known, place) ?? (items === undefined ? undefined : gap(child, known, place));
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** What an item of a list lacks. */
function gap(item: Json, schema: Json, at: Pointer): string | undefined {
  const missing = textsOf(valueOf(schema, 'required')).find((key) => (valueOf(item, key) ?? null) === null);
  return missing === undefined ? undefined : `expected ${missing} in ${at}`;
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
