import { dirname, join, relative, resolve, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { exists, readSystemText } from './files.ts';
import { isTracked } from './git-index.ts';
import { findRealPath, findTree, findUpwards } from './paths.ts';

/**
 * Whether a new file could be committed by accident: it lies in a git work tree, in the folder of a gwconf.yaml, or in the
 * tree of `here`, which may become one, and no .gitignore names it. Rules outside of the work tree, which other
 * machines do not have, do not count.
 */
export function wouldBeTracked(path: string, here = '.'): boolean {
  const real = findRealPath(resolve(path));
  const near = ['.git', 'gwconf.yaml'].flatMap((name) => findUpwards(name, existing(dirname(real))) ?? []);
  const roots = [...near, findTree(here)].filter((root) => real.startsWith(`${root}${sep}`));
  const root = roots.reduce<string | undefined>(
    (top, one) => (top === undefined || one.length < top.length ? one : top),
    undefined,
  );
  return root !== undefined && (isTracked(real) || !isIgnored(real, root));
}

/** The nearest folder that exists, from this one upwards. */
function existing(folder: string): string {
  return exists(folder) ? folder : existing(dirname(folder));
}

/** A file in an ignored folder is ignored, whatever else names it. */
function isIgnored(path: string, root: string): boolean {
  const parts = relative(root, path).split(sep);
  return parts.some((_, at) => {
    const isFolder = at < parts.length - 1;
    return isNamed(join(root, ...parts.slice(0, at + 1)), isFolder, root);
  });
}

/** The last rule counts; those of a deeper folder come later. */
function isNamed(path: string, isFolder: boolean, root: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const within = `${relative(folder, path).split(sep).join('/')}${isFolder ? '/' : ''}`;
    const { ignored, unignored } = rulesIn(join(folder, '.gitignore')).test(within);
    if (ignored || unignored) return ignored;
    if (folder === root) return false;
  }
}

function rulesIn(file: string): Ignore {
  return ignore({ ignorecase: false }).add(exists(file) ? readSystemText(file) : '');
}
