import * as fs from 'node:fs';
import { lstatSync, readdirSync, statSync, watch, type FSWatcher } from 'node:fs';
import { dirname, join, resolve, basename } from 'node:path';
import type { FilesWithin, WalkedFile, Watch, FolderFile } from '../workflow/host.ts';
import { reasonOf, FileError } from '../workflow/system-error.ts';
import { readText, readWithin } from './files.ts';
import { ignoreRules, type IgnoreRules } from './git-ignore.ts';
import {
  findTree,
  orUndefined,
  realPath,
  resolveWithin,
  inFolder,
  inNewFolder,
  resolveInTree,
  type At,
} from './paths.ts';

/**
 * The files that paths name and that are below folders, one after the other in the order of their names, with the reason for each
 * that is skipped. Files that git ignores are skipped, and links are not followed.
 */
export function* walkFiles(
  paths: readonly string[],
  mostBytes: number,
  isWanted: Walk['isWanted'] = () => true,
): Generator<WalkedFile> {
  for (const path of paths) {
    const tree = treeOf(path);
    yield* visit(path, { tree, mostBytes, isIgnored: ignoreRules(tree), isWanted }, true);
  }
}

type Walk = {
  readonly tree: string;
  readonly mostBytes: number;
  readonly isIgnored: IgnoreRules;
  readonly isWanted: (name: string, isFolder: boolean) => boolean;
};

function* visit(path: string, walk: Walk, isNamed = false): Generator<WalkedFile> {
  try {
    const stat = isNamed ? statSync(path) : lstatSync(path);
    if (!isNamed && !walk.isWanted(basename(path), stat.isDirectory())) return;
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

/** Watches folders, without what is below their folders; one that is not there, or goes, is left out. */
export function watchFolders(onChange: (path: string) => void): Watch {
  const watchers = new Map<string, FSWatcher>();
  const drop = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  return {
    add: (folders) => {
      for (const folder of folders) {
        if (watchers.has(folder)) continue;
        try {
          const watcher = watch(folder, (_, name) => onChange(join(folder, name ?? '')));
          watchers.set(
            folder,
            watcher.on('error', () => drop(folder)),
          );
        } catch {
          continue;
        }
      }
    },
    close: () => {
      for (const folder of [...watchers.keys()]) drop(folder);
    },
  };
}

/**
 * Makes a folder with these files. A new one is made beside its place and renamed, so that it appears as a whole. An empty one
 * stays, since a shell may work in it, and each entry appears as a whole; if one cannot, none stays.
 */
export function createFolder(folder: string, files: Iterable<FolderFile>, tree: string): void {
  const target = resolveInTree(folder, tree);
  const there = fs.statSync(target, { throwIfNoEntry: false });
  if (there?.isDirectory() === true && fs.readdirSync(target).length > 0)
    throw new FileError('the folder is not empty', 'name a new folder');
  if (there?.isDirectory() === false) throw new FileError('a file is there', 'name a new folder');
  if (there === undefined) createBeside(target, files);
  else
    inFolder(target, (at) => {
      makeNear(at, files, (made) => moveEntries(made, at));
    });
}

function createBeside(target: string, files: Iterable<FolderFile>): void {
  const above = dirname(target);
  const first = findMissing(above);
  try {
    inNewFolder(above, 0o777, (at) => {
      makeNear(at, files, (made) => fs.renameSync(made, at(basename(target))));
    });
  } catch (error) {
    if (first !== undefined) fs.rmSync(first, { recursive: true, force: true });
    throw error;
  }
}

/** The topmost folder on the way to this one that does not exist. */
function findMissing(folder: string): string | undefined {
  if (fs.existsSync(folder)) return undefined;
  return findMissing(dirname(folder)) ?? folder;
}

/** Makes the files in a folder that only the user can change, and hands the folder of the files on. */
function makeNear(at: At, files: Iterable<FolderFile>, move: (made: string) => void): void {
  const near = fs.mkdtempSync(at('.gwconf-'));
  try {
    const made = join(near, 'made');
    fs.mkdirSync(made); // unlike the one around it, others may read it
    for (const { path, text } of files) {
      fs.mkdirSync(dirname(join(made, path)), { recursive: true });
      fs.writeFileSync(join(made, path), text, { flag: 'wx' });
    }
    move(made);
  } finally {
    fs.rmSync(near, { recursive: true, force: true });
  }
}

function moveEntries(from: string, at: At): void {
  const moved: string[] = [];
  try {
    for (const entry of fs.readdirSync(from)) {
      fs.renameSync(join(from, entry), at(entry));
      moved.push(at(entry));
    }
  } catch (error) {
    for (const path of moved) fs.rmSync(path, { recursive: true, force: true });
    throw error;
  }
}
