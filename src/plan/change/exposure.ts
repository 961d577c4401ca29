import type { Principal } from '../../model/principal.ts';
import type { Address } from '../../model/resource.ts';
import type { ChangeId } from './change-id.ts';

/** An interceptor of a chain, as reports show it. */
export type ShownLink = {
  readonly address: Address;
  readonly pluginClass: string;
  /** Hidden where it is a secret. */
  readonly priority: number | '(hidden)';
};

/** What a plan means for a principal, which has the groups after the plan: its interceptors before and after, in order. */
export type Effect = Principal & {
  /** Principals with the same chain share the list. */
  readonly before: readonly ShownLink[];
  readonly after: readonly ShownLink[];
};

/** A sort of protection that a principal loses for good, or between two calls of the plan. */
export type Exposure = Principal & {
  readonly protection: string;
  /** Whether it does not come back. */
  readonly lasting: boolean;
  /** The interceptors that gave it before. */
  readonly lost: readonly Address[];
  /** The change that takes it away. */
  readonly from: ChangeId;
  /** The change that brings it back. */
  readonly until?: ChangeId | undefined;
  /** How long it lasts, at the pace of the gateway; absent where that is unknown. */
  readonly seconds?: number | undefined;
  /** Who wants it: of those that an acceptance covers. */
  readonly accepted?:
    { readonly reason?: string | undefined; readonly until?: string | undefined } | undefined;
};
