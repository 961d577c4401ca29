/** Tells whether a value is valid against one schema. */
export type Validator = (value: unknown) => boolean;

/**
 * Validators that need no compiling, by the digest of their schema. The build puts those of gwconf's own schemas here; run from
 * source, gwconf compiles every schema.
 */
export const precompiled: ReadonlyMap<string, () => Validator> = new Map();
