import type { Catalog } from '../model/own-kind.ts';
import type { Problem, SourceFile } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import type { Declaration } from '../model/state.ts';
import type { Variables } from '../schema/yaml/interpolate.ts';
import type { LocatedProject } from '../workflow/project/workspace.ts';
import { addTo, memoize } from '../model/collect.ts';
import type { Span } from '../schema/yaml/text-lines.ts';

/** What is known of a project while its files are edited: each text as the editor has it, saved or not. */
export type Look = {
  readonly project: LocatedProject;
  readonly catalog: Catalog;
  /** Those that have files; one without a name for what no environment has. */
  readonly environments: readonly EnvironmentLook[];
  /** What is wrong with gwconf.yaml and with tests. */
  readonly problems: readonly Problem[];
  /** All files that were read, by path, with tests, policies and gwconf.yaml. */
  readonly files: ReadonlyMap<string, SourceFile>;
};

export type EnvironmentLook = {
  readonly name: string | undefined;
  readonly files: readonly SourceFile[];
  readonly declared: ReadonlyMap<Address, Declaration>;
  readonly variables: Variables;
  readonly problems: readonly Problem[];
};

/** The environments that have a file. */
export function environmentsWith({ environments }: Look, path: string): readonly EnvironmentLook[] {
  return environments.filter(({ files }) => files.some((file) => file.path === path));
}

/** The objects that a file declares or changes, in its order; of several environments, each document once. */
export function declaredIn(look: Look, path: string): readonly Declaration[] {
  const found = new Map<number, Declaration>();
  for (const { declared } of environmentsWith(look, path))
    for (const one of declared.values())
      for (const { file, index } of [one.document, ...(one.overlays ?? []).map(({ document }) => document)])
        if (file.path === path && !found.has(index)) found.set(index, one);
  return [...found].sort(([one], [other]) => one - other).map(([, one]) => one);
}

/** What a document of a file declares or overlays, in an environment. */
export type DeclaredIn = { readonly environment: EnvironmentLook; readonly declaration: Declaration };

/** The declarations that each file has a part in. */
const byFile = memoize(({ declared }: EnvironmentLook): ReadonlyMap<string, readonly Declaration[]> => {
  const found = new Map<string, Declaration[]>();
  for (const declaration of declared.values()) {
    const { document, overlays = [] } = declaration;
    const paths = new Set([document, ...overlays.map((one) => one.document)].map(({ file }) => file.path));
    for (const path of paths) addTo(found, path, declaration);
  }
  return found;
});

/** What the document around a place declares, in each environment that reads it. */
export function declaredAt(look: Look, file: SourceFile, { from, to }: Span): readonly DeclaredIn[] {
  return look.environments.flatMap((environment) =>
    (byFile(environment).get(file.path) ?? []).flatMap((declaration): readonly DeclaredIn[] => {
      const { document, overlays = [] } = declaration;
      const isHere = [document, ...overlays.map((one) => one.document)].some(
        (one) => one.file.path === file.path && from <= one.offset && one.offset < to,
      );
      return isHere ? [{ environment, declaration }] : [];
    }),
  );
}
