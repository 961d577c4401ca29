import type { Pointer } from './json/json.ts';
import type { Place } from './problem.ts';

/** A difference between files and gateway that somebody answers for, until a day. */
export type Acceptance = {
  /** An address, or a glob over addresses. */
  readonly address: string;
  /** The field, and all below it; `*` stands for any one key or index. Without it: the whole object. */
  readonly path?: Pointer;
  readonly reason: string;
  readonly owner: string;
  /** `YYYY-MM-DD`, the last day on which it is accepted. */
  readonly expires: string;
  /** Where it is written. */
  readonly at: Place;
};
