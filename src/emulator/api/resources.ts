import type { Json, JsonObject } from '../../model/json/json.ts';
import { addressOf, type Kind } from '../../model/kind.ts';
import { addressIn, identify } from '../../model/identity.ts';
import type { Resource } from '../../model/resource.ts';
import { atLeast } from '../../model/text/version.ts';
import type { UpsertResult } from '../../gateway/gateway.ts';
import {
  checkContent,
  checkImmutable,
  checkReferences,
  checkUnique,
  checkUnused,
  readBody,
  type Api,
} from '../rules/checks.ts';
import { toResponseForm, isSameForm, toStoredForm } from '../rules/forms.ts';
import { Refusal } from '../responses/response.ts';
import { rulesOf } from '../rules/rules.ts';
import { checkPresence } from '../rules/security.ts';
import { hasStrictReferences, type State } from '../state/state.ts';
import { titles, wordingOf } from '../responses/wording.ts';

type PutOptions = { readonly dryMode?: boolean; readonly api?: Api };

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
  { dryMode = false, api = 'v2' }: PutOptions = {},
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
