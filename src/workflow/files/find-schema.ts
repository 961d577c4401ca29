import { dirname, join, relative } from 'node:path';
import { editorSchema } from '../../schema/json-schema.ts';
import type { Catalog } from '../../model/own-kind.ts';
import type { FolderFile, Host } from '../host.ts';
import { PROJECT_FILE } from '../project/find-project.ts';

/** Where editors find the JSON Schema of files in a folder. */
export type EditorSchema = {
  /** The path for a file in that folder, by its path there. */
  readonly schemaFor: (path: string) => string;
  /** The schema itself, if it has yet to be written. */
  readonly files: readonly FolderFile[];
};

/** The schema in the package, if npm has installed it at the top of the tree, which every clone then has; else one that is written there. */
export function findSchema(
  host: Pick<Host, 'exists' | 'findUpwards'>,
  catalog: Catalog,
  out: string,
  top = topOf(host, out),
): EditorSchema {
  const installed = join(top, 'node_modules', 'gwconf', 'schemas', 'resources.schema.json');
  const own = join(top, '.gwconf', 'schema.json');
  const schema = host.exists(installed) ? installed : own;
  const text = `${JSON.stringify(editorSchema(catalog))}\n`;
  return {
    schemaFor: (path) => relative(dirname(join(out, path)), schema).replaceAll('\\', '/'),
    files: host.exists(schema) ? [] : [{ path: own, text }],
  };
}

function topOf({ findUpwards }: Pick<Host, 'findUpwards'>, out: string): string {
  const folder = dirname(out);
  return (
    [PROJECT_FILE, 'package.json', '.git'].flatMap((name) => findUpwards(name, folder) ?? [])[0] ?? folder
  );
}
