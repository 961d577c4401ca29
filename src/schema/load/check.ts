import { addAll, memoize } from '../../model/collect.ts';
import { addressIn } from '../../model/identity.ts';
import {
  changeAt,
  isObject,
  withKey,
  type Json,
  type JsonObject,
  parsePointer,
  type Pointer,
} from '../../model/json/json.ts';
import type { Context, Kind } from '../../model/kind.ts';
import type { Catalog, OwnKind } from '../../model/own-kind.ts';
import { ACCEPTABLE, type Checked, type Problem, type SourceFile } from '../../model/problem.ts';
import { asValid, type Address, type Examined, type Parsed, type Resource } from '../../model/resource.ts';
import { violationsOf, type Violation } from '../validate.ts';
import { placeOfViolation } from '../wording.ts';
import { placeIn, type ParsedDocument } from '../yaml/document.ts';
import type { Variables } from '../yaml/interpolate.ts';
import { isOurs } from '../yaml/ours.ts';
import { writtenAt } from '../yaml/places.ts';
import { readPlain } from '../yaml/plain.ts';
import { envelopeOf } from './envelope.ts';
import { ignoreAbove } from './locate.ts';
import { exposed, exposures, isExposed } from './exposed.ts';
import { recognise, type Fault, type Recognised } from './recognise.ts';
import { ruleProblems } from './rule-problems.ts';
import { mayTell, partProblems, placeholderOf, schemaProblems, partIn } from './schema-problems.ts';

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
  const isAccepted = (one: Violation): boolean => isAcceptedAt(document, placeOfViolation(one));
  const examined = examine(
    withKey(canonical, 'protect', undefined),
    violations.filter((one) => isStructural(one) || !isAccepted(one)),
  );
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
  return {
    value: known && { document, address, examined, protect },
    problems: examined.faults === undefined ? problems.map(acceptIgnored) : problems,
  };
}

/** Without these nothing else can be read. */
function isStructural({ keyword }: Violation): boolean {
  return keyword === 'type' || keyword === 'required';
}

function isAcceptedAt(document: ParsedDocument, path: Pointer): boolean {
  const at = placeIn(document, path);
  return [...ACCEPTABLE].some((code) => (ignoreAbove({ code, at })?.reason ?? '') !== '');
}

/** An error that a gateway could see differently is no error below a comment that says why. */
function acceptIgnored(problem: Problem): Problem {
  const isError = problem.severity === 'error' && ACCEPTABLE.has(problem.code);
  return isError && (ignoreAbove(problem)?.reason ?? '') !== ''
    ? { ...problem, severity: 'warning' }
    : problem;
}

/** A config that looks incomplete may have the value in a field that is misspelt or invalid. */
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

/**
 * A placeholder in braces needs quotes, which make its value text. Where a field takes only numbers, or true and false, a
 * value that is one quoted placeholder is read as without quotes.
 */
function fitVariables(document: ParsedDocument, form: Kind | OwnKind, value: JsonObject) {
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
