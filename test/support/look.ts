import type { Look } from '../../src/editor/look.ts';
import type { SourceFile } from '../../src/model/problem.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { EMPTY_PROJECT, parseProject } from '../../src/schema/project/project.ts';
import { variablesFrom } from '../../src/schema/yaml/interpolate.ts';

/** A look at files; the layers of each environment are the folders that gwconf.yaml names. */
export function lookAt(
  texts: Readonly<Record<string, string>>,
  set: Readonly<Record<string, string>> = {},
): Look {
  const files = new Map(
    Object.entries(texts).map(([path, text]): [string, SourceFile] => [path, { path, text }]),
  );
  const own = files.get('gwconf.yaml');
  const project = (own && parseProject(own, catalog.kinds).value) ?? EMPTY_PROJECT;
  const names = project.environments.size === 0 ? [undefined] : [...project.environments.keys()];
  const environments = names.map((name) => {
    const { files: layers = [''], variables = {} } = (name && project.environments.get(name)) || {};
    const read = layers.flatMap((folder, layer) =>
      [...files.values()]
        .filter(({ path }) => path.startsWith(folder) && path !== 'gwconf.yaml')
        .map((file) => ({ ...file, layer })),
    );
    const values = variablesFrom(
      (asked) => (asked.startsWith('var.') ? variables[asked.slice(4)] : set[asked]),
      {
        missing: 'open',
      },
    );
    const loaded = load(read, catalog, values);
    return { ...loaded, name, files: read, variables: values };
  });
  const located = {
    ...project,
    folder: '.',
    root: '.',
    filesByEnvironment: new Map<string, readonly string[]>(),
  };
  return { environments, files, catalog, project: located, problems: [] };
}

/** A text with a mark at the cursor, as a file without it, and the offset of the mark. */
export function cursorIn(
  path: string,
  marked: string,
): { readonly file: SourceFile; readonly offset: number } {
  return { file: { path, text: marked.replace('‸', '') }, offset: marked.indexOf('‸') };
}
