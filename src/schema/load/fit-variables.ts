import { memoize } from '../../model/collect.ts';
import { changeAt, parsePointer, type Json, type JsonObject, type Pointer } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import type { OwnKind } from '../../model/own-kind.ts';
import type { SourceFile } from '../../model/problem.ts';
import { violationsOf, type Violation } from '../validate.ts';
import { placeIn, type ParsedDocument } from '../yaml/document.ts';
import { readPlain } from '../yaml/plain.ts';
import { writtenAt } from '../yaml/places.ts';
import { envelopeOf } from './envelope.ts';
import { partIn } from './schema-problems.ts';

type Fitted = { readonly document: ParsedDocument; readonly value: JsonObject };

/**
 * A placeholder in braces needs quotes, which make its value text. Where a field takes only numbers, or true and false, a
 * value that is one quoted placeholder is read as without quotes.
 */
export function fitVariables(document: ParsedDocument, form: Kind | OwnKind, value: JsonObject): Fitted {
  if (document.places === undefined && !searched(document.ref.file).hasQuoted) return { document, value };
  const places = [
    ...violationsOf(envelopeOf(form), value)
      .filter(isTextForScalar)
      .map(({ path }) => path),
    ...violationsOfPart(form, value),
  ].filter((path) => /^(["'])\$\{[^}]*\}\1$/.test(writtenAt(placeIn(document, path))));
  if (places.length === 0) return { document, value };
  const templates = new Map(document.templates);
  for (const path of places) {
    const template = templates.get(path);
    if (template !== undefined) templates.set(path, { ...template, plain: true });
  }
  const fitted = places.reduce<Json>(
    (changed, path) => changeAt(changed, parsePointer(path), asScalar),
    value,
  );
  return { document: { ...document, templates }, value: fitted as JsonObject }; // only scalars below it changed
}

/** Whether a file has a quoted placeholder; searched once for all of its documents. */
const searched = memoize(({ text }: SourceFile) => ({
  hasQuoted: text.includes('"${') || text.includes("'${"),
}));

function violationsOfPart(form: Kind | OwnKind, value: JsonObject): readonly Pointer[] {
  const part = 'part' in form ? partIn(form, value) : undefined;
  if (part === undefined) return [];
  return violationsOf(part.schema, part.value)
    .filter(isTextForScalar)
    .map(({ path }): Pointer => `${part.path}${path}`);
}

/** Whether there is text that would be a number or a boolean without quotes, in a field that takes no text. */
function isTextForScalar({ keyword, params, found }: Violation): boolean {
  const types = [params['type']].flat();
  return (
    keyword === 'type' && typeof found === 'string' && !types.includes('string') && asScalar(found) !== found
  );
}

function asScalar(value: Json | undefined): Json | undefined {
  const scalar = typeof value === 'string' ? readPlain(value) : value;
  return typeof scalar === 'number' || typeof scalar === 'boolean' ? scalar : value;
}
