import { changeAt, valueAt, valueOf, type Json, type JsonObject } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { asValid, kindOf, type Address, type Resource } from '../../model/resource.ts';
import { findRepeatedItems } from '../../model/normal/constrained-values.ts';
import { formatValue, Refusal } from '../responses/response.ts';
import { rulesOf } from './rules.ts';
import { bodyFault, withoutNulls } from './shape.ts';
import type { State } from '../state/state.ts';
import { uniqueValues } from '../state/store.ts';
import { titles, wordingOf } from '../responses/wording.ts';

/** The API of a call. v1 takes names that v2 refuses, and writes what v2 only lists. */
export type Api = 'v1' | 'v2';

/** The body of a PUT as a resource of the kind. Throws a Refusal 400 if it is not valid. */
export function readBody(kind: Kind, body: Json, api: Api): Resource {
  const resource = kind.upperCase.reduce(
    (changed, tokens) => changeAt(changed, tokens, upperCase),
    withoutNulls(kind, body),
  );
  const fault = bodyFault(kind, resource, api === 'v1' && rulesOf(kind).anyNameInV1 === true);
  if (fault !== undefined) throw new Refusal(400, wordingOf(kind).malformed, fault);
  return asValid(resource as JsonObject); // its schema asks for one
}

function upperCase(value: Json | undefined): Json | undefined {
  return typeof value === 'string' ? value.toUpperCase() : value;
}

/** Throws a Refusal 400 for the name of a built-in, a fault by the form, or one by the rules. */
export function checkContent(
  kind: Kind,
  written: Resource,
  stored: Resource,
  state: State,
  dryMode: boolean,
): void {
  const { malformed, noun } = wordingOf(kind);
  const { name } = written.metadata;
  if (kind.builtIn.includes(name)) {
    throw new Refusal(400, malformed, `The ${noun} ${name} always exists and cannot be changed`);
  }
  const { findFault: judge, checkedOnWrite = [] } = rulesOf(kind);
  const { security } = state.options;
  const fault = kind
    .check({ resource: written }, security === undefined ? {} : { security })
    .find(
      ({ severity, path }) => severity === 'error' && !checkedOnWrite.some((field) => path.startsWith(field)),
    );
  const [repeated] = findRepeatedItems(kind, written).filter(({ isRefused }) => isRefused);
  if (repeated !== undefined) throw new Refusal(400, malformed, `${repeated.path} is there twice`);
  const message = fault?.message ?? judge?.(stored, state, dryMode);
  if (message !== undefined) throw new Refusal(400, malformed, message);
}

/** Throws a Refusal 404 if it refers to something that does not exist. */
export function checkReferences(kind: Kind, stored: Resource, state: State): void {
  for (const { to, path } of kind.references(stored)) {
    if (state.exists(to)) continue;
    const title = wordingOf(kind).dangling ?? titles.noSuchEntity;
    throw new Refusal(404, title, `${subjectOf(to, valueAt(stored, path), state)} does not exist`);
  }
}

/** Throws a Refusal 409 if a unique value has another owner. */
export function checkUnique(kind: Kind, address: Address, stored: Resource, { store }: State): void {
  for (const { at, value } of uniqueValues(kind, stored)) {
    const owner = store.owner(kind, at, value);
    if (owner === undefined || owner === address) continue;
    const { taken = titles.badRequest, noun } = wordingOf(kind);
    throw new Refusal(
      409,
      taken,
      `The ${noun} ${nameIn(store.get(owner))} has ${formatValue(value)} already`,
    );
  }
}

/** Throws a Refusal 409 if an immutable field would change; one that was not set may be set. */
export function checkImmutable(kind: Kind, before: Resource, after: Resource): void {
  for (const path of kind.immutable) {
    const [one, other] = [valueAt(before, path), valueAt(after, path)];
    if (one === undefined || other === undefined || one === other) continue;
    throw new Refusal(409, wordingOf(kind).fixed ?? titles.badRequest);
  }
}

/** Throws a Refusal 409 that names referrers, if there are any. */
export function checkUnused(kind: Kind, address: Address, stored: Resource, state: State): void {
  const users = [...state.store.referrers(address)].map(([name, addresses]) => {
    const user = state.kinds.get(name);
    const noun = user === undefined ? name : wordingOf(user).noun;
    return `${noun}(s): ${someNames(addresses, state)}`;
  });
  if (users.length === 0) return;
  const { inUse = titles.badRequest, noun } = wordingOf(kind);
  const sentence = `The ${noun} ${stored.metadata.name} is still used by the following ${users.join('; ')}`;
  throw new Refusal(409, inUse, sentence);
}

const SHOWN = 10;

function someNames(addresses: ReadonlySet<Address>, { store }: State): string {
  const shown = [...addresses].slice(0, SHOWN).map((address) => nameIn(store.get(address)));
  const rest = addresses.size - shown.length;
  return [...shown.sort(), ...(rest > 0 ? [`and ${rest} more`] : [])].join(', ');
}

/** `The service account app of virtual cluster prod`, from the value that refers to it. */
function subjectOf(to: Address, value: Json | undefined, { kinds }: State): string {
  const kind = kinds.get(kindOf(to));
  const noun = kind === undefined ? kindOf(to) : wordingOf(kind).noun;
  if (typeof value === 'string') return `The ${noun} ${value}`;
  const vCluster = valueOf(value, 'vCluster');
  const where = typeof vCluster === 'string' ? ` of virtual cluster ${vCluster}` : '';
  return `The ${noun} ${formatValue(valueOf(value, 'name'))}${where}`;
}

function nameIn(resource: Resource | undefined): string {
  return resource?.metadata.name ?? '';
}
