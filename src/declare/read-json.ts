import { excess, hasDuplicateKeys } from '../model/json/extent.ts';
import { isObject, type Json, type JsonObject } from '../model/json/json.ts';
import { parseJson } from '../model/json/json-text.ts';
import { makeProblem, type Problem } from '../model/problem.ts';

/** The map in a JSON text, or why there is none, as a predicate: `is not JSON`. */
export function readJsonMap(text: string): { readonly map: JsonObject } | { readonly fault: string } {
  const much = excess(text);
  if (much !== undefined) return { fault: much };
  let value: Json;
  try {
    value = parseJson(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    // PowerShell redirects as UTF-16.
    return { fault: text.includes('\0') ? 'is UTF-16, not UTF-8' : 'is not JSON' };
  }
  if (!isObject(value)) return { fault: 'is not a JSON object' };
  if (hasDuplicateKeys(text, value)) return { fault: 'has a map with two equal keys' };
  return { map: value };
}

/** Why a state file of another tool cannot be read. */
export function invalidState(message: string, hint: string): Problem {
  return makeProblem({ code: 'invalid-state', message, hint });
}
