import type { UpsertResult } from '../../gateway/gateway.ts';
import { addressIn, identify } from '../../model/identity.ts';
import { type Json, type JsonObject, changeAt, valueAt, valueOf } from '../../model/json/json.ts';
import { addressOf, type Kind } from '../../model/kind.ts';
import { findRepeatedItems } from '../../model/normal/constrained-values.ts';
import { type Resource, asValid, kindOf, type Address } from '../../model/resource.ts';
import { atLeast } from '../../model/text/version.ts';
import { Refusal, formatValue, titles, wordingOf } from '../responses.ts';
import { toResponseForm, isSameForm, toStoredForm } from '../rules/forms.ts';
import { rulesOf, checkPresence } from '../rules/kind-rules.ts';
import { bodyFault, withoutNulls } from '../rules/body-shape.ts';
import { hasStrictReferences, type State, uniqueValues } from '../embedded-state.ts';
import { upperCase } from '../../model/normal/normal-form.ts';

/** Query parameters by name. */
type Query = { readonly [parameter: string]: string };

/** Throws a Refusal: 400 without security, 404 for a filter by an unknown virtual cluster. */
export function listResources(kind: Kind, query: Query, state: State): readonly JsonObject[] {
  checkPresence(kind, state, 'read');
  const { filters = {}, items } = rulesOf(kind);
  if (items !== undefined) return shuffle(items(state), state);
  const asked = Object.entries(filters).flatMap(([parameter, filter]) => {
    const text = query[parameter];
    return text === undefined ? [] : [{ ...filter, text }];
  });
  for (const { names, text } of asked) {
    if (names !== undefined && !state.exists(addressOf(names, text))) {
      throw new Refusal(404, titles.noVirtualCluster, `The virtual cluster ${text} does not exist`);
    }
  }
  const found: Resource[] = [];
  for (const resource of state.store.all(kind.name)) {
    if (asked.every(({ keeps, text }) => keeps(resource, text))) {
      found.push(toResponseForm(kind, resource, query['showDefaults'] === 'true', state));
    }
  }
  return shuffle(found, state);
}

function shuffle<T>(items: readonly T[], { options }: State): readonly T[] {
  return options.shuffle?.(items) ?? items;
}

/** For a kind that is identified by name alone. Throws a Refusal: 400 without security, 404 if it does not exist. */
export function getResource(kind: Kind, name: string, query: Query, state: State): Resource {
  checkPresence(kind, state, 'read');
  const address = addressIn(kind, { metadata: { name } });
  const found = address && state.store.get(address);
  if (found === undefined) throw makeMissing(kind, name);
  return toResponseForm(kind, found, query['showDefaults'] === 'true', state);
}

/**
 * Creates or replaces. Throws a Refusal (gateway-api A.2, B.2): 400 for a body that is not valid or an unknown plugin, 404
 * for a reference to an unknown object, 409 for a unique value with another owner, an immutable field, or by the kind's
 * rules. A dry run checks everything but the plugin, and stores nothing.
 */
export function putResource(
  kind: Kind,
  body: Json,
  state: State,
  { dryMode = false, api = 'v2' }: { readonly dryMode?: boolean; readonly api?: Api } = {},
): { readonly resource: Resource; readonly result: UpsertResult } {
  checkWritable(kind, state, api);
  const { store, version } = state;
  const rules = rulesOf(kind);
  const written = readBody(kind, body, api);
  const stored = toStoredForm(kind, written, version);
  const address = identify(kind, stored);
  const before = store.get(address);

  checkContent(kind, written, stored, state, dryMode);
  checkReferences(kind, stored, state);
  if (hasStrictReferences(version)) checkUnique(kind, address, stored, state);
  if (before !== undefined) checkImmutable(kind, before, stored);
  rules.checkConstraints?.(stored, address, state);

  const result = compareStored(kind, before, stored, version);
  if (!dryMode && result !== 'unchanged') store.set(kind, address, stored);
  return { resource: toResponseForm(kind, stored, rules.putShowsDefaults === true, state), result };
}

function compareStored(
  kind: Kind,
  before: Resource | undefined,
  after: Resource,
  version: string,
): UpsertResult {
  if (before === undefined) return 'created';
  const { alwaysUpdatedBefore } = rulesOf(kind);
  if (alwaysUpdatedBefore !== undefined && !atLeast(version, alwaysUpdatedBefore)) return 'updated';
  return isSameForm(kind, before, after) ? 'unchanged' : 'updated';
}

/**
 * Deletes by whole identity: the metadata of a resource, or the part that identifies it. Throws a Refusal (gateway-api A.2):
 * 400 for what is built in, 404 if it does not exist, 409 while something refers to it.
 */
export function removeResource(
  kind: Kind,
  metadata: JsonObject & { readonly name: string },
  state: State,
  api: Api = 'v2',
): void {
  checkWritable(kind, state, api);
  const { store } = state;
  const { name } = metadata;
  if (kind.builtIn.includes(name)) throw new Refusal(400, wordingOf(kind).reserved ?? titles.badRequest);
  const address = addressIn(kind, { metadata });
  const stored = address && store.get(address);
  if (address === undefined || stored === undefined) throw makeMissing(kind, name);
  checkUnused(kind, address, stored, state);
  store.delete(kind, address);
}

export function makeMissing(kind: Kind, name: string): Refusal {
  const { missing: title, noun } = wordingOf(kind);
  return new Refusal(404, title, `The ${noun} ${name} does not exist`);
}

function checkWritable(kind: Kind, state: State, api: Api): void {
  if (kind.removal === undefined && api === 'v2')
    throw new Refusal(405, titles.wrongMethod, `${kind.name} can only be read`);
  checkPresence(kind, state, 'write');
}

/** The API of a call. v1 takes names that v2 refuses, and writes what v2 only lists. */
type Api = 'v1' | 'v2';

/** The body of a PUT as a resource of the kind. Throws a Refusal 400 if it is not valid. */
function readBody(kind: Kind, body: Json, api: Api): Resource {
  const resource = kind.upperCase.reduce(
    (changed, tokens) => changeAt(changed, tokens, upperCase),
    withoutNulls(kind, body),
  );
  const fault = bodyFault(kind, resource, api === 'v1' && rulesOf(kind).anyNameInV1 === true);
  if (fault !== undefined) throw new Refusal(400, wordingOf(kind).malformed, fault);
  return asValid(resource as JsonObject); // its schema asks for one
}

/** Throws a Refusal 400 for the name of a built-in, a fault by the form, or one by the rules. */
function checkContent(kind: Kind, written: Resource, stored: Resource, state: State, dryMode: boolean): void {
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
function checkReferences(kind: Kind, stored: Resource, state: State): void {
  for (const { to, path } of kind.references(stored)) {
    if (state.exists(to)) continue;
    const title = wordingOf(kind).dangling ?? titles.noSuchEntity;
    throw new Refusal(404, title, `${subjectOf(to, valueAt(stored, path), state)} does not exist`);
  }
}

/** Throws a Refusal 409 if a unique value has another owner. */
function checkUnique(kind: Kind, address: Address, stored: Resource, { store }: State): void {
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
function checkImmutable(kind: Kind, before: Resource, after: Resource): void {
  for (const path of kind.immutable) {
    const [one, other] = [valueAt(before, path), valueAt(after, path)];
    if (one === undefined || other === undefined || one === other) continue;
    throw new Refusal(409, wordingOf(kind).fixed ?? titles.badRequest);
  }
}

/** Throws a Refusal 409 that names referrers, if there are any. */
function checkUnused(kind: Kind, address: Address, stored: Resource, state: State): void {
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
