import { changeAt, isObject, withKey, type Json, type JsonObject } from '../../model/json/json.ts';
import type { Catalog, Context, Kind } from '../../model/kind.ts';
import type { OwnKind } from '../../model/own-kind.ts';
import type { Checked } from '../../model/problem.ts';
import { identify } from '../../model/normal/normal-form.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { envelopeOf } from './envelope.ts';
import { exposed, isExposed } from './exposed.ts';
import { hasOpen, placeIn } from './in-document.ts';
import { recognise } from './recognise.ts';
import { ruleProblems } from './rule-problems.ts';
import { isIdentifiable, partProblems, schemaProblems } from './schema-problems.ts';
import { violationsOf } from '../validate.ts';
import type { ParsedDocument } from '../yaml/parse.ts';

/** A document as the resource that it declares; undefined when it is too broken to be one. */
export type CheckedDocument = Checked<
  | {
      readonly document: ParsedDocument;
      readonly address: Address;
      readonly resource: Resource;
      readonly own?: undefined;
      /** `protect: true` stands beside its metadata. */
      readonly protect?: boolean;
    }
  | {
      readonly document: ParsedDocument;
      readonly resource: Resource;
      readonly own: OwnKind;
      readonly address?: undefined;
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
  const canonical = inCanonicalCase(kind, withKey(value, 'kind', form.name));
  const violations = violationsOf(envelopeOf(form), canonical).filter(({ path }) => !hasOpen(document, path));
  const passes = violations.length === 0;
  const isDeclared = passes || isIdentifiable(canonical);
  const resource = withKey(canonical, 'protect', undefined) as Resource; // as far as the schema is passed
  const address = isDeclared && kind !== undefined ? identify(kind, resource) : undefined;
  const problems = [...document.problems];
  if (!passes) problems.push(...schemaProblems(violations, document, form, canonical));
  if (kind !== undefined && address !== undefined) {
    problems.push(...partProblems(document, kind, resource, address));
    if (passes) problems.push(...ruleProblems(document, kind, resource, { address, context }));
    const protect = canonical['protect'] === true;
    return { value: { document, address, resource, protect }, problems };
  }
  return { value: passes && own !== undefined ? { document, resource, own } : undefined, problems };
}

function inCanonicalCase(kind: Kind | undefined, value: JsonObject): JsonObject {
  const canonical = (kind?.upperCase ?? []).reduce<Json>(
    (changed, tokens) =>
      changeAt(changed, tokens, (text) => (typeof text === 'string' ? text.toUpperCase() : text)),
    value,
  );
  return canonical as JsonObject; // it was one before
}
