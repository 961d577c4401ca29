import { compileGlobs } from '../../model/text/glob.ts';
import type { Project } from '../../schema/project/project.ts';
import type { Wave } from '../../schema/project/waves.ts';

/** Environments that are applied side by side, by name. */
export type NamedWave = Omit<Wave, 'environments'> & { readonly names: readonly string[] };

/** The waves of these environments: each is in the first that matches, and what none matches comes last. */
export function wavesOf({ waves }: Pick<Project, 'waves'>, names: readonly string[]): readonly NamedWave[] {
  const left = new Set(names);
  const found = [...waves, { environments: ['*'], waitMs: 0, checks: [] }].map(
    ({ environments, ...about }): NamedWave => {
      const own = [...left].filter(compileGlobs(environments));
      for (const name of own) left.delete(name);
      return { ...about, names: own };
    },
  );
  return found.filter((wave) => wave.names.length > 0);
}
