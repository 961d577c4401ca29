import type { Look } from '../../src/editor/look.ts';
import type { SourceFile } from '../../src/model/problem.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { load } from '../../src/schema/load/load.ts';
import { EMPTY_PROJECT, parseProject } from '../../src/schema/project/project.ts';
import { variablesFrom } from '../../src/schema/yaml/interpolate.ts';

const known = new Map<string, SourceFile>();

/** A file that stays the same one while its text does, as the server keeps it. */
function fileOf(path: string, text: string, layer = 0): SourceFile {
  const key = `${layer} ${path}`;
  const before = known.get(key);
  const file = before?.text === text ? before : { path, text, layer };
  known.set(key, file);
  return file;
}

/** A look at files; the layers of each environment are the folders that gwconf.yaml names. */
export function lookAt(
  texts: Readonly<Record<string, string>>,
  set: Readonly<Record<string, string>> = {},
): Look {
  const files = new Map(
    Object.entries(texts).map(([path, text]): [string, SourceFile] => [path, fileOf(path, text)]),
  );
  const own = files.get('gwconf.yaml');
  const project = (own && parseProject(own, catalog.kinds).value) ?? EMPTY_PROJECT;
  const names = project.environments.size === 0 ? [undefined] : [...project.environments.keys()];
  const environments = names.map((name) => {
    const { files: layers = [''], variables = {} } = (name && project.environments.get(name)) || {};
    const read = layers.flatMap((folder, layer) =>
      [...files.values()]
        .filter(({ path }) => path.startsWith(folder) && path !== 'gwconf.yaml')
        .map((file) => fileOf(file.path, file.text, layer)),
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
