import { isObject, joinPointer, type Json, type Pointer } from '../model/json/json.ts';
import type { Problem } from '../model/problem.ts';
import { suggest } from '../model/text/suggest.ts';
import type { Violation } from './validate.ts';

/** The text of a problem for a violation. */
export type Worded = Pick<Problem, 'code' | 'message' | 'hint'> & {
  readonly path: Pointer;
  readonly on: 'key' | 'value';
};

/** The place of a violation; that of a missing or unknown field is where the field is or would be. */
export function placeOfViolation({ path, keyword, params }: Violation): Pointer {
  switch (keyword) {
    case 'additionalProperties':
      return joinPointer(path, String(params['additionalProperty']));
    case 'required':
      return joinPointer(path, String(params['missingProperty']));
    case 'uniqueItems':
      return joinPointer(path, Math.max(Number(params['i']), Number(params['j'])));
    default:
      return path;
  }
}

/** `about` is the resource or plugin; `shown` is the found value as it may be shown. */
export function word(violation: Violation, about: string, shown: string): Worded | undefined {
  const { path, keyword, params, found, known, message } = violation;
  const place = placeOfViolation(violation);
  if (keyword === 'additionalProperties') {
    const field = String(params['additionalProperty']);
    const near = suggest(field, known);
    return {
      code: 'unknown-field',
      path: place,
      on: 'key',
      message: `${about} has no field ${field}${path === '' ? '' : ` in ${path}`}`,
      hint: near === undefined ? `remove it; known fields are ${known.join(', ')}` : `did you mean ${near}?`,
    };
  }
  if (keyword === 'required') {
    const field = String(params['missingProperty']);
    return {
      code: 'missing-field',
      path: place,
      on: 'key',
      message: `${about} has no ${place}`,
      hint: `add ${field}`,
    };
  }
  if (keyword === 'uniqueItems') {
    return {
      code: 'repeated-item',
      path: place,
      on: 'value',
      message: `${about} has the item at ${place} twice, which the gateway rejects`,
      hint: 'keep one of the two',
    };
  }
  // The violations of the branches of a choice say more than the violation of the choice.
  if (['anyOf', 'oneOf', 'if'].includes(keyword)) return undefined;
  return {
    code: 'invalid-value',
    path,
    on: 'value',
    message: `${path} of ${about}: expected ${expectation(keyword, params, message)}; found ${shown}`,
    hint: correction(keyword, params, found),
  };
}

/** A value for use in a sentence. */
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

/** The types of a schema, in words. */
export function wordTypes(types: unknown): string {
  return [types]
    .flat()
    .map((type) => TYPES[String(type)] ?? String(type))
    .join(' or ');
}

/** The type of a value that may be secret, in words. */
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
    case 'maxLength':
      return `at most ${limit} characters`;
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
  if (keyword === 'type' && found === null) return 'set a value, or remove the field';
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
