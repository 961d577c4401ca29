import type { Json } from './json/json.ts';

/** What a part of a config says about how much its interceptor protects: which other value would protect less. */
export type Strength = About & (Limiting | Protecting | Nested | { readonly type: 'none' });

type About = {
  /** The documented default. */
  readonly fallback?: Json;
  /** It counts only while the field beside it has this value. */
  readonly when?: { readonly field: string; readonly is: Json };
  /** The field that it is another spelling of, as a path from the object that it is in. */
  readonly same?: string;
  /** Without it, or where it is empty, nothing is protected. Of other fields, it is not documented. */
  readonly absent?: 'nothing';
};

/** How, and for what, all that the object with this field protects is protected. */
type Limiting =
  /** What it applies to: less is weaker. */
  | { readonly type: 'reach'; readonly axis: Axis; readonly by: 'pattern' | 'name' | 'undocumented' }
  /** From weak to strong; those in one list have no documented order. */
  | { readonly type: 'order'; readonly values: readonly (readonly Json[])[] }
  /** A number: less is weaker. */
  | { readonly type: 'amount' }
  /** Which characters are masked: fewer is weaker. */
  | { readonly type: 'mask' }
  /** No order is documented: of another value it cannot be told whether it is weaker. */
  | { readonly type: 'unknown' };

/** What is protected. Without any in an object, the object is protected as a whole. */
type Protecting =
  /** The name of what the object protects. */
  | { readonly type: 'name' }
  /** Each member of the list is protected. */
  | { readonly type: 'each'; readonly what: Protected }
  /** The values that are allowed: each of these is forbidden unless it is among them. */
  | { readonly type: 'allows'; readonly values: readonly Json[] }
  /** What is above, or below, is forbidden. */
  | { readonly type: 'most' | 'least' }
  /** What does not match is forbidden. */
  | { readonly type: 'matches' };

type Nested =
  /** With `what`, its limits are for what it protects itself; without, they are as if they stood beside it. */
  | {
      readonly type: 'object';
      readonly what?: Protected;
      readonly fields: Readonly<Record<string, Strength | undefined>>;
    }
  /** Each item protects by itself, whatever its index. */
  | { readonly type: 'list'; readonly of: Strength };

export type Axis = 'topic' | 'virtualCluster' | 'username' | 'consumerGroup' | 'header' | 'partition';

/** What can be protected: a noun for a sentence. */
export type Protected = (typeof PROTECTED)[number];
export const PROTECTED = [
  'field',
  'payload',
  'tag',
  'request',
  'config',
  'limit',
  'rule',
  'interceptor',
  'acls',
] as const;
