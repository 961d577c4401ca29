import { isList, isObject, valueOf, type Json } from '../../model/json/json.ts';
import type { Problem } from '../../model/problem.ts';
import { isSecretText } from '../../model/secrets/secrets.ts';
import type { ParsedDocument } from '../yaml/parse.ts';

/** Whether a private key, a JWT or similar is in the metadata or a key, which all reports show. */
export function isExposed(value: Json): boolean {
  return hasSecretKey(value) || hasSecretText(valueOf(value, 'metadata') ?? null);
}

function hasSecretKey(value: Json): boolean {
  if (isList(value)) return value.some(hasSecretKey);
  return (
    isObject(value) && Object.keys(value).some((key) => isSecret(key) || hasSecretKey(value[key] ?? null))
  );
}

function hasSecretText(value: Json): boolean {
  if (typeof value === 'string') return isSecret(value);
  if (isList(value)) return value.some(hasSecretText);
  return isObject(value) && Object.keys(value).some((key) => hasSecretText(value[key] ?? null));
}

function isSecret(text: string): boolean {
  return text.length >= 12 && isSecretText(text);
}

/** The only problem of such a document: others could contain the secret. */
export function exposed({ ref }: ParsedDocument): Problem {
  return {
    code: 'exposed-secret',
    severity: 'error',
    message: 'the document has a secret in its metadata or as a key, which reports show',
    at: { document: ref, path: '', on: 'value' },
    hint: 'remove the secret, and replace it by a new one',
    confidential: true,
  };
}
