import {
  parsePointer,
  placesOf,
  valueOf,
  joinPointer,
  type Json,
  type Pointer,
} from '../../model/json/json.ts';
import type { FieldProblem } from '../../model/kind.ts';

/** A rule of a config, or of a part of one, that no schema can say. `path` is where the value stands. */
export type Check = (value: Json, path: Pointer) => readonly FieldProblem[];

/** Of two bounds the lower is not above the upper. */
export function inOrder(lower: string, upper: string): Check {
  return (value, path) => {
    const [least, most] = [valueOf(value, lower), valueOf(value, upper)];
    if (least === undefined || numberIn(least) <= numberIn(most) || isNaN(numberIn(least) - numberIn(most)))
      return [];
    return [
      {
        code: 'min-above-max',
        severity: 'error',
        path: joinPointer(path, lower),
        message: `expected ${lower} of ${nameAt(path)} to be at most its ${upper}`,
        found: least,
        hint: 'exchange the two, or correct one of them',
      },
    ];
  };
}

/** What overrides says with what. */
export function overrideNeeds(key: string, severity: FieldProblem['severity']): Check {
  return (value, path) => {
    if (valueOf(value, 'action') !== 'OVERRIDE' || has(value, key)) return [];
    return [
      {
        code: 'override-without-value',
        severity,
        path: joinPointer(path, 'action'),
        message: `${nameAt(path)} has action OVERRIDE and no ${key}`,
        hint: `add ${key}, or use another action`,
      },
    ];
  };
}

/** The vendor's pages disagree with themselves on the spelling of a list of values (gateway-api E.1). */
export const oneSpelling: Check = (value, path) => {
  if (valueOf(value, 'value') === undefined) return [];
  const both = valueOf(value, 'values') !== undefined;
  const name = nameAt(path);
  return [
    {
      code: 'unsettled-spelling',
      severity: both ? 'error' : 'warning',
      path: joinPointer(path, 'value'),
      on: 'key',
      message: both
        ? `${name} has both value and values, which are two spellings of one key`
        : `the vendor's pages disagree on whether ${name} has value or values; found value`,
      hint: both ? 'put everything into values' : 'write values, unless your gateway refuses it',
    },
  ];
};

export const maskNeedsLength: Check = (value, path) => {
  const type = valueOf(value, 'type');
  if ((type !== 'MASK_FIRST_N' && type !== 'MASK_LAST_N') || has(value, 'numberOfChars')) return [];
  return [
    {
      code: 'mask-without-length',
      severity: 'error',
      path: joinPointer(path, 'type'),
      message: `${nameAt(path)} has type ${type} and no numberOfChars`,
      hint: 'add numberOfChars, or use MASK_ALL',
    },
  ];
};

// gateway-api E.3: what a key begins with, and the key of kmsConfig that it needs; in-memory-kms:// needs none.
const KMS: Readonly<Record<string, string>> = {
  'vault-kms://': 'vault',
  'azure-kms://': 'azure',
  'aws-kms://': 'aws',
  'gcp-kms://': 'gcp',
  'gateway-kms://': 'gateway',
};
const KEYS = [['*', 'payload', 'keySecretId'], ['*', 'fields', '*', 'keySecretId'], ['defaultKeySecretId']];

/** A key is in a key management service that the config can reach; for a config as a whole. */
export const kmsIsThere: Check = (config, path) => {
  const configured = valueOf(config, 'kmsConfig');
  if (typeof configured === 'string') return []; // a placeholder, or no kmsConfig as its schema has it
  return KEYS.flatMap((key) => placesOf(config, key, path)).flatMap(({ pointer, value }) => {
    const prefix = typeof value === 'string' ? (/^[a-z-]+:\/\//.exec(value)?.[0] ?? '') : '';
    const kms = Object.hasOwn(KMS, prefix) ? KMS[prefix] : undefined;
    if (kms === undefined || has(configured, kms)) return [];
    return [
      {
        code: 'unknown-kms',
        severity: 'error',
        path: pointer,
        message: `${nameAt(pointer)} begins with ${prefix}, and kmsConfig has no ${kms}`,
        hint: `add ${kms} to kmsConfig, or take a key of a service that is there`,
      },
    ];
  });
};

function has(value: Json | undefined, key: string): boolean {
  return (valueOf(value, key) ?? null) !== null;
}

/** What no number can be read from compares with nothing. */
function numberIn(value: Json | undefined): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
}

function nameAt(path: Pointer): string {
  return parsePointer(path).at(-1) ?? '';
}
