import type { SourceFile } from '../../model/problem.ts';
import type { Host } from '../host.ts';

/**
 * A way to read files for several environments: a file that is there in the same words for two of them is one, so that it is parsed and
 * checked once.
 */
export function shareSources({ readSources }: Host): Pick<Host, 'readSources'> {
  const known = new Map<string, SourceFile[]>();
  const share = (file: SourceFile): SourceFile => {
    const key = `${file.layer ?? 0} ${String(file.named ?? false)} ${file.path}`;
    const files = known.get(key) ?? [];
    known.set(key, files);
    const same = files.find(({ text }) => text === file.text);
    if (same === undefined) files.push(file);
    return same ?? file;
  };
  return {
    readSources: async (paths, options) => {
      const { value, problems } = await readSources(paths, options);
      return { value: value.map(share), problems };
    },
  };
}
