import { addTo, memoize, present } from '../model/collect.ts';
import { withoutDefaults } from '../model/defaults.ts';
import {
  type JsonObject,
  type Pointer,
  changeAt,
  childOf,
  keysOf,
  placesOf,
  printPointer,
  sameJson,
  valueOf,
  type Json,
  type Pattern,
  anyItem,
} from '../model/json/json.ts';
import { type Kind, isNullable, schemaAt, type Tokens } from '../model/kind.ts';
import { declarable, normalFormOfDeclarable, wholeForm } from '../model/normal/normal-form.ts';
import type { Catalog } from '../model/own-kind.ts';
import { makeProblem, type Problem } from '../model/problem.ts';
import { kindOf, type Address, type Resource } from '../model/resource.ts';
import type { LiveState } from '../model/state.ts';
import { isBuiltIn } from '../plan/change/select.ts';
import { isExposed } from '../schema/load/exposed.ts';
import type { Declared, DeclareOptions, Document } from './declared.ts';
import { valueAfter } from './edit/edits-between.ts';
import { findSecrets, type FoundSecret } from './find-secrets.ts';
import { nameSecrets } from './name-secrets.ts';
import { writeOut } from './write-out.ts';

/** A resource in the form of a file, with its secrets. */
type Drafted = {
  readonly address: Address;
  readonly kind: Kind;
  readonly value: JsonObject;
  readonly secrets: readonly FoundSecret[];
};

/**
 * Live resources as documents that declare them: in the form of a file, defaults left out, `${` escaped, and secrets as
 * `${NAME}`. The order of the live state makes no difference.
 */
export function declareLive(live: LiveState, catalog: Catalog, options: DeclareOptions = {}): Declared {
  const { isSelected = () => true } = options;
  const drafts: Drafted[] = [];
  const problems: Problem[] = [];
  const unknown = new Map<string, Address[]>();
  for (const address of [...live.resources.keys()].sort()) {
    const kind = catalog.kinds.get(kindOf(address));
    const resource = live.resources.get(address);
    if (kind?.removal === undefined || resource === undefined) continue;
    if (isBuiltIn(address, catalog.kinds) || !isSelected(address)) continue;
    const known = declarable(kind, resource);
    const value = asFile(kind, known);
    for (const field of findUnknownFields(kind, resource, known))
      addTo(unknown, `${kind.name} ${field}`, address);
    if (isExposed(value)) {
      problems.push(exposedName(kind));
      continue;
    }
    const found = findSecrets(kind, value, options, options.hidden?.(address, value));
    for (const path of found.shown)
      problems.push(
        makeProblem({
          code: 'exposed-secret',
          message: `${address} has a secret at ${path}, where no variable can stand`,
          ...{ address, path, hint: REPLACE },
        }),
      );
    for (const { path, value = '' } of found.secrets)
      // An environment variable cannot have such a value.
      if (/[\0\p{Cs}]/u.test(value))
        problems.push(
          makeProblem({
            code: 'invalid-value',
            message: `${address} has a secret at ${path} with characters that no environment variable can have`,
            ...{ address, path, hint: 'change it on the gateway, or leave the object out' },
          }),
        );
    drafts.push({ address, kind, value, secrets: found.secrets });
  }
  const named = nameSecrets(
    drafts.flatMap(({ address, secrets }) => secrets.map((secret) => ({ ...secret, address }))),
    options,
  );
  return {
    documents: drafts.map((draft) => documentOf(draft, named.names, catalog, options)),
    variables: named.variables,
    problems: [
      ...problems,
      ...named.problems,
      ...[...unknown].map(([field, addresses]) => unknownField(field, addresses)),
    ],
  };
}

function documentOf(
  { address, kind, value, secrets }: Drafted,
  names: ReadonlyMap<string, string>,
  { ownKinds }: Catalog,
  options: DeclareOptions,
): Document {
  const placeholders = new Map(
    secrets.map(({ path, id }): [Pointer, string] => [path, `\${${names.get(id) ?? ''}}`]),
  );
  const plain = secrets.filter(({ isText }) => !isText).map(({ path }) => placeholders.get(path) ?? '');
  const written = writeOut(value, kind, placeholders);
  const shorter =
    options.ownKinds === true ? [...ownKinds.values()].map((own) => own.contract?.(written)) : [];
  return {
    address,
    value: shorter.find((one) => one !== undefined) ?? written,
    ...(plain.length === 0 ? {} : { plain: new Set(plain) }),
  };
}

