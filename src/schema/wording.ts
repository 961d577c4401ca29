import { isObject, joinPointer, type Json, type Pointer } from '../model/json/json.ts';
import type { Problem } from '../model/problem.ts';
import { suggest } from '../model/text/suggest.ts';
import type { Violation } from './validate.ts';

/** A violation in the words of a problem: what, where, and the cure. */
export type Worded = Pick<Problem, 'code' | 'message' | 'hint'> & {
  readonly path: Pointer;
  readonly on: 'key' | 'value';
};

/** `about` names the resource, or the plugin whose config it is; `shown` is what may be said of the value found. */
export function word(
  { path, keyword, params, found, known, message }: Violation,
  about: string,
  shown: string,
): Worded | undefined {
  if (keyword === 'additionalProperties') {
    const field = String(params['additionalProperty']);
    const near = suggest(field, known);
    return {
      code: 'unknown-field',
      path: joinPointer(path, field),
      on: 'key',
      message: `${about} has no field ${field}${path === '' ? '' : ` in ${path}`}`,
      hint: near === undefined ? `take it out; known here are ${known.join(', ')}` : `did you mean ${near}?`,
    };
  }
  if (keyword === 'required') {
    const field = String(params['missingProperty']);
    const place = joinPointer(path, field);
    return {
      code: 'missing-field',
      path: place,
      on: 'key',
      message: `${about} has no ${place}`,
      hint: `add ${field}`,
    };
  }
  if (keyword === 'uniqueItems') {
    const item = joinPointer(path, Math.max(Number(params['i']), Number(params['j'])));
    return {
      code: 'repeated-item',
      path: item,
      on: 'value',
      message: `${about} has the item at ${item} twice, which the gateway refuses`,
      hint: 'keep one of the two',
    };
  }
  // A choice between schemas fails as a whole beside its branches, and the branches say more.
  if (['anyOf', 'oneOf', 'if'].includes(keyword)) return undefined;
  return {
    code: 'invalid-value',
    path,
    on: 'value',
    message: `${path} of ${about}: expected ${expectation(keyword, params, message)}; found ${shown}`,
    hint: correction(keyword, params, found),
  };
}

/** A value as it may stand in a sentence. */
export function describe(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'a map';
  const text = typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'a map',
  array: 'a list',
  null: 'null',
};

/** The types that a schema asks for, as a message has them. */
export function wordTypes(types: unknown): string {
  return [types]
    .flat()
    .map((type) => TYPES[String(type)] ?? String(type))
    .join(' or ');
}

/** The type of a value, where the value itself may be a secret. */
export function wordTypeOf(value: Json | undefined): string {
  return wordTypes(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
}

function expectation(keyword: string, params: Violation['params'], message: string): string {
  const limit = String(params['limit']);
  const items = limit === '1' ? 'item' : 'items';
  switch (keyword) {
    case 'type':
      return wordTypes(params['type']);
    case 'enum':
      return `one of ${allowed(params).join(', ')}`;
    case 'pattern':
      return `text that matches ${String(params['pattern'])}`;
    case 'minimum':
      return `at least ${limit}`;
    case 'maximum':
      return `at most ${limit}`;
    case 'minLength':
      return 'text that is not empty';
    case 'minItems':
      return `at least ${limit} ${items}`;
    case 'maxItems':
      return `at most ${limit} ${items}`;
    default:
      return message;
  }
}

function correction(keyword: string, params: Violation['params'], found: Json | undefined): string {
  if (keyword === 'enum' && typeof found === 'string') {
    const near = suggest(found, allowed(params));
    if (near !== undefined) return `did you mean ${near}?`;
  }
  if (keyword === 'type' && found === null) return 'give it a value, or take the field out';
  const scalar = typeof found === 'number' || typeof found === 'boolean';
  if (keyword === 'type' && params['type'] === 'string' && scalar) return 'put quotes around it';
  return 'write the value as expected';
}

function allowed(params: Violation['params']): readonly string[] {
  const values = params['allowedValues'];
  return Array.isArray(values)
    ? values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    : [];
}
