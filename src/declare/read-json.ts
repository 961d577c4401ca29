import { excess, hasDuplicateKeys } from '../model/json/extent.ts';
import { readJson } from '../model/json/json-text.ts';
import { isList, isObject, valueOf, type Json, type JsonObject } from '../model/json/json.ts';
import { makeProblem, type Checked, type Problem } from '../model/problem.ts';

/** The map in a JSON text, or why there is none, as a predicate: `is not JSON`. */
export function readJsonMap(text: string): { readonly map: JsonObject } | { readonly fault: string } {
  const much = excess(text);
  if (much !== undefined) return { fault: much };
  const value = readJson(text.replace(/^\uFEFF/, ''));
  // PowerShell redirects as UTF-16.
  if (value === undefined) return { fault: text.includes('\0') ? 'is UTF-16, not UTF-8' : 'is not JSON' };
  if (!isObject(value)) return { fault: 'is not a JSON object' };
  if (hasDuplicateKeys(text, value)) return { fault: 'has a map with two equal keys' };
  return { map: value };
}

/** Why a state file cannot be read, as a predicate, and what to do. */
export type StateFault = { readonly fault: string; readonly hint: string };

/** The state that another tool keeps in a file of this name. */
export function readState<T>(
  text: string,
  name: string,
  faultOf: (map: JsonObject) => StateFault | undefined,
  read: (map: JsonObject) => Checked<T>,
  hint: string,
): Checked<T | undefined> {
  const found = readJsonMap(text);
  const wrong = 'fault' in found ? { ...found, hint } : faultOf(found.map);
  if ('map' in found && wrong === undefined) return read(found.map);
  const problem = invalidState(`${name} ${wrong?.fault ?? ''}`, wrong?.hint ?? hint);
  return { value: undefined, problems: [problem] };
}

export function invalidState(message: string, hint: string): Problem {
  return makeProblem({ code: 'invalid-state', message, hint });
}

export function listAt(value: Json | undefined, key: string): readonly Json[] {
  const list = valueOf(value, key);
  return isList(list) ? list : [];
}

/** Counts one more of these. */
export function addOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
