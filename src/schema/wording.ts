import { isList, isObject, joinPointer, type Json, type Pointer, isScalar } from '../model/json/json.ts';
import { didYouMean, type Cure, type Problem } from '../model/problem.ts';
import { suggest } from '../model/text/suggest.ts';
import type { Violation } from './validate.ts';
import { printJson } from '../model/json/json-text.ts';
import { ExactNumber } from '../model/json/exact-number.ts';

export type ViolationText = Pick<Problem, 'code' | 'message' | 'hint' | 'instead'> & {
  readonly path: Pointer;
  readonly on: 'key' | 'value';
};

/** The place of a violation; that of a missing or unknown field is where the field is or would be. */
export function placeOfViolation({ path, keyword, params, found, isKey }: Violation): Pointer {
  if (isKey === true && typeof found === 'string') return joinPointer(path, found);

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
export function describeViolation(
  violation: Violation,
  about: string,
  shown: string,
): ViolationText | undefined {
  const { path, keyword, params, known, found } = violation;
  const place = placeOfViolation(violation);
  if (keyword === 'additionalProperties') {
    const field = String(params['additionalProperty']);
    const free = isObject(found) ? known.filter((name) => !Object.hasOwn(found, name)) : known;
    const near = suggest(field, free);
    return {
      code: 'unknown-field',
      path: place,
      on: 'key',
      message: `${about} has no field ${field}${path === '' ? '' : ` in ${path}`}`,
      ...correctField(field, near, violation),
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
  // The violations of the branches of a choice, and of a name, say more than these.
  if (['anyOf', 'oneOf', 'if', 'propertyNames'].includes(keyword)) return undefined;
  return {
    code: 'invalid-value',
    path: place,
    on: violation.isKey === true ? 'key' : 'value',
    message: `${path === '' ? '' : `${path} of `}${about}: expected ${expectation(violation)}; found ${counted(violation, shown)}`,
    ...correction(violation),
  };
}

/** Of a list with too few or too many items, how many there are. */
function counted({ keyword, found }: Violation, shown: string): string {
  if (!keyword.endsWith('Items') || !isList(found)) return shown;
  return found.length === 1 ? '1 item' : `${found.length} items`;
}

/** A value for use in a sentence. */
export function describe(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'a map';
  const text = printJson(value);
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
export function describeTypes(types: unknown): string {
  return [types]
    .flat()
    .map((type) => TYPES[String(type)] ?? String(type))
    .join(' or ');
}

/** The type of a value that may be secret, in words. */
export function describeTypeOf(value: Json | undefined): string {
  return describeTypes(
    value === null
      ? 'null'
      : Array.isArray(value)
        ? 'array'
        : value instanceof ExactNumber
          ? 'number'
          : typeof value,
  );
}

function expectation({ keyword, params, form, message }: Violation): string {
  const limit = String(params['limit']);
  const items = limit === '1' ? 'item' : 'items';
  switch (keyword) {
    case 'type':
      return describeTypes(params['type']);
    case 'enum':
      return `one of ${allowed(params).join(', ')}`;
    case 'pattern':
      return form ?? message;
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

function correctField(field: string, near: string | undefined, { known }: Violation): Cure {
  if (known.some((key) => field.startsWith(`${key}:`))) return { hint: 'put a space after the colon' };
  return didYouMean(near, `remove it; known fields are ${known.join(', ')}`);
}

function correction(violation: Violation): Cure {
  const { keyword, params, found } = violation;
  if (keyword !== 'enum') return { hint: adviceFor(violation) };
  const near = typeof found === 'string' ? suggest(found, allowed(params)) : undefined;
  return didYouMean(near, 'use one of these values');
}

function adviceFor(violation: Violation): string {
  const { keyword, params, found } = violation;
  const limit = String(params['limit']);
  switch (keyword) {
    case 'type':
      return correctType(violation);
    case 'pattern': {
      const text = typeof found === 'string' ? found : '';
      if (/\$\{[^}]*$/.test(text)) return 'add the } that is missing';
      if (/^\$[A-Za-z_]\w*$/.test(text)) return `write \${${text.slice(1)}} for the variable`;
      const near = similarText(text, String(params['pattern']));
      return near === undefined ? 'write a value of this form' : `write for example ${near}`;
    }
    case 'minimum':
      return `use ${limit} or more`;
    case 'maximum':
      return `use ${limit} or less`;
    case 'minLength':
      return 'set a value, or remove the field';
    case 'maxLength':
      return 'shorten it';
    case 'minItems':
      return 'add an item';
    case 'maxItems':
      return limit === '1' ? 'keep one item' : `keep ${limit} items`;
    default:
      return 'change the value';
  }
}

/** A text like this one that matches a pattern; undefined where nothing of it is left. */
function similarText(text: string, pattern: string): string | undefined {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').trim();
  const candidates = [/[^\w.-]+/g, /[^\w-]+/g].map((others) => plain.replace(others, '-'));
  return candidates.find(
    (candidate) => /[a-z\d]/i.test(candidate) && new RegExp(pattern, 'u').test(candidate),
  );
}

/** How to write a value of another type. */
function correctType({ params, found, known, required }: Violation): string {
  const types = [params['type']].flat().map(String);
  const isMap = types.includes('object') && !types.includes('string');
  if (found === null && !isMap) return 'set a value; or remove the field, if it is optional';
  if (types.includes('string'))
    return found === undefined || isScalar(found)
      ? 'put quotes around it'
      : 'write text, in quotes if it has braces or brackets';
  if (types.includes('boolean')) return 'write true or false, without quotes';
  if (types.includes('object')) {
    if (Array.isArray(found)) return 'write it as a map, without a dash before the key';
    const keys = required.length > 0 ? required : known.slice(0, 3);
    return `write it as a map: { ${keys.length === 0 ? 'key: …' : keys.map((key) => `${key}: …`).join(', ')} }`;
  }
  if (types.includes('array'))
    return found === undefined || isScalar(found)
      ? correctList(found, required.length > 0 ? required : known.slice(0, 1))
      : 'write it as a list: put a dash before each item';
  if (typeof found === 'number') return 'write a whole number';
  const isNumber = typeof found === 'string' && /^-?\d+$/.test(found);
  return isNumber ? `write ${found} without quotes` : 'write a number, without quotes';
}

/** How to write a scalar as a list of texts, or of maps with these keys. */
function correctList(found: Json | undefined, keys: readonly string[]): string {
  if (keys.length > 0) return `write it as a list: [{ ${keys.map((key) => `${key}: …`).join(', ')} }]`;
  if (typeof found !== 'string' || found === '') return 'write it as a list: [ … ]';
  if (/^-\S/.test(found)) return 'put a space after the dash';
  return `write it as a list: [${found
    .split(',')
    .map((item) => describe(item.trim()))
    .join(', ')}]`;
}

function allowed(params: Violation['params']): readonly string[] {
  const values = params['allowedValues'];
  return Array.isArray(values)
    ? values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)))
    : [];
}
