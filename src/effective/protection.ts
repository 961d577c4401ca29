import { memoize } from '../model/collect.ts';
import type { Chain, ChainLink } from '../model/principal.ts';
import type { ProtectionRules } from '../model/rules.ts';
import { compileGlobs, type GlobMatcher } from '../model/text/glob.ts';

/** The sorts of protection that an interceptor gives. */
export type ProtectionOf = (link: ChainLink) => readonly string[];

/** By the plugin catalogue and by rules; a class can be named by its last part. */
export function makeProtection(rules: ProtectionRules = {}): ProtectionOf {
  const sorts = Object.entries(rules).map(([name, globs]) => ({ name, matches: compileLinkGlobs(globs) }));
  return memoize((link: ChainLink): readonly string[] => {
    if (link.isIdle === true) return [];
    const added = sorts.filter(({ matches }) => matches(link));
    return [...new Set<string>([...link.protects, ...added.map(({ name }) => name)])];
  });
}

/** The sorts of protection that a chain gives. */
export function sortsOf(chain: Chain, protectionOf: ProtectionOf): readonly string[] {
  return [...new Set(chain.flatMap(({ one }) => protectionOf(one)))].sort();
}

/**
 * Whether one of the globs matches an interceptor: those for plugin classes match the class in full or its last part, and those
 * with a slash its address.
 */
export function compileLinkGlobs(
  globs: readonly string[],
): (link: Pick<ChainLink, 'address' | 'pluginClass'>) => boolean {
  const isAddress = compileGlobs(globs.filter((glob) => glob.includes('/')));
  const isClass = compileClassGlobs(globs.filter((glob) => !glob.includes('/')));
  return ({ address, pluginClass }) => isAddress(address) || isClass(pluginClass);
}

/** Whether one of the globs matches a plugin class in full, or its last part. */
export function compileClassGlobs(globs: readonly string[]): GlobMatcher {
  const matches = compileGlobs(globs);
  return (pluginClass) =>
    matches(pluginClass) || matches(pluginClass.slice(pluginClass.lastIndexOf('.') + 1));
}
