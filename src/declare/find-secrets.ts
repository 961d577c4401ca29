import {
  parsePointer,
  type Pointer,
  childOf,
  joinPointer,
  keysOf,
  valueAt,
  type Json,
  type JsonObject,
} from '../model/json/json.ts';
import { isAt, type Kind } from '../model/kind.ts';
import type { Resource } from '../model/resource.ts';
import { secretPlaces, suspectPlaces } from '../model/secrets/secrets.ts';
import { findFormerSecrets } from '../plan/change/former-secrets.ts';
import type { DeclareOptions } from './declared.ts';
import { printJson } from '../model/json/json-text.ts';

/** A secret in a resource. */
export type FoundSecret = {
  readonly path: Pointer;
  /** Undefined if the gateway did not return it. */
  readonly value: string | undefined;
  readonly isText: boolean;
  /** Equal secrets have the same. */
  readonly id: string;
};

/**
 * The secrets in a resource: in places for secrets and `hidden` ones, texts that look like one, values of secret variables, and
 * texts that stand for a secret. Empty text is none, and neither is a placeholder that the gateway fills in. `shown` are the places of
 * secrets where no variable can stand, because all output shows them.
 */
export function findSecrets(
  kind: Kind,
  value: JsonObject,
  { isSecret, isSealed, isOpen }: Pick<DeclareOptions, 'isSecret' | 'isSealed' | 'isOpen'>,
  hidden: readonly Pointer[] = [],
): { readonly secrets: readonly FoundSecret[]; readonly shown: readonly Pointer[] } {
  const resource = value as Resource; // only the gateway's own values were left out
  const certain = secretPlaces(kind, resource);
  const places = new Set([
    ...certain,
    ...hidden,
    ...suspectPlaces(kind, resource, certain),
    ...(isSecret === undefined ? [] : findFormerSecrets(resource, kind, isSecret)),
    ...(isSealed === undefined ? [] : placesOfText(value, isSealed)),
  ]);
  const secrets: FoundSecret[] = [];
  const shown: Pointer[] = [];
  for (const path of [...places].sort()) {
    const found = valueAt(value, path) ?? '';
    if (typeof found === 'string' && (found === '' || FILLED_IN.test(found) || isOpen?.(found) === true))
      continue;
    if (path.startsWith('/spec/') && !isShown(kind, path)) secrets.push(secretAt(path, found, isSealed));
    else if (certain.has(path)) shown.push(path);
  }
  return { secrets, shown };
}

function secretAt(path: Pointer, found: Json, isSealed: DeclareOptions['isSealed']): FoundSecret {
  const isText = typeof found === 'string';
  const text = isText ? found : printJson(found);
  if (isText && isSealed?.(text) === true) return { path, value: undefined, isText, id: `sealed ${text}` };
  if (isText && MASKED.test(text)) return { path, value: undefined, isText, id: `masked ${path} ${text}` };
  return { path, value: text, isText, id: `${typeof found} ${text}` };
}

/** What a gateway may put in the place of a secret. */
const MASKED = /^(?:\*{3,}|[[(<]?(?:hidden|masked|redacted)[\])>]?)$/i;
/** A text of which the gateway fills in all (gateway-api D.4). */
const FILLED_IN = /^\s*(?:(?:\$\{[^{}]+\}|\{\{[^{}]+\}\})\s*)+$/;

export function isShown({ shown }: Kind, path: Pointer): boolean {
  const tokens = parsePointer(path);
  return shown.some((pattern) => isAt(pattern, tokens.slice(0, pattern.length)));
}

function placesOfText(
  value: Json,
  isWanted: (text: string) => boolean,
  at: Pointer = '',
): readonly Pointer[] {
  if (typeof value === 'string') return isWanted(value) ? [at] : [];
  return keysOf(value).flatMap((key) => placesOfText(childOf(value, key), isWanted, joinPointer(at, key)));
}
