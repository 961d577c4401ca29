import { lstatSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { FilesWithin, WalkedFile } from '../workflow/host.ts';
import { reasonOf } from '../workflow/system-error.ts';
import { readText, readWithin } from './files.ts';
import { ignoreRules, type IgnoreRules } from './git-ignore.ts';
import { findTree, realPath, resolveWithin } from './paths.ts';

/**
 * The files that paths name and that are below folders, one after the other in the order of their names, with the reason for each
 * that is skipped. Files that git ignores are skipped, and links are not followed.
 */
export function* walkFiles(paths: readonly string[], mostBytes: number): Generator<WalkedFile> {
  for (const path of paths) {
    const tree = treeOf(path);
    yield* visit(path, { tree, mostBytes, isIgnored: ignoreRules(tree) }, true);
  }
}

type Walk = { readonly tree: string; readonly mostBytes: number; readonly isIgnored: IgnoreRules };

function* visit(path: string, walk: Walk, isNamed = false): Generator<WalkedFile> {
  try {
    const stat = isNamed ? statSync(path) : lstatSync(path);
    if (stat.isSymbolicLink()) yield { path, skipped: 'a link' };
    else if (!isNamed && walk.isIgnored(realPath(path), stat.isDirectory()))
      yield { path, skipped: 'ignored by git' };
    else if (stat.isDirectory()) yield* visitFolder(path, walk);
    else if (stat.size > walk.mostBytes) yield { path, skipped: `larger than ${walk.mostBytes / 1e6} MB` };
    else {
      const text = readText(path, walk.tree, walk.mostBytes);
      yield text.includes('\0') ? { path, skipped: 'binary' } : { path, text };
    }
  } catch (error) {
    yield { path, skipped: reasonOf(error), isUnreadable: true };
  }
}

function* visitFolder(path: string, walk: Walk): Generator<WalkedFile> {
  for (const name of readdirSync(path).sort()) {
    if (name !== '.git') yield* visit(join(path, name), walk);
  }
}

/** Reads files of the git work trees around some paths, or of their folders; what is not there or elsewhere is undefined. */
export function filesWithin(paths: readonly string[], mostBytes: number): FilesWithin {
  const roots = [...new Set(paths.map(treeOf))];
  return {
    read: (path) => orUndefined(() => readWithin(roots, path, mostBytes)),
    list: (folder) => orUndefined(() => readdirSync(resolveWithin(folder, roots))) ?? [],
  };
}

/** The git work tree around a path, or its folder. */
function treeOf(path: string): string {
  const folder = orUndefined(() => statSync(path).isDirectory()) === true ? path : dirname(resolve(path));
  return orUndefined(() => findTree(folder)) ?? findTree();
}

function orUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
