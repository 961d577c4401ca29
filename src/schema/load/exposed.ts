import { keysOf, valueOf, type Json } from '../../model/json/json.ts';
import type { Problem } from '../../model/problem.ts';
import { isSecretText } from '../../model/secrets/secrets.ts';
import type { ParsedDocument } from '../yaml/parse.ts';

/** Whether a private key, a JWT or the like stands in a name or is a key, so that every report would have it. */
export function isExposed(value: Json): boolean {
  return hasSecretKey(value) || hasSecretText(valueOf(value, 'metadata') ?? null);
}

function hasSecretKey(value: Json): boolean {
  return keysOf(value).some((key) => isSecret(key) || hasSecretKey(valueOf(value, key) ?? null));
}

function hasSecretText(value: Json): boolean {
  if (typeof value === 'string') return isSecret(value);
  return keysOf(value).some((key) => hasSecretText(valueOf(value, key) ?? null));
}

function isSecret(text: string): boolean {
  return text.length >= 12 && isSecretText(text);
}

/** Nothing else is said of such a document: whatever it were, it could name the place. */
export function exposed({ ref }: ParsedDocument): Problem {
  return {
    code: 'exposed-secret',
    severity: 'error',
    message: 'the document has a secret in its metadata or as a key, where every report would show it',
    at: { document: ref, path: '', on: 'value' },
    hint: 'take it out, and make a new one: this one was in the open',
    confidential: true,
  };
}
