import type { DiffLine } from './edits.ts';

/** What happens to some principals. */
export type Consequence = {
  /** How many principals. */
  readonly count: number;
  /** A sentence without a full stop. */
  readonly text: string;
  /** The principals; those that stand for many clients come first. */
  readonly names: readonly string[];
  /** What else there is to know, as sentences. */
  readonly notes: readonly string[];
  readonly lines: readonly DiffLine[];
};

/** How many principals there are in all. */
export function countPrincipals(consequences: readonly Consequence[]): number {
  return consequences.reduce((sum, { count }) => sum + count, 0);
}
