import type { Problem } from '../../model/problem.ts';

/** A gateway that is open, and what there is to warn of; or why there is none, and the result that this means. */
export type Opened<G> =
  | { readonly gateway: G; readonly warnings: readonly Problem[] }
  | { readonly problems: readonly Problem[]; readonly result: 'error' | 'blocked' | 'stale' };
