import { isList, isObject, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import { placeholdersIn } from '../../declare/declared.ts';

/** A body that cannot be converted; the message says why. */
export class BadBody extends Error {
  override readonly name = 'BadBody';
}

export function objectIn(body: Json | undefined): JsonObject {
  if (isObject(body)) return body;
  throw new BadBody(body === undefined ? 'it has no body' : 'its body is not a JSON object');
}

/** A text field; undefined if it is absent or null. */
export function textIn(body: JsonObject, key: string): string | undefined {
  const value = valueOf(body, key) ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw new BadBody(`${key} of its body is not text`);
}

export function neededText(body: JsonObject, key: string): string {
  const text = textIn(body, key);
  if (text !== undefined && text !== '') return text;
  throw new BadBody(`its body has no ${key}`);
}

/** The same for a name, which cannot depend on a variable: other objects refer to it. */
export function nameIn(body: JsonObject, key: string): string {
  return refusePlaceholders(neededText(body, key), key);
}

export function refusePlaceholders(text: string, what: string): string {
  if (text.includes('{{')) throw new BadBody(`${what} has a template: ${text}`);
  const [variable] = placeholdersIn(text);
  if (variable === undefined) return text;
  throw new BadBody(`${what} depends on the variable ${variable}, whose value the file does not say`);
}

export function flagIn(body: JsonObject, key: string): boolean | undefined {
  const value = valueOf(body, key) ?? undefined;
  if (value === undefined || typeof value === 'boolean') return value;
  throw new BadBody(`${key} of its body is neither true nor false`);
}

export function namesIn(body: JsonObject, key: string): readonly string[] {
  const value = valueOf(body, key) ?? [];
  if (!isList(value)) throw new BadBody(`${key} of its body is not a list`);
  return value.map((one) => {
    if (typeof one !== 'string' || one === '') throw new BadBody(`${key} of its body is not a list of texts`);
    return refusePlaceholders(one, key);
  });
}

/** The keys of a body that v2 has no field for. */
export function otherKeys(body: JsonObject, known: readonly string[]): readonly string[] {
  return Object.keys(body).filter((key) => !known.includes(key) && valueOf(body, key) !== null);
}
