import type { Problem } from '../../model/problem.ts';

/** Why there is no gateway, or no snapshot in its place, and the result that this means. */
export type NotOpened = {
  readonly problems: readonly Problem[];
  readonly result: 'error' | 'blocked' | 'stale';
};

/** A gateway that is open, and what there is to warn of; or why there is none. */
export type Opened<G> = { readonly gateway: G; readonly warnings: readonly Problem[] } | NotOpened;
