import type { Pattern } from './json/json.ts';
import type { Place, Position } from './problem.ts';
import type { Address } from './resource.ts';

/** What a project says of the objects that it deals with; what it does not say holds nobody back. */
export type Rules = {
  /** What this repository is responsible for: globs over addresses. Undefined: nothing says what. */
  readonly manages?: readonly string[];
  /** What is neither deleted nor replaced, and not changed in what its kind guards. */
  readonly protect?: readonly ProtectRule[];
  /** What others look after: it may be referred to and is never written. */
  readonly external?: readonly ExternalRule[];
  /** Objects that are left alone, and fields that keep the value that they have on the gateway. */
  readonly ignore?: readonly IgnoreRule[];
  /** How much a run may delete and update. */
  readonly limits?: Limits;
};

/** Each key is a glob; a rule is for what all of its keys match. */
export type ProtectRule = {
  readonly kind?: string;
  readonly address?: string;
  /** Of kinds whose shape hangs on a field: what that field says. */
  readonly pluginClass?: string;
  readonly reason?: string;
  readonly place: Place;
};

/** `address` is a glob. */
export type ExternalRule = { readonly address: string; readonly place: Place };
export type IgnoreRule = ExternalRule & {
  /** Only what stands there; `*` is any key. Left out: the whole object. */
  readonly path?: Pattern;
  readonly reason: string;
  /** Who answers for it. There is one where there is a day, and the other way round. */
  readonly owner?: string;
  /** `YYYY-MM-DD`: the last day on which it holds. */
  readonly until?: string;
};

/** A run is over a limit when it is over each of its bounds. */
export type Limit = {
  readonly objects?: number;
  /** Of what is managed. */
  readonly percent?: number;
};
/** Limits of one run: for all kinds together, and for single ones. */
export type Limits = Limited & { readonly kinds?: Readonly<Record<string, Limited>>; readonly place?: Place };
export type Limited = { readonly deletes?: Limit; readonly updates?: Limit };

/** An object that files ask to go, by its name. */
export type Removal = {
  readonly address: Address;
  readonly reason: string;
  /** ISO 8601: the last day on which the entry has a reason to be there. */
  readonly expires?: string;
  /** It lives on, as this one. */
  readonly to?: { readonly address: Address; readonly place: Place };
  readonly place: Place;
  readonly at: Position;
};
