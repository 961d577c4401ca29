/**
 * Why the gateway is not as the files are: the branch changed them; the base did, and it is not applied yet; or somebody changed the
 * gateway. `base-or-drift` where the history does not tell which of the last two it is.
 */
export type Cause = (typeof CAUSES)[number];
/** In the order in which they matter to a reviewer of the branch. */
export const CAUSES = ['branch', 'drift', 'base-or-drift', 'base'] as const;
