import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import type { FolderFile } from '../workflow/host.ts';
import { FileError } from '../workflow/system-error.ts';
import { resolveInTree } from './paths.ts';

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
  const first = fs.mkdirSync(there === undefined ? dirname(target) : target, { recursive: true });
  const near = fs.mkdtempSync(join(there === undefined ? dirname(target) : target, '.gwconf-'));
  const made = join(near, 'made');
  try {
    fs.mkdirSync(made); // unlike the one around it, others may read it
    for (const { path, text } of files) {
      fs.mkdirSync(dirname(join(made, path)), { recursive: true });
      fs.writeFileSync(join(made, path), text, { flag: 'wx' });
    }
    if (there === undefined) fs.renameSync(made, target);
    else moveEntries(made, target);
    fs.rmSync(near, { recursive: true });
  } catch (error) {
    for (const left of [near, ...(first === undefined ? [] : [first])])
      fs.rmSync(left, { recursive: true, force: true });
    throw error;
  }
}

function moveEntries(from: string, to: string): void {
  const moved: string[] = [];
  try {
    for (const entry of fs.readdirSync(from)) {
      fs.renameSync(join(from, entry), join(to, entry));
      moved.push(join(to, entry));
    }
  } catch (error) {
    for (const path of moved) fs.rmSync(path, { recursive: true, force: true });
    throw error;
  }
}
