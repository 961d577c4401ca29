import {
  canonicalText,
  changeAt,
  isList,
  parsePointer,
  printPointer,
  sameJson,
  valueAt,
  type Json,
} from '../../model/json/json.ts';
import type { Kind, Tokens } from '../../model/kind.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import { changeResource, type Resource } from '../../model/resource.ts';
import { atLeast } from '../../model/text/version.ts';
import { rulesOf } from './kind-rules.ts';
import type { State } from '../embedded-state.ts';

/**
 * What the gateway stores of a body: with the defaults of this version, without fields that the gateway owns, and with
 * unknown fields as they are.
 */
export function toStoredForm(kind: Kind, body: Resource, version: string): Resource {
  let form = body;
  for (const tokens of kind.serverManaged) form = changeResource(form, tokens, () => undefined);
  form = withDefaults(kind, { ...form, apiVersion: kind.apiVersion, kind: kind.name });
  // What does not change later is kept as it was sent, also while it has no effect (gateway-api A.6 VirtualCluster).
  for (const path of kind.immutable) {
    const sent = valueAt(body, path);
    if (sent !== undefined) form = changeResource(form, parsePointer(path), () => sent);
  }
  for (const tokens of laterFields(kind, version))
    if (valueAt(body, printPointer(tokens)) === undefined)
      form = changeResource(form, tokens, () => undefined);
  const { metadata, spec, ...others } = form;
  return { ...others, kind: kind.name, apiVersion: kind.apiVersion, metadata, spec };
}

/** The fields that come after this version. */
export function laterFields({ ages }: Kind, version: string): readonly Tokens[] {
  return ages.flatMap(({ at, it: { value, since } }) =>
    value !== undefined || since === undefined || atLeast(version, since) ? [] : [at],
  );
}

/** A resource with the fields of this version only. */
export function withoutLater(kind: Kind, resource: Resource, version: string): Resource {
  return laterFields(kind, version).reduce(
    (form, tokens) => changeResource(form, tokens, () => undefined),
    resource,
  );
}

/** What the gateway returns of what it stores: with the fields that it owns, mostly without defaults (gateway-api A.5). */
export function toResponseForm(kind: Kind, stored: Resource, showDefaults: boolean, state: State): Resource {
  const rules = rulesOf(kind);
  const full = rules.fill?.(stored, state) ?? stored;
  if (showDefaults) return full;
  let form = full;
  for (const { tokens, value, unless } of rules.hidden ?? []) {
    if (unless?.(full) === true) continue;
    form = changeResource(form, tokens, (found) => (sameJson(found, value) ? undefined : found));
  }
  return form;
}

/** Whether a PUT changes nothing; the order of a set does not matter. */
export function isSameForm(kind: Kind, one: Resource, other: Resource): boolean {
  return sameJson(one, other) || sameJson(withSortedSets(kind, one), withSortedSets(kind, other));
}

function withSortedSets(kind: Kind, resource: Resource): Json {
  return kind.sets(resource).reduce<Json>((form, tokens) => changeAt(form, tokens, sorted), resource);
}

function sorted(value: Json | undefined): Json | undefined {
  if (!isList(value)) return value;
  const byText = new Map(value.map((item) => [canonicalText(item), item]));
  return [...byText.keys()].sort().map((text) => byText.get(text) ?? null);
}
