import type { Pattern } from './json/json.ts';
import type { Place, Position } from './problem.ts';
import type { Address } from './resource.ts';

/** The ownership rules of a project; absent rules do not restrict anything. */
export type Rules = {
  /** Objects that this repository manages: globs for addresses. Undefined: not declared. */
  readonly manages?: readonly string[];
  /** Objects that must not be deleted or replaced, and whose guarded fields must not change. */
  readonly protect?: readonly ProtectRule[];
  /** Objects that others manage: resources can refer to them, but they are never written. */
  readonly external?: readonly ExternalRule[];
  /** Objects and fields that keep their value on the gateway. */
  readonly ignore?: readonly IgnoreRule[];
  /** Files and folders whose documents may change those of other files; undefined: all may. */
  readonly overlays?: readonly string[];
  /** How much a run may delete and update. */
  readonly limits?: Limits;
  /** How long tokens may be valid. */
  readonly token?: TokenRules;
  /** Sorts of protection beside those of the plugin catalogue. */
  readonly protection?: ProtectionRules;
  /** Exposures that are accepted until a day. */
  readonly exposures?: readonly ExposureRule[];
};

/**
 * Sorts of protection by name. Each has globs for plugin classes, in full or by their last part, and, with a slash, for
 * addresses of interceptors. They add to those of the plugin catalogue.
 */
export type ProtectionRules = Readonly<Record<string, readonly string[]>>;

/** `address` is a glob for the interceptors that may be missing. */
export type ExposureRule = ExternalRule & {
  /** Default: every sort of protection. */
  readonly protection?: string;
  readonly reason: string;
  /** `YYYY-MM-DD`: the last day. */
  readonly until: string;
};

/** The longest lifetimes of tokens; an account must keep all that are for it. */
export type TokenRules = {
  readonly maxLifetime?: Lifetime;
  readonly accounts?: readonly TokenRule[];
};
/** `address` is a glob. */
export type TokenRule = {
  readonly address: string;
  readonly maxLifetime: Lifetime;
  readonly reason?: string;
};
/** A duration, as it is written: `30d`. */
export type Lifetime = { readonly text: string; readonly seconds: number; readonly place: Place };

/** Each key is a glob; all keys of a rule must match. */
export type ProtectRule = {
  readonly kind?: string;
  readonly address?: string;
  /** For kinds with variants: the value of the field that selects one. */
  readonly pluginClass?: string;
  /** Whether secrets must not change, either. Default: they can be rotated. */
  readonly secrets?: boolean;
  readonly reason?: string;
  readonly place: Place;
};

/** `address` is a glob. */
export type ExternalRule = { readonly address: string; readonly place: Place };
export type IgnoreRule = ExternalRule & {
  /** The ignored field; `*` is any key. Default: the whole object. */
  readonly path?: Pattern;
  readonly reason: string;
  /** The person or team responsible; present if and only if `until` is. */
  readonly owner?: string;
  /** `YYYY-MM-DD`: the last day. */
  readonly until?: string;
};

/** An object, or a field of it, that is meant to differ between environments. */
export type DiffersRule = Pick<IgnoreRule, 'address' | 'path' | 'reason' | 'place'> & {
  /** The two environments. Default: any two. */
  readonly between?: readonly string[];
};

/** A run exceeds a limit if it exceeds each of its bounds. */
export type Limit = {
  readonly objects?: number | undefined;
  /** Of the managed objects. */
  readonly percent?: number | undefined;
};
/** Limits of a run, for all kinds and for some. */
export type Limits = Limited & { readonly kinds?: Readonly<Record<string, Limited>>; readonly place?: Place };
export type Limited = { readonly deletes?: Limit | undefined; readonly updates?: Limit | undefined };

/** A rule that is not as on the base; values as they may be shown, and absent where there is none. */
export type RuleChange = {
  /** What the rule is called: `limits.deletes`. */
  readonly rule: string;
  /** Where the branch has it, or what is around it. */
  readonly at?: Position | undefined;
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** Whether it may allow more than before. */
  readonly loosens: boolean;
};

/** An object to remove, by address. */
export type Removal = {
  readonly address: Address;
  readonly reason: string;
  /** ISO 8601: the last day on which the entry is needed. */
  readonly expires?: string;
  /** Its new address. */
  readonly to?: { readonly address: Address; readonly place: Place };
  readonly place: Place;
  readonly at: Position;
};
