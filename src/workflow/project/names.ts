import { join } from 'node:path';
import { addressIn } from '../../model/identity.ts';
import { isObject, textsIn, valueOf } from '../../model/json/json.ts';
import { forTerminal } from '../../model/text/escape.ts';
import { compareNaturally } from '../../model/text/natural-order.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { catalog as builtIn } from '../../schema/kinds/index.ts';
import { NO_VARIABLES } from '../../schema/yaml/interpolate.ts';
import { parseYaml } from '../../schema/yaml/parse.ts';
import type { Host } from '../host.ts';
import { findCatalog, PROJECT_FILE, pathFrom } from './find-project.ts';

/** A shell waits for the answer, so larger files are not read. */
const MOST_BYTES = 1_000_000;
const MOST_ADDRESSES = 5_000;

export type ProjectNames = {
  readonly folder: string | undefined;
  readonly environments: readonly string[];
  /** The files of an environment, or of the only one. */
  filesOf(environment: string | undefined): readonly string[];
  /** The kinds that its files can have. */
  readCatalog(): Promise<Catalog>;
};

/** The names in gwconf.yaml, for a shell that completes them. No variable is filled in, and nothing that is wrong is told. */
export async function readProjectNames(host: Host): Promise<ProjectNames> {
  const folder = host.findUpwards(PROJECT_FILE);
  const none = { folder, environments: [], filesOf: () => [], readCatalog: () => Promise.resolve(builtIn) };
  if (folder === undefined) return none;
  const path = join(folder, PROJECT_FILE);
  if (host.isOfAnother(path)) return none;
  const text = await host.readWithin([host.findUpwards('.git', folder) ?? folder], path, MOST_BYTES);
  const [document] = parseYaml({ path, text, named: true }, NO_VARIABLES);
  // Without a copy of a description, nothing more is to be read.
  const hasCopy = valueOf(document?.value, 'kinds') !== undefined;
  const readCatalog = hasCopy ? () => findCatalog(host) : none.readCatalog;
  const found = valueOf(document?.value, 'environments');
  if (!isObject(found)) return { ...none, readCatalog };
  const environments = Object.keys(found).filter(isPlain);
  return {
    folder,
    environments,
    readCatalog,
    filesOf(environment = environments[0] ?? '') {
      const files = textsIn(valueOf(valueOf(found, environment), 'files'));
      return files.filter(isPlain).map((one) => pathFrom(folder, one));
    },
  };
}

/** The addresses that files declare, without variables. */
export async function listDeclared(
  host: Host,
  paths: readonly string[],
  root: string,
  { kinds }: Catalog,
): Promise<readonly string[]> {
  let bytes = 0;
  const checkSize = (more: number): undefined => {
    bytes += more;
    if (bytes > MOST_BYTES) throw new Error('too much to read while a shell waits');
  };
  const { value: files } = await host.readSources(paths, { root, isConfined: true, checkSize });
  const found = new Set<string>();
  for (const file of files)
    for (const { value } of parseYaml(file, NO_VARIABLES)) {
      const kind = valueOf(value, 'kind');
      const form = typeof kind === 'string' ? kinds.get(kind) : undefined;
      const address = form === undefined ? undefined : addressIn(form, value);
      if (address !== undefined && isPlain(address) && found.size < MOST_ADDRESSES) found.add(address);
    }
  return [...found].sort(compareNaturally);
}

/** Whether a text is a name that stands for itself, and can be shown as it is. */
function isPlain(text: string): boolean {
  return !/[\s$]/.test(text) && text.length < 300 && forTerminal(text) === text;
}
