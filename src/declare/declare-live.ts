import { addAll, addTo } from '../model/collect.ts';
import { valueAt, type JsonObject, type Pointer } from '../model/json/json.ts';
import { inexactNumbersIn } from '../model/json/numbers.ts';
import type { Kind } from '../model/kind.ts';
import type { Catalog } from '../model/own-kind.ts';
import type { Problem } from '../model/problem.ts';
import { kindOf, type Address, type Resource } from '../model/resource.ts';
import { secretPlaces } from '../model/secrets/secrets.ts';
import type { LiveState } from '../model/state.ts';
import { isBuiltIn } from '../plan/change/select.ts';
import { isExposed } from '../schema/load/exposed.ts';
import { asFile, findUnknownFields } from './as-file.ts';
import type { Declared, DeclareOptions, Document } from './declared.ts';
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
    const value = asFile(kind, resource);
    for (const field of findUnknownFields(kind, resource)) addTo(unknown, `${kind.name} ${field}`, address);
    if (isExposed(value)) {
      problems.push(exposedName(kind));
      continue;
    }
    const inexact = findInexact(kind, address, resource, value);
    if (inexact !== undefined) {
      problems.push(inexact);
      continue;
    }
    const found = findSecrets(kind, value, options, options.hidden?.(address, value));
    addAll(
      problems,
      found.shown.map((path) => exposedField(address, path)),
    );
    addAll(
      problems,
      found.secrets.filter(isUnfit).map(({ path }) => unfitSecret(address, path)),
    );
    drafts.push({ address, kind, value, secrets: found.secrets });
  }
  const named = nameSecrets(
    drafts.flatMap(({ address, secrets }) => secrets.map((secret) => ({ ...secret, address }))),
    options.taken,
  );
  return {
    documents: drafts.map((draft) => documentOf(draft, named.names, catalog, options)),
    variables: named.variables,
    problems: [...problems, ...[...unknown].map(([field, addresses]) => unknownField(field, addresses))],
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
  const contracted = options.ownKinds === true ? contract(written, ownKinds) : undefined;
  return {
    address,
    value: contracted ?? written,
    ...(plain.length === 0 ? {} : { plain: new Set(plain) }),
  };
}

/** The document of a kind of gwconf that expands to this one. */
function contract(written: JsonObject, ownKinds: Catalog['ownKinds']): JsonObject | undefined {
  for (const own of ownKinds.values()) {
    const found = own.contract?.(written);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Says neither name nor place, which hold the secret. */
function exposedName({ name }: Kind): Problem {
  return {
    code: 'exposed-secret',
    severity: 'error',
    message: `an object of the kind ${name} has a secret in its name, in its metadata or as a key, where no variable can stand`,
    hint: 'replace the secret on the gateway by a new one, in a field for secrets',
  };
}

/** A number that a file can only have as it is rounded. */
function findInexact(
  kind: Kind,
  address: Address,
  resource: Resource,
  value: JsonObject,
): Problem | undefined {
  const found = inexactNumbersIn(resource).find(({ path }) => typeof valueAt(value, path) === 'number');
  if (found === undefined) return undefined;
  const { path, text } = found;
  const shown = secretPlaces(kind, value).has(path) ? 'a number' : `the number ${text}`;
  return {
    code: 'inexact-number',
    severity: 'error',
    message: `${address} has ${shown} at ${path} that JSON clients such as gwconf cannot represent exactly`,
    address,
    path,
    hint: 'change it on the gateway with another client, or leave the object out',
  };
}

/** Whether an environment variable cannot have this value. */
function isUnfit({ value = '' }: FoundSecret): boolean {
  return /[\0\p{Cs}]/u.test(value);
}

function unfitSecret(address: Address, path: Pointer): Problem {
  return {
    code: 'invalid-value',
    severity: 'error',
    message: `${address} has a secret at ${path} with characters that no environment variable can have`,
    address,
    path,
    hint: 'change it on the gateway, or leave the object out',
  };
}

function exposedField(address: Address, path: Pointer): Problem {
  return {
    code: 'exposed-secret',
    severity: 'error',
    message: `${address} has a secret at ${path}, where no variable can stand`,
    address,
    path,
    hint: 'replace the secret on the gateway by a new one, in a field for secrets',
  };
}

function unknownField(field: string, [first, ...others]: readonly Address[]): Problem {
  const [kind = '', ...path] = field.split(' ');
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return {
    code: 'unknown-field',
    severity: 'warning',
    message: `gwconf does not know the field ${path.join(' ')} of ${kind}, which ${first ?? ''}${more} has; the files leave it out`,
    ...(first === undefined ? {} : { address: first }),
    hint: 'apply keeps its value; a later version of gwconf may know it',
  };
}
