import { addAll } from '../../model/collect.ts';
import { changeAt, isObject, withKey, type Json, type JsonObject } from '../../model/json/json.ts';
import { addressIn } from '../../model/identity.ts';
import type { Context, Kind } from '../../model/kind.ts';
import type { Catalog, OwnKind } from '../../model/own-kind.ts';
import type { Checked, Problem } from '../../model/problem.ts';
import { asValid, type Address, type Examined, type Parsed, type Resource } from '../../model/resource.ts';
import { envelopeOf } from './envelope.ts';
import { fitVariables } from './fit-variables.ts';
import { exposed, exposures, isExposed } from './exposed.ts';
import { recognise, type Fault, type Recognised } from './recognise.ts';
import { ruleProblems } from './rule-problems.ts';
import { mayTell, partProblems, placeholderOf, schemaProblems } from './schema-problems.ts';
import { violationsOf, type Violation } from '../validate.ts';
import { placeOfViolation } from '../wording.ts';
import { isOurs } from '../yaml/ours.ts';
import { placeIn, type ParsedDocument } from '../yaml/document.ts';
import type { Variables } from '../yaml/interpolate.ts';

/** The resource that a document declares; undefined if it has no address. */
export type CheckedDocument = Checked<
  | {
      readonly document: ParsedDocument;
      readonly address: Address;
      readonly examined: Examined;
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
  const recognised = recognise(document.value, document.ref.file, catalog);
  const strange = recognised.fault === undefined ? [] : [faultIn(document, recognised.fault)];
  if (recognised.form === undefined) return { value: undefined, problems: [...unread, ...strange] };
  const shown = exposures(document, recognised.form, variables);
  if (shown.length > 0) return { value: undefined, problems: [...document.problems, ...strange, ...shown] };
  const { value, problems } = checkRecognised(document, recognised, context);
  return { value, problems: [...document.problems, ...strange, ...problems] };
}

function checkRecognised(
  source: ParsedDocument,
  { form, kind, own, value }: Recognised,
  context: Context,
): CheckedDocument {
  const named = withKey(withKey(value, 'kind', form.name), 'apiVersion', form.apiVersion);
  const { document, value: canonical } = fitVariables(source, form, inCanonicalCase(kind, named));
  const violations = violationsOf(envelopeOf(form), canonical).filter((one) => mayTell(one, document));
  const problems = violations.length === 0 ? [] : [...schemaProblems(violations, document, form, canonical)];
  const examined = examine(withKey(canonical, 'protect', undefined), violations);
  const { resource } = examined;
  if (own !== undefined)
    return {
      value: examined.faults === undefined ? { document, resource: examined.resource, own } : undefined,
      problems,
    };
  if (kind === undefined) return { value: undefined, problems };
  const known = addressIn(kind, resource);
  const address = known ?? placeholderOf(kind.name, resource);
  addAll(problems, partProblems(document, kind, resource, address));
  const found = ruleProblems(document, kind, examined, { address, context });
  addAll(
    problems,
    found.filter((one) => !isConsequence(one, problems)),
  );
  const protect = canonical['protect'] === true;
  return { value: known && { document, address, examined, protect }, problems };
}

/** What looks incomplete may be there in a field that is misspelt or invalid. */
function isConsequence({ code, path }: Problem, known: readonly Problem[]): boolean {
  return code === 'incomplete-config' && known.some((one) => one.path?.startsWith(`${path ?? ''}/`) === true);
}

function faultIn(document: ParsedDocument, { on, ...fault }: Fault): Problem {
  return { severity: 'error', at: placeIn(document, fault.path, on), ...fault };
}

function examine(resource: Parsed, violations: readonly Violation[]): Examined {
  // A project can allow unknown fields, which may be those of a newer gateway.
  const faults = violations.filter(({ keyword }) => keyword !== 'additionalProperties').map(placeOfViolation);
  return faults.length === 0 ? { resource: asValid(resource) } : { resource, faults };
}

function inCanonicalCase(kind: Kind | undefined, value: JsonObject): JsonObject {
  const canonical = (kind?.upperCase ?? []).reduce<Json>(
    (changed, tokens) =>
      changeAt(changed, tokens, (text) => (typeof text === 'string' ? text.toUpperCase() : text)),
    value,
  );
  return canonical as JsonObject; // it was one before
}
