import {
  canonicalText,
  changeAt,
  entriesOf,
  isList,
  isObject,
  joinPointer,
  placesOf,
  printPointer,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../model/json.ts';
import { addressOf, type Catalog, type Context, type Kind, type OwnKind } from '../model/kind.ts';
import { identify, withDefaults } from '../model/normal-form.ts';
import type { Checked, Place, Problem } from '../model/problem.ts';
import type { Address, Resource } from '../model/resource.ts';
import { isSecretText, secretPlaces, suspectPlaces } from '../model/secrets.ts';
import { placeOf } from '../model/state.ts';
import { suggest } from '../model/suggest.ts';
import { violationsOf, type Violation } from './validate.ts';
import { describe, word } from './wording.ts';
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

/** The gateway's kind by its name or one of its other spellings. */
export function kindNamed(name: string, { kinds }: Catalog): Kind | undefined {
  return kinds.get(name) ?? [...kinds.values()].find(({ aliases }) => aliases.includes(name));
}

/** Whether a private key, a JWT or the like stands in a name or is a key, so that every report would have it. */
function isExposed(value: Json): boolean {
  const metadata = valueOf(value, 'metadata') ?? null;
  return hasSecretKey(value) || [...placesOf(metadata, ['**'])].some(({ value: text }) => isSecret(text));
}

function hasSecretKey(value: Json): boolean {
  return entriesOf(value).some(([key, child]) => isSecret(key) || hasSecretKey(child));
}

function isSecret(value: Json): boolean {
  return typeof value === 'string' && value.length >= 12 && isSecretText(value);
}

// Nothing else is said of the document: whatever it were, it could name the place.
function exposed({ ref }: ParsedDocument): Problem {
  return {
    code: 'exposed-secret',
    severity: 'error',
    message: 'the document has a secret in its metadata or as a key, where every report would show it',
    at: { document: ref, path: '', on: 'value' },
    hint: 'take it out, and make a new one: this one was in the open',
    confidential: true,
  };
}

type Fault = { readonly path: Pointer } & Pick<Problem, 'code' | 'message' | 'hint'>;
type Recognised = {
  readonly form: Kind | OwnKind;
  readonly kind: Kind | undefined;
  readonly own: OwnKind | undefined;
  readonly value: JsonObject;
};

function recognise(value: Json, catalog: Catalog): Recognised | { readonly fault: Fault } {
  const writable = [...catalog.kinds.values()]
    .filter(({ removal }) => removal !== undefined)
    .map(({ name }) => name);
  const names = [...writable, ...catalog.ownKinds.keys()];
  const fault = (
    code: Problem['code'],
    path: Pointer,
    message: string,
    hint: string,
  ): { readonly fault: Fault } => ({
    fault: { code, path, message, hint },
  });
  if (!isObject(value)) {
    const message = `expected a resource; found ${describe(value)}`;
    return fault('invalid-value', '', message, 'write apiVersion, kind, metadata and spec');
  }
  const name = valueOf(value, 'kind');
  const version = valueOf(value, 'apiVersion');
  if (typeof name !== 'string') {
    return fault(
      'missing-field',
      '/kind',
      'the document names no kind',
      `add kind: one of ${names.join(', ')}`,
    );
  }
  const kind = kindNamed(name, catalog);
  const own = catalog.ownKinds.get(name);
  const form = kind ?? own;
  if (form === undefined) {
    const near = suggest(name, names);
    const hint = near === undefined ? `use one of ${names.join(', ')}` : `did you mean ${near}?`;
    return fault('unknown-kind', '/kind', `the kind ${describe(name)} is not known`, hint);
  }
  if (version !== form.apiVersion) {
    const message = `expected apiVersion ${form.apiVersion} for the kind ${form.name}; found ${describe(version)}`;
    return fault('unknown-kind', '/apiVersion', message, `write apiVersion: ${form.apiVersion}`);
  }
  if (kind !== undefined && kind.removal === undefined) {
    const message = `${kind.name} is a kind that the gateway makes by itself`;
    return fault('read-only-kind', '/kind', message, 'take the document out');
  }
  return { form, kind, own, value };
}

function inCanonicalCase(kind: Kind | undefined, value: JsonObject): Json {
  return (kind?.upperCase ?? []).reduce<Json>(
    (changed, tokens) =>
      changeAt(changed, tokens, (text) => (typeof text === 'string' ? text.toUpperCase() : text)),
    value,
  );
}

function isIdentifiable(value: Json): boolean {
  return typeof valueAt(value, '/metadata/name') === 'string' && isObject(valueOf(value, 'spec'));
}

/** What may stand beside the metadata of a document and is no part of the resource. */
export function marksOf(form: Kind | OwnKind): JsonObject {
  return 'guarded' in form ? { protect: PROTECT } : {};
}

const PROTECT: JsonObject = {
  type: 'boolean',
  description: 'Neither replaced nor changed in what its kind guards, until this is taken out.',
};

const envelopes = new WeakMap<Kind | OwnKind, JsonObject>();

function envelopeOf(form: Kind | OwnKind): JsonObject {
  const known = envelopes.get(form);
  if (known !== undefined) return known;
  const envelope = {
    type: 'object',
    required: ['apiVersion', 'kind', 'metadata', 'spec'],
    additionalProperties: false,
    properties: {
      apiVersion: {},
      kind: {},
      ...marksOf(form),
      metadata: form.schema.metadata,
      spec: form.schema.spec,
    },
  };
  envelopes.set(form, envelope);
  return envelope;
}

function schemaProblems(
  violations: readonly Violation[],
  document: ParsedDocument,
  form: Kind | OwnKind,
  value: Json,
): readonly Problem[] {
  const name = valueAt(value, '/metadata/name');
  const known = 'secrets' in form && isIdentifiable(value);
  const address = known
    ? identify(form, value as Resource)
    : addressOf(form.name, typeof name === 'string' ? name : '?');
  const hidden =
    'secrets' in form && isIdentifiable(value) ? secretsOf(document, form, value as Resource) : undefined;
  // What a variable that is not there leaves behind has a problem of its own.
  const unfilled = new Set(document.problems.map(({ path }) => path));
  const told = violations.filter(({ path }) => !unfilled.has(path));
  return violationProblems(told, { document, address, about: address, base: '', hidden });
}

function ruleProblems(
  document: ParsedDocument,
  kind: Kind,
  resource: Resource,
  context: Context,
): readonly Problem[] {
  const address = identify(kind, resource);
  const place = (path: Pointer, on: 'key' | 'value'): Place => placeIn(document, path, on);
  const faults = kind.faults(resource, context).filter(({ path }) => !hasOpen(document, path));
  const hidden = secretsOf(document, kind, resource);
  const managed = kind.serverManaged
    .map(printPointer)
    .filter((path) => valueAt(resource as JsonObject, path) !== undefined);
  return [
    ...faults.map((fault): Problem => {
      const { severity, path, on = 'value', found, hint } = fault;
      const code = fault.code ?? (severity === 'error' ? 'conflicting-fields' : 'unusual-value');
      const secret = document.templates.has(path) || hidden.has(path);
      const shown = found === undefined ? '' : `; found ${secret ? 'a hidden value' : describe(found)}`;
      const message = `${address}: ${fault.message}${shown}`;
      const problem = { code, severity, message, at: place(path, on), address, path, hint };
      return secret ? { ...problem, confidential: true } : problem;
    }),
    ...absence(kind, address, context).map((problem): Problem => ({
      ...problem,
      at: place('/kind', 'value'),
    })),
    ...repeatedItems(kind, resource).map((path): Problem => {
      const message = `${address} has the item at ${path} twice`;
      const at = place(path, 'value');
      return {
        code: 'repeated-item',
        severity: 'warning',
        message,
        at,
        address,
        path,
        hint: 'keep one of the two',
      };
    }),
    ...literalSecrets(document, hidden, resource).map((path): Problem => {
      const message = `${address} has a secret written out at ${path}`;
      const hint =
        'write ${VARIABLE} and set it where gwconf runs, or $${VARIABLE} and set it on the gateway';
      const at = place(path, 'key');
      return {
        code: 'literal-secret',
        severity: 'warning',
        message,
        at,
        address,
        path,
        hint,
        confidential: true,
      };
    }),
    ...suspectPlaces(kind, resource, hidden).map((path): Problem => {
      const message = `${address} has text at ${path} that looks like a secret, and is shown`;
      const hint =
        'write ${VARIABLE} or ${file:PATH}; or say that it is none: # gwconf-ignore looks-like-secret: REASON';
      const at = place(path, 'value');
      return {
        code: 'looks-like-secret',
        severity: 'warning',
        message,
        at,
        address,
        path,
        hint,
        confidential: true,
      };
    }),
    ...managed.map((path): Problem => {
      const message = `the gateway sets ${path} of ${address} by itself; it is not sent`;
      const at = place(path, 'key');
      return { code: 'server-managed', severity: 'warning', message, at, address, path, hint: 'take it out' };
    }),
  ];
}

function absence(kind: Kind, address: Address, { security }: Context): readonly Omit<Problem, 'at'>[] {
  if (security === undefined || !kind.absentIn.includes(security)) return [];
  const message = `${address} cannot be there: a gateway with ${security} has no ${kind.name}`;
  const hint = 'take it out, or change security of the environment in gwconf.yaml';
  return [{ code: 'security-mode', severity: 'error', message, address, path: '/kind', hint }];
}

function repeatedItems(kind: Kind, resource: Resource): readonly Pointer[] {
  const filled = withDefaults(kind, resource) as JsonObject;
  return kind.sets(resource).flatMap((set) =>
    [...placesOf(filled, set)].flatMap(({ pointer, value }) => {
      const seen = new Set<string>();
      return (isList(value) ? value : []).flatMap((item, at) => {
        const text = canonicalText(item);
        const again = seen.has(text);
        seen.add(text);
        return again ? [joinPointer(pointer, at)] : [];
      });
    }),
  );
}

function literalSecrets(
  document: ParsedDocument,
  secrets: ReadonlySet<Pointer>,
  resource: Resource,
): readonly Pointer[] {
  return [...secrets].filter(
    (path) => !document.templates.has(path) && !isForTheGateway(valueAt(resource as JsonObject, path)),
  );
}

function partProblems(document: ParsedDocument, kind: Kind, resource: Resource): readonly Problem[] {
  const part = kind.part(resource);
  if (part === undefined) return [];
  const address = identify(kind, resource);
  const value = valueAt(resource, part.path);
  if (!isObject(value)) return []; // the kind's own schema says so
  const violations = violationsOf(part.schema, value).filter(({ found }) => !isForTheGateway(found));
  if (violations.length === 0) return [];
  const hidden = secretsOf(document, kind, resource);
  return violationProblems(violations, { document, address, about: part.of, base: part.path, hidden });
}

function violationProblems(
  violations: readonly Violation[],
  of: {
    readonly document: ParsedDocument;
    readonly address: Address;
    readonly about: string;
    /** Where in the resource the value that was checked stands. */
    readonly base: Pointer;
    /** Undefined when the document is too broken to say where its secrets are. */
    readonly hidden: ReadonlySet<Pointer> | undefined;
  },
): readonly Problem[] {
  const { document, address, about, base, hidden } = of;
  const isHidden = (path: Pointer): boolean => document.templates.has(path) || hidden?.has(path) === true;
  return violations.flatMap((violation): readonly Problem[] => {
    const known = isHidden(`${base}${violation.path}`);
    const secret = known || isMisplaced(violation);
    const shown = known ? 'a hidden value' : secret ? 'text' : describe(violation.found);
    const worded = word(violation, about, shown);
    if (worded === undefined) return [];
    const { on, path: inside, ...words } = worded;
    const path: Pointer = `${base}${inside}`;
    const at = placeIn(document, path, on);
    return [{ severity: 'error', ...words, at, address, path, ...(secret ? { confidential: true } : {}) }];
  });
}

/** Whether a text stands where a map belongs: it may be the secret that belongs into that map, or hold it. */
function isMisplaced({ keyword, params, found }: Violation): boolean {
  return keyword === 'type' && params['type'] === 'object' && typeof found === 'string';
}

// What nobody knows yet may turn out to be anything.
function hasOpen({ templates }: ParsedDocument, path: Pointer): boolean {
  return templates.get(path)?.open !== undefined;
}

// What the gateway fills in by itself has a type that cannot be known here (gateway-api D.4).
function isForTheGateway(value: Json | undefined): boolean {
  return typeof value === 'string' && /\$\{[^}]*\}|\{\{/.test(value);
}

function secretsOf(document: ParsedDocument, kind: Kind, resource: Resource): ReadonlySet<Pointer> {
  return isObject(resource.metadata) ? secretPlaces(kind, resource, document.templates) : new Set();
}

function placeIn({ ref, places }: ParsedDocument, path: Pointer, on: 'key' | 'value'): Place {
  return placeOf(places === undefined ? { document: ref } : { document: ref, places }, path, on);
}
