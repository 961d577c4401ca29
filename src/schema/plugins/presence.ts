import { isList, isObject, valueOf, type Json } from '../../model/json/json.ts';
import type { FieldProblem } from '../../model/kind.ts';
import { nameAt, type Check } from './checks.ts';

type Need = {
  readonly words?: string;
  readonly hint?: string;
  /** Default: whether there is a value at all. */
  readonly isSet?: (value: Json | undefined) => boolean;
};

/** A part of a config has no effect without one of these fields; `words` name them where there are many. */
export function needsOneOf(
  keys: readonly string[],
  consequence: string,
  { words = alternatives(keys), hint = `add ${words}`, isSet = isFilled }: Need = {},
): Check {
  return (value, path) => {
    if (!isObject(value) || keys.some((key) => isSet(valueOf(value, key)))) return [];
    return {
      code: 'incomplete-config',
      severity: 'warning',
      path,
      on: 'key',
      message: `${nameAt(path)} has no ${words}, so ${consequence}`,
      hint,
    };
  };
}

/** Fields without a documented default. */
export function needs(...keys: readonly string[]): Check {
  return (value, path) =>
    missing(value, keys).map((key) => lacking(path, `${nameAt(path)} has no ${key}`, key));
}

/** Fields that only have a meaning together. */
export function together(...keys: readonly string[]): Check {
  return (value, path) => {
    const present = keys.find((key) => isFilled(valueOf(value, key)));
    if (present === undefined) return [];
    return missing(value, keys).map((key) =>
      lacking(path, `${nameAt(path)} has ${present}, but no ${key}`, key),
    );
  };
}

/** What each value of a field needs beside it; `fallback` is its default. */
export function neededBy(
  field: string,
  table: Readonly<Record<string, readonly string[]>>,
  fallback?: string,
): Check {
  return (value, path) => {
    const chosen = valueOf(value, field) ?? fallback;
    const name = typeof chosen === 'boolean' ? String(chosen) : chosen;
    if (typeof name !== 'string' || !Object.hasOwn(table, name)) return [];
    return missing(value, table[name] ?? []).map((key) =>
      lacking(path, `${nameAt(path)} with ${field} ${name} has no ${key}`, key),
    );
  };
}

function lacking(path: FieldProblem['path'], message: string, key: string): FieldProblem {
  return { code: 'incomplete-config', severity: 'warning', path, on: 'key', message, hint: `add ${key}` };
}

function missing(value: Json, keys: readonly string[]): readonly string[] {
  return isObject(value) ? keys.filter((key) => !isFilled(valueOf(value, key))) : [];
}

function isFilled(value: Json | undefined): boolean {
  if (isList(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '';
}

function alternatives(keys: readonly string[]): string {
  const last = keys.at(-1) ?? '';
  return keys.length < 2 ? last : `${keys.slice(0, -1).join(', ')} or ${last}`;
}
