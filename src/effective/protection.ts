import { memoize } from '../model/collect.ts';
import type { ChainLink } from '../model/principal.ts';
import type { ProtectionRules } from '../model/rules.ts';
import { compileGlobs } from '../model/text/glob.ts';

/** The sorts of protection that an interceptor gives. */
export type ProtectionOf = (link: ChainLink) => readonly string[];

/** By the plugin catalogue and by rules; a class can be named by its last part. */
export function makeProtection(rules: ProtectionRules = {}): ProtectionOf {
  const sorts = Object.entries(rules).map(([name, globs]) => ({
    name,
    isAddress: compileGlobs(globs.filter((glob) => glob.includes('/'))),
    isClass: compileGlobs(globs.filter((glob) => !glob.includes('/'))),
  }));
  return memoize((link: ChainLink): readonly string[] => {
    const { address, pluginClass, protects } = link;
    const last = pluginClass.slice(pluginClass.lastIndexOf('.') + 1);
    const added = sorts.filter(
      ({ isAddress, isClass }) => isAddress(address) || isClass(pluginClass) || isClass(last),
    );
    return [...new Set<string>([...protects, ...added.map(({ name }) => name)])];
  });
}
