import { isList, isObject, parsePointer, valueOf, type Json } from '../../model/json/json.ts';
import { meets, type Kind } from '../../model/kind.ts';
import type { OwnKind } from '../../model/own-kind.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { isSecretText } from '../../model/secrets/secret-texts.ts';
import { placeIn, type ParsedDocument } from '../yaml/document.ts';
import { exposedBy } from '../yaml/exposure.ts';
import { fillIn, type Variables } from '../yaml/interpolate.ts';

/** Whether a private key, a JWT or similar is in the metadata or a key, which all reports show. */
export function isExposed(value: Json): boolean {
  return hasSecretKey(value) || hasSecretText(valueOf(value, 'metadata') ?? null);
}

/** The secrets in metadata, as they are and as an address has them. */
export function exposedTexts(metadata: Json): readonly string[] {
  if (typeof metadata === 'string') {
    if (!isSecret(metadata)) return [];
    return [metadata, metadata.replaceAll('%', '%25').replaceAll('@', '%40')];
  }
  if (isList(metadata)) return metadata.flatMap(exposedTexts);
  return isObject(metadata) ? Object.values(metadata).flatMap(exposedTexts) : [];
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

/** Shown fields of a kind that secret variables fill in, or that are unknown because a variable has no value. */
export function exposures(
  document: ParsedDocument,
  { shown }: Kind | OwnKind,
  variables: Variables,
): readonly Problem[] {
  return [...document.templates].flatMap(([path, { text }]): readonly Problem[] => {
    const tokens = parsePointer(path);
    if (!shown.some((pattern) => meets(pattern, tokens))) return [];
    const { faults, variables: names } = fillIn(text, variables);
    const found = faults.length > 0 ? faults : [exposedBy(names, variables)];
    return found.map((fault) => ({ severity: 'error', at: placeIn(document, path), path, ...fault }));
  });
}

/** The only problem of such a document: others could contain the secret. */
export function exposed({ ref }: ParsedDocument): Problem {
  return makeProblem({
    code: 'exposed-secret',
    message: 'the document has a secret in its metadata or as a key, which reports show',
    at: { document: ref, path: '', on: 'value' },
    hint: 'remove the secret, and replace it by a new one',
    confidential: true,
  });
}
