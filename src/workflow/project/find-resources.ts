import { catalog } from '../../schema/kinds/index.ts';
import { load } from '../../schema/load/load.ts';
import { NO_VARIABLES } from '../../schema/yaml/interpolate.ts';
import type { Host, SourceOptions } from '../host.ts';
import { MemoryBudget } from './memory.ts';

/** The files in a folder that have resources, also invalid ones. */
export async function findResources(host: Host, folder: string): Promise<readonly string[]> {
  if (!host.exists(folder)) return [];
  const memory = new MemoryBudget(host);
  const checkSize: SourceOptions['checkSize'] = (bytes, values) =>
    memory.note('file', 'files', bytes, values);
  const { value } = await host.readSources([folder], { checkSize });
  const { declaring } = load(value, catalog, NO_VARIABLES);
  return [...declaring].map(({ path }) => path);
}
