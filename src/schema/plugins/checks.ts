import {
  parsePointer,
  placesOf,
  valueOf,
  joinPointer,
  type Json,
  type Pointer,
} from '../../model/json/json.ts';
import type { FieldProblem } from '../../model/kind.ts';

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
      severity: 'error',
      path: joinPointer(path, lower),
      message: `expected ${lower} of ${nameAt(path)} to be at most its ${upper}`,
      found: least,
      hint: 'swap them, or correct one of them',
    };
  };
}

/** OVERRIDE needs a value. */
export function overrideNeeds(key: string, severity: FieldProblem['severity']): Check {
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

export const maskNeedsLength: Check = (value, path) => {
  const type = valueOf(value, 'type');
  if ((type !== 'MASK_FIRST_N' && type !== 'MASK_LAST_N') || has(value, 'numberOfChars')) return [];
  return {
    code: 'mask-without-length',
    severity: 'error',
    path: joinPointer(path, 'type'),
    message: `${nameAt(path)} has type ${type}, but no numberOfChars`,
    hint: 'add numberOfChars, or use MASK_ALL',
  };
};

// gateway-api E.3: the field of kmsConfig that a key needs, by prefix; in-memory-kms:// needs none.
const KMS: Readonly<Record<string, string>> = {
  'vault-kms://': 'vault',
  'azure-kms://': 'azure',
  'aws-kms://': 'aws',
  'gcp-kms://': 'gcp',
  'gateway-kms://': 'gateway',
};
const KEYS = [['*', 'payload', 'keySecretId'], ['*', 'fields', '*', 'keySecretId'], ['defaultKeySecretId']];

/** Each key must be in a key management service of kmsConfig; for a config as a whole. */
export const kmsIsThere: Check = (config, path) => {
  const configured = valueOf(config, 'kmsConfig');
  if (typeof configured === 'string') return []; // a placeholder, or a violation of the schema
  return KEYS.flatMap((key) => placesOf(config, key, path)).flatMap(({ pointer, value }) => {
    const prefix = typeof value === 'string' ? (/^[a-z-]+:\/\//.exec(value)?.[0] ?? '') : '';
    const kms = Object.hasOwn(KMS, prefix) ? KMS[prefix] : undefined;
    if (kms === undefined || has(configured, kms)) return [];
    return {
      code: 'unknown-kms',
      severity: 'error',
      path: pointer,
      message: `${nameAt(pointer)} starts with ${prefix}, but kmsConfig has no ${kms}`,
      hint: `add ${kms} to kmsConfig, or use a key of a configured service`,
    };
  });
};

function has(value: Json | undefined, key: string): boolean {
  return (valueOf(value, key) ?? null) !== null;
}

/** NaN for other values, which compares with nothing. */
function numberIn(value: Json | undefined): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
}

function nameAt(path: Pointer): string {
  return parsePointer(path).at(-1) ?? '';
}
