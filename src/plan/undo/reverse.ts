import {
  canonicalText,
  parsePointer,
  placesOf,
  valueAt,
  type Pattern,
  type Pointer,
  isTextOrNumber,
  anyItem,
} from '../../model/json/json.ts';
import { type Kind } from '../../model/kind.ts';
import { requestBody } from '../../model/normal/normal-form.ts';
import type { Resource } from '../../model/resource.ts';
import { secretPlaces } from '../../model/secrets/secrets.ts';
import type { Template } from '../../model/state.ts';
import { diffResources } from '../change/diff-resources.ts';
import { type Change, type DraftChange, formerSources, marksOf, templatesOf } from '../change/change.ts';
import type { Loss } from '../change/plan.ts';

/** The source of a former secret: the gateway, at any index of its list, or the environment. */
export type SecretOrigin = { readonly live: Pattern } | { readonly template: Template };

/** A change that reverts another one, the sources of its secrets, and what is not restored. */
export type Reversal = {
  readonly change: DraftChange;
  readonly origins: ReadonlyMap<Pointer, SecretOrigin>;
  readonly losses: readonly Loss[];
};

/** Reverts a change of a run, given with its secrets; a Loss if that is impossible. */
export function reverseChange(made: Change, kind: Kind): Reversal | Loss {
  const { address } = made;
  if (made.action === 'create') {
    const { after, templates } = made;
    const change = { action: 'delete', address, before: after, ...(templates && { templates }) } as const;
    return { change, origins: new Map(), losses: [] };
  }
  const former = requestBody(kind, made.before); // without fields that the gateway sets
  const { origins, lost } = originsOf(former, made, kind);
  if (lost !== undefined) {
    const reason = `gwconf does not store its secret at ${lost}; to restore it, declare it in a file with this secret, and run gwconf apply`;
    return { address, leftOut: true, reason };
  }
  const templates = { ...made.templates, ...templatesAt(origins) };
  const about = {
    ...{ address, ...marksOf(made) },
    ...(Object.keys(templates).length === 0 ? {} : { templates }),
  };
  const change: DraftChange | undefined =
    made.action === 'delete'
      ? { action: 'create', ...about, after: former }
      : diffResources(made.after, former, kind, about);
  if (change === undefined) throw new Error(`${address} was not changed`);
  const losses = [
    ...(made.action === 'update' || kind.holds === undefined ? [] : [`is restored without ${kind.holds}`]),
    ...conditions(origins),
  ].map((reason) => ({ address, leftOut: false, reason }));
  return { change, origins, losses };
}

/** The source of each secret in the former value; `lost` is the first without one. */
function originsOf(
  former: Resource,
  made: Exclude<Change, { action: 'create' }>,
  kind: Kind,
): { readonly origins: ReadonlyMap<Pointer, SecretOrigin>; readonly lost: Pointer | undefined } {
  const sources = formerSources(made);
  const left = made.action === 'delete' ? undefined : made.after;
  const kept = left === undefined ? new Set<Pointer>() : secretPlaces(kind, left, sources);
  const onGateway = new Map([...kept].map((place) => [canonicalText(valueAt(left, place) ?? null), place]));
  const known = secretPlaces(kind, former, sources);
  const origins = new Map<Pointer, SecretOrigin>();
  for (const place of known) {
    const text = canonicalText(valueAt(former, place) ?? null);
    // Only where it stayed is a former secret still known to be one.
    const isStill = kept.has(place) && canonicalText(valueAt(left, place) ?? null) === text;
    const isFormer = made.formerSecrets?.includes(anyItem(place)) === true;
    const live = isStill ? place : isFormer ? undefined : onGateway.get(text);
    const template = templateAt(place, made);
    if (live !== undefined) origins.set(place, { live: anyItem(live) });
    else if (template !== undefined) origins.set(place, { template });
    else return { origins, lost: place };
  }
  // A place that has a secret now may have had one before.
  const lost = [...kept]
    .flatMap((place) => placesOf(former, parsePointer(anyItem(place))))
    .find(({ pointer, value }) => !known.has(pointer) && isTextOrNumber(value));
  return { origins, lost: lost?.pointer };
}

/** The template of a place; if its list has changed, the only template of a matching place. */
function templateAt(place: Pointer, { templates }: Change): Template | undefined {
  const all = [...templatesOf(templates)].filter(([pointer]) => anyItem(pointer) === anyItem(place));
  const exact = all.find(([pointer]) => pointer === place);
  const texts = new Set(all.map(([, { text }]) => text));
  return (exact ?? (texts.size === 1 ? all[0] : undefined))?.[1];
}

function templatesAt(origins: ReadonlyMap<Pointer, SecretOrigin>): Change['templates'] {
  return Object.fromEntries(
    [...origins].flatMap(([place, origin]) => ('template' in origin ? [[place, origin.template]] : [])),
  );
}

function conditions(origins: ReadonlyMap<Pointer, SecretOrigin>): readonly string[] {
  const variables = new Set(
    [...origins.values()].flatMap((origin) => ('template' in origin ? origin.template.variables : [])),
  );
  return [...variables].sort().map((name) => `is restored only while ${name} has its former value`);
}
