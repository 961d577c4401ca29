import type { Address } from '../../model/resource.ts';
import type { ChangeId } from './change-id.ts';

/** The principals that something happens to. Those of one record have the same chains. */
export type Affected = {
  readonly virtualCluster: string;
  /** Null: anybody else in the virtual cluster. */
  readonly username: string | null;
  /** After the plan. */
  readonly groups: readonly string[];
  /** Anybody in this group of the identity provider. */
  readonly externalGroup?: string;
};

/** An interceptor of a chain, as reports show it. */
export type ShownLink = {
  readonly address: Address;
  readonly pluginClass: string;
  readonly priority: number;
};

/** What a plan means for a principal: its interceptors before and after, in order. */
export type Effect = Affected & {
  /** Principals with the same chain share the list. */
  readonly before: readonly ShownLink[];
  readonly after: readonly ShownLink[];
};

/** A sort of protection that a principal loses for good, or between two calls of the plan. */
export type Exposure = Affected & {
  readonly protection: string;
  /** Whether it does not come back. */
  readonly lasting: boolean;
  /** The interceptors that gave it before. */
  readonly lost: readonly Address[];
  /** The change that takes it away. */
  readonly from: ChangeId;
  /** The change that brings it back. */
  readonly until?: ChangeId;
  /** How long it lasts, at the pace of the gateway; absent where that is unknown. */
  readonly seconds?: number;
  /** Who wants it: of those that an acceptance covers. */
  readonly accepted?: { readonly reason?: string; readonly until?: string };
};
