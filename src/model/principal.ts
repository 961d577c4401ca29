import type { JsonObject } from './json/json.ts';
import type { Scoped } from './precedence.ts';
import type { Address } from './resource.ts';

/** A client of the gateway: what interceptors are chosen by. */
export type Principal = {
  readonly virtualCluster: string;
  /** Absent: anybody in the virtual cluster whose name no rule has. */
  readonly username?: string;
  readonly groups: readonly string[];
};

/** What a resource tells about principals and their interceptors; a kind's form says which. */
export type Fact =
  | { readonly type: 'virtual-cluster'; readonly name: string }
  | ({ readonly type: 'account' } & Named)
  | ({ readonly type: 'member'; readonly group: string } & Named)
  /** Clients that the identity provider says are in this group of its own. */
  | { readonly type: 'external-group'; readonly group: string; readonly name: string }
  | ({ readonly type: 'interceptor' } & Omit<ChainLink, 'address' | 'name'>);
type Named = { readonly virtualCluster: string; readonly username: string };

/** An interceptor, as far as chains are about it. */
export type ChainLink = Scoped & {
  readonly address: Address;
  readonly pluginClass: string;
  readonly config: JsonObject;
  /** The sorts of protection that its class gives, by the plugin catalogue. */
  readonly protects: readonly ProtectionSort[];
};

/** What clients can lose, by the plugin catalogue (gateway-api E). */
export const PROTECTION_SORTS = [
  'encryption',
  'masking',
  'audit',
  'access',
  'safeguard',
  'data-quality',
] as const;
export type ProtectionSort = (typeof PROTECTION_SORTS)[number];

/** The virtual cluster that every gateway has (gateway-api B.3). */
export const PASSTHROUGH = 'passthrough';
