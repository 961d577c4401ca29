import { Type, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import {
  address,
  count,
  define,
  described,
  exactly,
  flag,
  list,
  maybe,
  nullable,
  object,
  open,
  pointer,
  position,
  text,
  words,
  type Plain,
} from '../../model/shape.ts';
import type { LazyList } from '../lazy.ts';

/** An outcome, in a format of its own. */
export function report<const Name extends string, const Fields extends TProperties>(
  name: Name,
  { title, description }: { readonly title: string; readonly description: string },
  fields: Fields,
): TObject<Fields & { readonly format: TUnsafe<`gwconf/${Name}@1`> }> {
  return object(
    { format: exactly(`gwconf/${name}@1`), ...fields },
    `${description} Minor versions of gwconf may add fields; consumers pass over those that they do not know.`,
    { title },
  );
}

export const problem = define(
  'problem',
  object(
    {
      code: text('Two or three words, such as unknown-field; the README lists them all.', {
        pattern: '^(policy/.+|[a-z]+(-[a-z]+)*)$',
      }),
      severity: words(['error', 'warning', 'info']),
      message: text('What is wrong, one clause without a full stop.'),
      file: maybe(text()),
      line: maybe(count(undefined, 1)),
      column: maybe(count(undefined, 1)),
      also: maybe(described('Of two places the earlier; the later is file, line and column.', position)),
      address: maybe(text('The resource that it is about.')),
      path: maybe(pointer),
      hint: maybe(text('What to do about it, an imperative.')),
      instead: maybe(text('What to write at its place, where one text is likely to be right.')),
      variable: maybe(text('The environment variable that is not set, if that is all that is wrong.')),
      inBase: maybe(
        flag('Only of a plan with a base: the base has the same, so it is not shown to people again.'),
      ),
    },
    'Something wrong with the input or the gateway, as all reports have it.',
    { dependencies: { file: ['line', 'column'], line: ['file'], column: ['file'] } },
  ),
);

export const problems = list(problem);

/** Where a report is from. */
export const gateway = text('The URL of the gateway, without credentials; empty when there is none to name.');

// A name that fits into the first line of a comment.
export const environment = maybe(
  text('The name of the environment in gwconf.yaml; absent when none is chosen.', { maxLength: 500 }),
);

export const selection = maybe(
  object(
    {
      target: list(text()),
      exclude: list(text()),
      unselected: count('How many objects were not looked at.'),
    },
    'Only of a plan narrowed by --target or --exclude.',
  ),
);

/** Kinds that cannot be told of. */
export const unavailable = list(
  object({ kind: text(), words: text('The reason.') }),
  'Kinds that the gateway does not serve, or that the snapshot does not have.',
);

export const resource = define(
  'resource',
  object(
    {
      address,
      apiVersion: maybe(text()),
      kind: text(),
      metadata: object({ name: text() }, undefined, { additionalProperties: true }),
      spec: open(),
    },
    'As the gateway returns it.',
    { additionalProperties: true },
  ),
);

/** Who something is told of. */
export const principal = {
  virtualCluster: text(),
  username: nullable('null: all other clients, which no rule names.'),
  groups: list(text()),
  externalGroup: maybe(text('The members of this group of the identity provider.')),
};

export function oneOrMore<Item extends TSchema>(
  item: Item,
  description?: string,
): TUnsafe<readonly [Plain<Item>, ...Plain<Item>[]]> {
  return Type.Unsafe(list(item, description, { minItems: 1 }));
}

/** A list that may be long, so that it is not held in memory. */
export function lazily<Item extends TSchema>(
  item: Item,
  description?: string,
): TUnsafe<LazyList<Plain<Item>>> {
  return Type.Unsafe<LazyList<Plain<Item>>>(list(item, description));
}
