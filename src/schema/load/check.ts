import { addAll } from '../../model/collect.ts';
import { changeAt, isObject, withKey, type Json, type JsonObject } from '../../model/json/json.ts';
import { addressIn, identify } from '../../model/identity.ts';
import type { Context, Kind } from '../../model/kind.ts';
import type { Catalog, OwnKind } from '../../model/own-kind.ts';
import type { Checked } from '../../model/problem.ts';
import { asValid, type Address, type Parsed, type Resource } from '../../model/resource.ts';
import { envelopeOf } from './envelope.ts';
import { exposed, exposures, isExposed } from './exposed.ts';
import { recognise } from './recognise.ts';
import { ruleProblems } from './rule-problems.ts';
import { mayTell, partProblems, schemaProblems } from './schema-problems.ts';
import { violationsOf } from '../validate.ts';
import { isOurs } from '../yaml/ours.ts';
import { placeIn, type ParsedDocument } from '../yaml/document.ts';
import type { Variables } from '../yaml/interpolate.ts';

/** The resource that a document declares; undefined if it has no address. */
export type CheckedDocument = Checked<
  | {
      readonly document: ParsedDocument;
      readonly address: Address;
      readonly parsed: Parsed;
      /** Undefined if it violates the schema of its kind. */
      readonly resource: Resource | undefined;
      /** Whether it has `protect: true`. */
      readonly protect: boolean;
      readonly own?: undefined;
    }
  | { readonly document: ParsedDocument; readonly resource: Resource; readonly own: OwnKind }
  | undefined
>;

/** Checks a document against its kind. */
export function checkDocument(
  document: ParsedDocument,
  catalog: Catalog,
  context: Context,
  variables: Variables,
): CheckedDocument {
  // The placeholders of another file are not shown.
  const unread = document.problems.filter(({ code }) => code === 'invalid-yaml' || isOurs(document.ref.file));
  if (unread.length > 0 && !isObject(document.value)) return { value: undefined, problems: unread };
  if (unread.some(({ code }) => code === 'exposed-secret')) return { value: undefined, problems: unread };
  if (isExposed(document.value)) return { value: undefined, problems: [exposed(document)] };
  const recognised = recognise(document.value, catalog);
  if ('fault' in recognised) {
    const { on, ...fault } = recognised.fault;
    const at = placeIn(document, fault.path, on);
    return { value: undefined, problems: [...unread, { severity: 'error', at, ...fault }] };
  }
  const { form, kind, own, value } = recognised;
  const shown = exposures(document, form, variables);
  if (shown.length > 0) return { value: undefined, problems: [...document.problems, ...shown] };
  const canonical = inCanonicalCase(kind, withKey(value, 'kind', form.name));
  const violations = violationsOf(envelopeOf(form), canonical).filter((one) => mayTell(one, document));
  const problems = [...document.problems];
  if (violations.length > 0) addAll(problems, schemaProblems(violations, document, form, canonical));
  const parsed = withKey(canonical, 'protect', undefined);
  // A project can allow unknown fields, which may be those of a newer gateway.
  const isValid = violations.every(({ keyword }) => keyword === 'additionalProperties');
  const resource = isValid ? asValid(parsed) : undefined;
  if (own !== undefined) return { value: resource && { document, resource, own }, problems };
  if (kind === undefined) return { value: undefined, problems };
  const address = resource === undefined ? addressIn(kind, parsed) : identify(kind, resource);
  if (address === undefined) return { value: undefined, problems };
  addAll(problems, partProblems(document, kind, parsed, address));
  if (resource !== undefined && violations.length === 0)
    addAll(problems, ruleProblems(document, kind, resource, { address, context }));
  const protect = canonical['protect'] === true;
  return { value: { document, address, parsed, resource, protect }, problems };
}

function inCanonicalCase(kind: Kind | undefined, value: JsonObject): JsonObject {
  const canonical = (kind?.upperCase ?? []).reduce<Json>(
    (changed, tokens) =>
      changeAt(changed, tokens, (text) => (typeof text === 'string' ? text.toUpperCase() : text)),
    value,
  );
  return canonical as JsonObject; // it was one before
}
