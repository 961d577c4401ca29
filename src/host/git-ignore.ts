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

/** Whether git ignores what is at a real path in a work tree whose folders above it are not ignored. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean;

/** The rules of the .gitignore files in a tree, each read once. */
export function ignoreRules(root: string): IgnoreRules {
  const known = new Map<string, Ignore>();
  const rulesOf = (folder: string): Ignore => {
    let rules = known.get(folder);
    if (rules === undefined) known.set(folder, (rules = rulesIn(join(folder, '.gitignore'))));
    return rules;
  };
  return (path, isFolder) => path.startsWith(`${root}${sep}`) && isNamed(path, isFolder, root, rulesOf);
}

/** A file in an ignored folder is ignored, whatever else names it. */
function isIgnored(path: string, root: string): boolean {
  const parts = relative(root, path).split(sep);
  return parts.some((_, at) => {
    const isFolder = at < parts.length - 1;
    return isNamed(join(root, ...parts.slice(0, at + 1)), isFolder, root, (folder) =>
      rulesIn(join(folder, '.gitignore')),
    );
  });
}

/** The last rule counts; those of a deeper folder come later. */
function isNamed(
  path: string,
  isFolder: boolean,
  root: string,
  rulesOf: (folder: string) => Ignore,
): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const within = `${relative(folder, path).split(sep).join('/')}${isFolder ? '/' : ''}`;
    const { ignored, unignored } = rulesOf(folder).test(within);
    if (ignored || unignored) return ignored;
    if (folder === root) return false;
  }
}

function rulesIn(file: string): Ignore {
  return ignore({ ignorecase: false }).add(exists(file) ? readSystemText(file) : '');
}
