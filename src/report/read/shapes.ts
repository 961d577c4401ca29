import { isObject, valueOf, type Json } from '../../model/json/json.ts';

/** Whether a value, which another job may have written, can be used as what a type says. */
export type Fits = (value: Json | undefined) => boolean;

export const isText: Fits = (value) => typeof value === 'string';
/** A name that fits into the first line of a comment. */
export const isName: Fits = (value) => typeof value === 'string' && value.length <= 500;
export const isFlag: Fits = (value) => typeof value === 'boolean';
export const isNumber: Fits = (value) => typeof value === 'number' && Number.isFinite(value);
export const isAnything: Fits = (value) => value !== undefined;

export function isOneOf(...texts: readonly string[]): Fits {
  return (value) => typeof value === 'string' && texts.includes(value);
}

export function maybe(fits: Fits): Fits {
  return (value) => value === undefined || fits(value);
}

export function isListOf(fits: Fits): Fits {
  return (value) => Array.isArray(value) && value.every((item: Json) => fits(item));
}

export function isMapOf(fits: Fits): Fits {
  return (value) => isObject(value) && Object.values(value).every((item) => fits(item));
}

/** A map with these fields; others, which a later version may have, are passed over. */
export function has(fields: Readonly<Record<string, Fits>>): Fits {
  const all = Object.entries(fields);
  return (value) => isObject(value) && all.every(([key, fits]) => fits(valueOf(value, key)));
}
