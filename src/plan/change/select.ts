import { compileGlobs } from '../../model/text/glob.ts';
import type { KindSet } from '../../model/kind.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import type { Selection } from './plan.ts';

export type Matcher = (address: Address) => boolean;

/**
 * What globs over addresses mean: `*` is any text (`/`, `@` and `,` too), a leading `!` excludes. What is built in
 * never matches. Only exclusions: everything else.
 */
export function makeMatcher(globs: readonly string[], kinds: KindSet): Matcher {
  const patterns = globs.filter((glob) => !glob.startsWith('!'));
  const exceptions = globs.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1));
  const isIncluded = patterns.length > 0 ? compileGlobs(patterns) : () => exceptions.length > 0;
  const isExcluded = compileGlobs(exceptions);
  return (address) => !isBuiltIn(address, kinds) && isIncluded(address) && !isExcluded(address);
}

/** What `--target` and `--exclude` leave to look at; with neither, everything. */
export function makeSelector({ target, exclude }: Selection, kinds: KindSet): Matcher {
  const wanted = target.length === 0 ? () => true : makeMatcher(target, kinds);
  const unwanted = exclude.length === 0 ? () => false : makeMatcher(exclude, kinds);
  return (address) => wanted(address) && !unwanted(address);
}

/** Whether the gateway has it by itself, always. */
export function isBuiltIn(address: Address, kinds: KindSet): boolean {
  const kind = kinds.get(kindOf(address));
  return kind?.builtIn.some((name) => address === `${kind.name}/${name}`) ?? false;
}
