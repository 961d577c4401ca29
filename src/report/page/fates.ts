import type { Line } from './change-lines.ts';

/** What happens to some principals, for people. */
export type Fate = {
  /** How many principals. */
  readonly count: number;
  /** A sentence without a full stop. */
  readonly text: string;
  /** The principals; those that stand for many clients come first. */
  readonly names: readonly string[];
  /** What else there is to know, as sentences. */
  readonly notes: readonly string[];
  readonly lines: readonly Line[];
};

/** How many principals there are in fates. */
export function countPrincipals(fates: readonly Fate[]): number {
  return fates.reduce((sum, { count }) => sum + count, 0);
}
