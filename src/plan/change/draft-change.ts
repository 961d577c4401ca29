import {
  canonicalText,
  parsePointer,
  placesOf,
  valueAt,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import type { Kind } from '../../model/kind.ts';
import { normalForm, withDefaults } from '../../model/normal/normal-form.ts';
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

/** What a resource has at the field that it shares with others, as text, and among which it does. */
export type SharedValue = {
  readonly within: string;
  readonly value: string;
  readonly noun: string;
};

/** The value that all resources of the kind share with this one; undefined for a kind that has no such field. */
export function sharedValueOf(resource: Resource, kind: Kind): SharedValue | undefined {
  const { agree } = kind;
  if (agree === undefined) return undefined;
  const filled = withDefaults(kind, resource);
  const textAt = (path: Pointer): string => canonicalText(valueAt(filled, path) ?? null);
  return {
    within: `${kind.name} ${textAt(agree.within)}`,
    value: textAt(agree.on),
    noun: nounOf(parsePointer(agree.on)),
  };
}

/** `/spec/externalNames/*` holds an external name. */
function nounOf(tokens: readonly string[]): string {
  const name = tokens.findLast((token) => token !== '*') ?? '';
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return tokens.at(-1) === '*' ? words.replace(/s$/, '') : words;
}
