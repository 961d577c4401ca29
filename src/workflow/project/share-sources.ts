import { getOrAdd } from '../../model/collect.ts';
import type { SourceFile } from '../../model/problem.ts';
import type { Host } from '../host.ts';

type Read = Awaited<ReturnType<Host['readSources']>>;

/**
 * A way to read files for several environments, for as long as they are looked at: paths are read once, and a file that is there in the
 * same words for two of them is one, so that it is parsed and checked once.
 */
export function shareSources({ readSources }: Pick<Host, 'readSources'>): Pick<Host, 'readSources'> {
  const known = new Map<string, SourceFile[]>();
  const before = new Map<string, { readonly read: Read; readonly bytes: number; readonly values: number }>();
  const share = (file: SourceFile): SourceFile => {
    const key = keyOfFile(file);
    const files = getOrAdd(known, key, () => []);
    const same = files.find(({ text }) => text === file.text);
    if (same === undefined) files.push(file);
    return same ?? file;
  };
  return {
    readSources: async (paths, options = {}) => {
      const { root, isConfined, ending, checkSize } = options;
      const key = JSON.stringify([paths, root, isConfined, ending]);
      const same = before.get(key);
      if (same !== undefined && checkSize?.(same.bytes, same.values) === undefined) return same.read;
      let size = { bytes: 0, values: 0 };
      const { value, problems } = await readSources(paths, {
        ...options,
        checkSize: (bytes, values) => {
          size = { bytes, values };
          return checkSize?.(bytes, values);
        },
      });
      const read = { value: value.map(share), problems };
      // What is wrong says where an environment names a path.
      if (problems.length === 0) before.set(key, { read, ...size });
      return read;
    },
  };
}

/** Files of one key differ in their text alone. */
export function keyOfFile({ layer = 0, named = false, path }: SourceFile): string {
  return `${layer} ${String(named)} ${path}`;
}
