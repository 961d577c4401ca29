import {
  entriesOf,
  isList,
  isObject,
  joinPointer,
  type Json,
  type Pointer,
} from '../../src/model/json/json.ts';

/** A place in a document: a value, or the key of one. */
export type DocumentPlace = { readonly on: 'key' | 'value'; readonly tokens: readonly string[] };

/** Every value in a document, maps and lists too, and every key. */
export function placesIn(value: Json, tokens: readonly string[] = []): readonly DocumentPlace[] {
  const here: DocumentPlace = { on: 'value', tokens };
  if (isList(value)) return [here, ...value.flatMap((item, at) => placesIn(item, [...tokens, String(at)]))];
  if (!isObject(value)) return [here];
  const inside = Object.entries(value).flatMap(([key, child]) => {
    const below = [...tokens, key];
    return [{ on: 'key', tokens: below } as const, ...placesIn(child, below)];
  });
  return [here, ...inside];
}

/** The document with a text at a place. */
export function withTextAt(value: Json, { on, tokens }: DocumentPlace, text: string): Json {
  const [token, ...rest] = tokens;
  if (token === undefined) return text;
  const next = { on, tokens: rest };
  if (isList(value))
    return value.map((item, at) => (String(at) === token ? withTextAt(item, next, text) : item));
  if (!isObject(value)) throw new Error(`there is no ${tokens.join('/')}`);
  const isHere = on === 'key' && rest.length === 0;
  const entries = Object.entries(value).map(([key, child]): [string, Json] => {
    if (key !== token) return [key, child];
    return isHere ? [text, child] : [key, withTextAt(child, next, text)];
  });
  return Object.fromEntries(entries);
}

/** The pointers to all values below this one. */
export function pointersIn(value: Json, at: Pointer = ''): readonly Pointer[] {
  return entriesOf(value).flatMap(([key, item]) => [
    joinPointer(at, key),
    ...pointersIn(item, joinPointer(at, key)),
  ]);
}
