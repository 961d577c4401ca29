import type { Call } from '../read/call.ts';
import type { Address } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';

/** What became of a call, from best to worst. */
export const OUTCOMES = ['converted', 'converted with a choice', 'imperative', 'cannot'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type TranslatedCall = Pick<Call, 'file'> & {
  /** Absent for what was read from a gateway. */
  readonly line?: number;
  readonly gateway?: string;
  readonly method?: string;
  readonly path?: string;
  /** The object on the gateway that it was read from, where the path does not tell. */
  readonly object?: Address;
  readonly outcome: Outcome;
  /** The choices, the command to use instead, or why it cannot be converted. */
  readonly why?: string;
  /** The resources that declare what the call did. */
  readonly to: readonly Address[];
};

/** A client as a gateway sees it, by its old names or its new ones. */
export type Client = {
  readonly vCluster: string;
  readonly username?: string;
  readonly groups: readonly string[];
};

/** What the calls to one gateway leave there. */
export type TranslatedGateway = {
  readonly gateway: string;
  readonly state: LiveState;
  /** The clients that the calls name: each account, each user of an interceptor, and one without a name in each virtual cluster. */
  readonly clients: readonly { readonly before: Client; readonly after: Client }[];
  /** The address that an interceptor has now, by what its old one would be. */
  readonly moved: ReadonlyMap<Address, Address>;
};

export type Translated = {
  /** The gateways that have something to declare, in the order of their first calls. */
  readonly gateways: readonly TranslatedGateway[];
  /** In the order of the calls. */
  readonly calls: readonly TranslatedCall[];
};

/** How many calls have each outcome. */
export function countOutcomes(calls: readonly TranslatedCall[]): Readonly<Record<Outcome, number>> {
  const counts = { converted: 0, 'converted with a choice': 0, imperative: 0, cannot: 0 };
  for (const { outcome } of calls) counts[outcome] += 1;
  return counts;
}
