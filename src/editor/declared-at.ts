import { addTo, memoize } from '../model/collect.ts';
import type { SourceFile } from '../model/problem.ts';
import type { Declaration } from '../model/state.ts';
import type { Span } from '../schema/yaml/text-lines.ts';
import type { EnvironmentLook, Look } from './look.ts';

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
