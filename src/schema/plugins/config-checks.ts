import {
  entriesOf,
  isList,
  parsePointer,
  placesOf,
  valueOf,
  joinPointer,
  type Json,
  type Pointer,
  isObject,
} from '../../model/json/json.ts';
import type { FieldProblem } from '../../model/kind.ts';
import type { Severity } from '../../model/problem-codes.ts';
import { hasPlaceholder } from '../../model/text/placeholder.ts';
import { suggest } from '../../model/text/suggest.ts';

/** A rule for a config or a part of it, which a schema cannot express. `path` is the place of the value. */
export type Check = (value: Json, path: Pointer) => FieldProblem | readonly FieldProblem[];

/** A lower bound must not be above an upper one. */
export function inOrder(lower: string, upper: string): Check {
  return (value, path) => {
    const [least, most] = [valueOf(value, lower), valueOf(value, upper)];
    if (least === undefined || numberIn(least) <= numberIn(most) || isNaN(numberIn(least) - numberIn(most)))
      return [];
    return {
      code: 'min-above-max',
      path: joinPointer(path, lower),
      message: `expected ${lower} of ${nameAt(path)} to be at most its ${upper}`,
      found: least,
      hint: 'swap them, or correct one of them',
    };
  };
}

/** OVERRIDE needs a value. */
export function overrideNeeds(key: string, severity: Severity): Check {
  return (value, path) => {
    if (valueOf(value, 'action') !== 'OVERRIDE' || has(value, key)) return [];
    return {
      code: 'override-without-value',
      severity,
      path: joinPointer(path, 'action'),
      message: `${nameAt(path)} has action OVERRIDE, but no ${key}`,
      hint: `add ${key}, or use another action`,
    };
  };
}

/** The value that OVERRIDE sets must itself keep the rule. */
export const overrideInBounds: Check = (value, path) => {
  const [min, max, set] = ['min', 'max', 'overrideValue'].map((key) => numberIn(valueOf(value, key)));
  if (set === undefined || !((min ?? NaN) > set || (max ?? NaN) < set)) return [];
  return brokenOverride(value, path, 'its min and max');
};

export const overrideAmongValues: Check = (value, path) => {
  const set = valueOf(value, 'overrideValue');
  const allowed = valueOf(value, 'values') ?? valueOf(value, 'value');
  if (typeof set !== 'string' || hasPlaceholder(set) || !isList(allowed) || allowed.includes(set)) return [];
  return brokenOverride(value, path, 'its values');
};

function brokenOverride(value: Json, path: Pointer, bounds: string): FieldProblem {
  const found = valueOf(value, 'overrideValue');
  return {
    code: 'unusual-value',
    path: joinPointer(path, 'overrideValue'),
    message: `expected overrideValue of ${nameAt(path)} to be within ${bounds}`,
    ...(found === undefined ? {} : { found }),
    hint: 'choose a value that the rule allows',
  };
}

/** The vendor documents a list of values in two spellings (gateway-api E.1). */
export const oneSpelling: Check = (value, path) => {
  if (valueOf(value, 'value') === undefined) return [];
  const both = valueOf(value, 'values') !== undefined;
  const name = nameAt(path);
  return {
    code: 'unsettled-spelling',
    severity: both ? 'error' : 'warning',
    path: joinPointer(path, 'value'),
    on: 'key',
    message: both
      ? `${name} has both value and values, which are the same setting`
      : `the vendor documents both value and values in ${name}; found value`,
    hint: both ? 'move everything to values' : 'use values, unless your gateway rejects it',
  };
};

/** Fields that are now in `home`, and that some examples of the vendor still have beside it. */
export function formerPlaces(home: string, keys: readonly string[]): Check {
  return (config, path) =>
    keys
      .filter((key) => has(config, key))
      .map((key) => ({
        code: 'unsettled-spelling',
        path: joinPointer(path, key),
        on: 'key',
        message: `${key} is the older place of ${home}.${key}; some examples of the vendor still have it there`,
        hint: `move it into ${home}`,
      }));
}

/** The vendor describes OVERRIDE for rules of this class, and has it in an example, but not in the list of actions (gateway-api E.2). */
export const unlistedOverride: Check = (config, path) =>
  entriesOf(config)
    .filter(([, rule]) => valueOf(rule, 'action') === 'OVERRIDE')
    .map(([key]) => ({
      code: 'unusual-value',
      path: joinPointer(joinPointer(path, key), 'action'),
      message: `OVERRIDE of ${key} is in an example of the vendor, but not in its list of actions`,
      hint: 'use BLOCK, INFO or THROTTLE, unless your gateway accepts it',
    }));

