import type { Paint } from '../paint.ts';

/** How much of each change a report for people shows. */
export const DETAILS = ['summary', 'fields', 'full'] as const;
export type Detail = (typeof DETAILS)[number];

/** How a report for people is printed. */
export type TextOptions = {
  readonly paint: Paint;
  /** The columns of the terminal. Absent: lines are as long as they need to be. */
  readonly width?: number | undefined;
  /** Default: what fits the number of changes. */
  readonly detail?: Detail | undefined;
};
