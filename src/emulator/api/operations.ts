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
} from '../rules/checks.ts';
import { toResponseForm, isSameForm, toStoredForm } from '../rules/forms.ts';
import { Refusal } from '../responses/refusal.ts';
import { rulesOf } from '../rules/rules.ts';
import type { State } from '../state/state.ts';
import { titles, wordingOf } from '../responses/wording.ts';

/** Query parameters by name, as written. */
type Query = { readonly [parameter: string]: string };

/** A list as the API answers it. Throws Refused 400 without security, 404 for a filter by a virtual cluster that is not there. */
export function listResources(kind: Kind, query: Query, state: State): readonly JsonObject[] {
  checkSecurity(kind, state);
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

/** One resource of a kind that is found by its name alone. Throws Refused 400 without security, 404 when it is not there. */
export function getResource(kind: Kind, name: string, query: Query, state: State): Resource {
  checkSecurity(kind, state);
  const address = addressIn(kind, { metadata: { name } });
  const found = address && state.store.get(address);
  if (found === undefined) throw makeMissing(kind, name);
  return toResponseForm(kind, found, query['showDefaults'] === 'true', state);
}

/**
 * Creates or replaces. Throws Refused: 400 for a body that is no such resource or has a plugin that is not known,
 * 404 for a reference to nothing, 409 for a value that has an owner, a field that stays, or what the kind's rules say
 * (gateway-api A.2, B.2). In dry mode everything is checked but the plugin, and nothing is kept.
 */
export function putResource(
  kind: Kind,
  body: Json,
  dryMode: boolean,
  state: State,
): { readonly resource: Resource; readonly result: UpsertResult } {
  checkWritable(kind, state);
  const { store, version } = state;
  const rules = rulesOf(kind);
  const written = readBody(kind, body);
  const stored = toStoredForm(kind, written, version);
  const address = identify(kind, stored);
  const before = store.get(address);

  checkContent(kind, written, stored, state, dryMode);
  checkReferences(kind, stored, state);
  checkUnique(kind, address, stored, state);
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
 * Deletes by whole identity: the metadata of a resource, or as much of it as tells it apart. Throws Refused: 400 for
 * what always exists, 404 when it is not there, 409 while something refers to it (gateway-api A.2).
 */
export function removeResource(
  kind: Kind,
  metadata: JsonObject & { readonly name: string },
  state: State,
): void {
  checkWritable(kind, state);
  const { store } = state;
  const { name } = metadata;
  if (kind.builtIn.includes(name)) throw new Refusal(400, wordingOf(kind).reserved ?? titles.badRequest);
  const address = addressIn(kind, { metadata });
  const stored = address && store.get(address);
  if (address === undefined || stored === undefined) throw makeMissing(kind, name);
  checkUnused(kind, address, stored, state);
  store.delete(kind, address);
}

function makeMissing(kind: Kind, name: string): Refusal {
  const { missing: title, noun } = wordingOf(kind);
  return new Refusal(404, title, `The ${noun} ${name} does not exist`);
}

function checkWritable(kind: Kind, state: State): void {
  if (kind.removal === undefined) throw new Refusal(405, titles.wrongMethod, `${kind.name} can only be read`);
  checkSecurity(kind, state);
}

function checkSecurity(kind: Kind, { options }: State): void {
  const { needsSecurity } = wordingOf(kind);
  if (options.security === 'PLAINTEXT' && needsSecurity !== undefined) throw new Refusal(400, needsSecurity);
}