export const maskNeedsLength: Check = (value, path) => {
  const type = valueOf(value, 'type');
  if ((type !== 'MASK_FIRST_N' && type !== 'MASK_LAST_N') || has(value, 'numberOfChars')) return [];
  return {
    code: 'mask-without-length',
    path: joinPointer(path, 'type'),
    message: `${nameAt(path)} has type ${type}, but no numberOfChars`,
    hint: 'add numberOfChars, or use MASK_ALL',
  };
};

// gateway-api E.3: the field of kmsConfig that a key needs, by prefix; in-memory-kms:// needs none.
const KMS: Readonly<Record<string, string | undefined>> = {
  'in-memory-kms://': undefined,
  'vault-kms://': 'vault',
  'azure-kms://': 'azure',
  'aws-kms://': 'aws',
  'gcp-kms://': 'gcp',
  'gateway-kms://': 'gateway',
};
const KEYS = [
  ...[[], ['*']].flatMap((part) => [
    [...part, 'payload', 'keySecretId'],
    [...part, 'fields', '*', 'keySecretId'],
  ]),
  ['defaultKeySecretId'],
];

/** Each key must be in a key management service of kmsConfig; for a config as a whole. */
export const kmsIsThere: Check = (config, path) => {
  const configured = valueOf(config, 'kmsConfig');
  if (typeof configured === 'string') return []; // a placeholder, or a violation of the schema
  return KEYS.flatMap((key) => placesOf(config, key, path)).flatMap(({ pointer, value }) => {
    if (typeof value !== 'string') return [];
    const prefix = /^[^:{$]*:\/\//.exec(value)?.[0] ?? '';
    if (!Object.hasOwn(KMS, prefix)) return strangeKey(value, prefix, pointer);
    const kms = KMS[prefix];
    if (kms === undefined || has(configured, kms)) return [];
    return {
      code: 'unknown-kms',
      path: pointer,
      message: `${nameAt(pointer)} starts with ${prefix}, but kmsConfig has no ${kms}`,
      hint: `add ${kms} to kmsConfig, or use a key of a configured service`,
    };
  });
};

/** A key without the prefix of a service; before gateway 3.5 one in memory had none. */
function strangeKey(key: string, prefix: string, path: Pointer): readonly FieldProblem[] {
  if (prefix === '' && hasPlaceholder(key.split('://')[0])) return [];
  const known = Object.keys(KMS);
  const near = suggest(prefix, known);
  const start = `expected ${nameAt(path)} to start with ${known.join(', ')}`;
  return [
    {
      code: 'unknown-kms',
      severity: prefix === '' ? 'warning' : 'error',
      path,
      message: start,
      found: key,
      hint:
        near === undefined
          ? 'write the prefix of the service that has the key; in-memory-kms:// needs none'
          : `did you mean ${near}?`,
    },
  ];
}

function has(value: Json | undefined, key: string): boolean {
  return (valueOf(value, key) ?? null) !== null;
}

/** The last key of a place, for messages: `fields[0]` for an item of a list. */
export function nameAt(path: Pointer): string {
  const tokens = parsePointer(path);
  const last = tokens.findLastIndex((token) => !/^\d+$/.test(token));
  return tokens
    .slice(last)
    .map((token, at) => (at === 0 ? token : `[${token}]`))
    .join('');
}

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

/** The fields that each value of a field needs beside it; `fallback` is its default. */
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
  return { code: 'incomplete-config', path, on: 'key', message, hint: `add ${key}` };
}

function missing(value: Json, keys: readonly string[]): readonly string[] {
  return isObject(value) ? keys.filter((key) => !isFilled(valueOf(value, key))) : [];
}

function isFilled(value: Json | undefined): boolean {
  if (isList(value)) return value.some(isFilled);
  if (isObject(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== '';
}

function alternatives(keys: readonly string[]): string {
  const last = keys.at(-1) ?? '';
  return keys.length < 2 ? last : `${keys.slice(0, -1).join(', ')} or ${last}`;
}

/** NaN for other values, which compares with nothing. */
export function numberIn(value: Json | undefined): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
}
