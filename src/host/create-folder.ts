import * as fs from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { FolderFile } from '../workflow/host.ts';
import { FileError } from '../workflow/system-error.ts';
import { inFolder, inNewFolder, resolveInTree, type At } from './paths.ts';

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
