import type { Call } from '../call.ts';
import type { Address } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';

/** What became of a call, from best to worst. */
export const OUTCOMES = ['converted', 'converted with a choice', 'imperative', 'cannot'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export type TranslatedCall = Pick<Call, 'file' | 'line'> & {
  readonly gateway?: string;
  readonly method?: string;
  readonly path?: string;
  readonly outcome: Outcome;
  /** The choices, the command to use instead, or why it cannot be converted. */
  readonly why?: string;
  /** The resources that declare what the call did. */
  readonly to: readonly Address[];
};

/** What the calls to one gateway leave there. */
export type TranslatedGateway = { readonly gateway: string; readonly state: LiveState };

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
