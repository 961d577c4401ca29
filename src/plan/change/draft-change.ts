import { canonicalText, placesOf, type Json, type JsonObject } from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { normalForm } from '../../model/normal/normal-form.ts';
import type { Resource } from '../../model/resource.ts';
import type { Change } from './plan.ts';

/** A change before it has its place: `dependsOn` and `stage` are worked out by `order`. */
export type DraftChange = Change extends infer C
  ? C extends Change
    ? Omit<C, 'dependsOn' | 'stage'>
    : never
  : never;

export function beforeOf(change: DraftChange): Resource | undefined {
  return change.action === 'create' ? undefined : change.before;
}

export function afterOf(change: DraftChange): Resource | undefined {
  return change.action === 'delete' ? undefined : change.after;
}

/** A value that no other of its kind may have: one text for one value, and what its field is called. */
export type UniqueValue = { readonly key: string; readonly noun: string; readonly value: Json };

export function uniqueValuesOf(resource: Resource, kind: Kind): readonly UniqueValue[] {
  if (kind.unique.length === 0) return [];
  const normal = normalForm(kind, resource) as JsonObject;
  return kind.unique.flatMap((tokens) =>
    placesOf(normal, tokens).map(({ value }) => ({
      key: `${kind.name}/${tokens.join('/')} ${canonicalText(value)}`,
      noun: nounOf(tokens),
      value,
    })),
  );
}

/** The values of a resource that no other of its kind may have, each with the name of the field. */
export function uniqueKeysOf(resource: Resource, kind: Kind): readonly string[] {
  return uniqueValuesOf(resource, kind).map(({ key }) => key);
}

/** `/spec/externalNames/*` holds an external name. */
function nounOf(tokens: readonly string[]): string {
  const name = tokens.findLast((token) => token !== '*') ?? '';
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return tokens.at(-1) === '*' ? words.replace(/s$/, '') : words;
}
