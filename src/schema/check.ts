import { changeAt, isObject, type Json, type JsonObject } from '../model/json.ts';
import type { Catalog, Context, Kind, OwnKind } from '../model/kind.ts';
import type { Checked } from '../model/problem.ts';
import type { Resource } from '../model/resource.ts';
import { envelopeOf } from './envelope.ts';
import { exposed, isExposed } from './exposed.ts';
import { hasOpen, placeIn } from './in-document.ts';
import { recognise } from './recognise.ts';
import { ruleProblems } from './rule-problems.ts';
import { isIdentifiable, partProblems, schemaProblems } from './schema-problems.ts';
import { violationsOf } from './validate.ts';
import type { ParsedDocument } from './yaml/parse.ts';

/** A document as the resource that it declares; undefined when it is too broken to be one. */
export type CheckedDocument = Checked<
  | {
      readonly document: ParsedDocument;
      readonly resource: Resource;
      readonly kind: Kind;
      readonly own?: undefined;
      /** `protect: true` stands beside its metadata. */
      readonly protect?: boolean;
    }
  | {
      readonly document: ParsedDocument;
      readonly resource: Resource;
      readonly own: OwnKind;
      readonly kind?: undefined;
      readonly protect?: undefined;
    }
  | undefined
>;

/** Holds a document to the form of the kind that it names. */
export function checkDocument(document: ParsedDocument, catalog: Catalog, context: Context): CheckedDocument {
  if (document.problems.length > 0 && !isObject(document.value))
    return { value: undefined, problems: document.problems };
  if (isExposed(document.value)) return { value: undefined, problems: [exposed(document)] };
  const recognised = recognise(document.value, catalog);
  if ('fault' in recognised) {
    const { fault } = recognised;
    const at = placeIn(document, fault.path, 'value');
    return { value: undefined, problems: [...document.problems, { severity: 'error', at, ...fault }] };
  }
  const { form, kind, own, value } = recognised;
  const canonical = inCanonicalCase(kind, { ...value, kind: form.name });
  const violations = violationsOf(envelopeOf(form), canonical).filter(({ path }) => !hasOpen(document, path));
  const passes = violations.length === 0;
  const fromSchema = passes ? [] : schemaProblems(violations, document, form, canonical);
  const { protect, ...fields } = canonical as JsonObject; // it was one before
  const resource = fields as Resource; // as far as the schema is passed
  const fromPart =
    kind !== undefined && isIdentifiable(canonical) ? partProblems(document, kind, resource) : [];
  const fromRules = passes && kind !== undefined ? ruleProblems(document, kind, resource, context) : [];
  const problems = [...document.problems, ...fromSchema, ...fromPart, ...fromRules];
  if (!passes && !isIdentifiable(canonical)) return { value: undefined, problems };
  if (kind !== undefined) return { value: { document, resource, kind, protect: protect === true }, problems };
  return { value: passes && own !== undefined ? { document, resource, own } : undefined, problems };
}

function inCanonicalCase(kind: Kind | undefined, value: JsonObject): Json {
  return (kind?.upperCase ?? []).reduce<Json>(
    (changed, tokens) =>
      changeAt(changed, tokens, (text) => (typeof text === 'string' ? text.toUpperCase() : text)),
    value,
  );
}