/** Says neither name nor place, which hold the secret. */
function exposedName({ name }: Kind): Problem {
  return makeProblem({
    code: 'exposed-secret',
    message: `an object of the kind ${name} has a secret in its name, in its metadata or as a key, where no variable can stand`,
    hint: REPLACE,
  });
}

const REPLACE = 'replace the secret on the gateway by a new one, in a field for secrets';

function unknownField(field: string, [first, ...others]: readonly Address[]): Problem {
  const [kind = '', ...path] = field.split(' ');
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return {
    code: 'unknown-field',
    severity: 'warning',
    message: `gwconf does not know the field ${path.join(' ')} of ${kind}, which ${first ?? ''}${more} has; the files leave it out`,
    ...present({ address: first }),
    hint: 'apply keeps its value; a later version of gwconf may know it',
  };
}

/** A resource with declarable fields alone as a file would have it: one form of each value, and no defaults. */
function asFile(kind: Kind, known: Resource): JsonObject {
  const full = normalFormOfDeclarable(kind, known) as JsonObject; // a resource is an object, and stays one
  const short = withoutDefaults(full, kind.defaultTree) as JsonObject;
  return withScope(kind, withoutImplied(kind, short, full), full);
}

/** Without the fields that follow from others. What gwconf does not know is gone already. */
function withoutImplied(kind: Kind, value: JsonObject, full: JsonObject): JsonObject {
  if (kind.normalise === undefined) return value;
  return keysOf(valueOf(value, 'spec') ?? {}).reduce((shorter, key) => {
    const candidate = changeAt(shorter, ['spec', key], () => undefined) as JsonObject; // without one key
    return sameJson(wholeForm(kind, candidate as Resource), full) ? candidate : shorter;
  }, value);
}

/**
 * Puts back the parts of the scope that a reader could misunderstand if they were absent: where null means everything, the
 * default is written, too; and if all are null, all are written.
 */
function withScope(kind: Kind, value: JsonObject, full: JsonObject): JsonObject {
  const nullable = nullableAxes(kind).map((tokens) => ({
    tokens,
    found: tokens.reduce<Json | undefined>(valueOf, full) ?? null,
  }));
  const isGlobal = nullable.every(({ found }) => found === null);
  return nullable
    .filter(({ found }) => isGlobal || found !== null)
    .reduce<Json>((changed, { tokens, found }) => {
      return valueAfter(changed, { op: 'set', path: printPointer(tokens), value: found });
    }, value) as JsonObject; // an object stays one
}

const nullableAxes = memoize(({ axes, schema }: Kind): readonly Tokens[] =>
  axes.map(({ tokens }) => ['metadata', ...tokens]).filter((tokens) => isNullable(schemaAt(schema, tokens))),
);

/** The fields of a live resource that gwconf does not know. */
function findUnknownFields(kind: Kind, resource: Resource, known: Resource): readonly Pattern[] {
  const found: Pattern[] = [];
  compare(resource, known, [], found);
  if (found.length === 0) return found;
  const managed = new Set(
    kind.serverManaged.flatMap((tokens) => placesOf(resource, tokens).map(({ pointer }) => pointer)),
  );
  return [...new Set(found.filter((place) => !managed.has(place)).map(anyItem))];
}

/** Collects the places of values that are absent in the other; null is the same as absent. */
function compare(value: Json, known: Json, path: string[], found: Pattern[]): void {
  if (value === known) return;
  for (const key of keysOf(value)) {
    const [child, other] = [childOf(value, key), valueOf(known, key)];
    path.push(key);
    if (other !== undefined) compare(child, other, path, found);
    else if (child !== null) found.push(printPointer(path));
    path.pop();
  }
}
