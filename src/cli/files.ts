import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import type { Checked, Problem, SourceFile } from '../index.ts';

const EXTENSIONS = new Set(['.yaml', '.yml', '.json']);
const STDIN = 0;
const PASSED_OVER = new Set(['node_modules', 'gwconf.yaml']);

/**
 * The files that paths name: a file as it is, a folder with all YAML and JSON below it (names that begin with a dot,
 * node_modules and gwconf.yaml are passed over), `-` for stdin. Each file once, whatever names it has.
 */
export function readSources(paths: readonly string[]): Checked<readonly SourceFile[]> {
  const value: SourceFile[] = [];
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const read = (path: string, named: boolean): void => {
    try {
      const real = path === '-' ? path : realpathSync(path);
      if (seen.has(real)) return;
      seen.add(real);
      const bytes = readFileSync(path === '-' ? STDIN : path);
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      value.push({ path: path === '-' ? 'stdin' : path, text, ...(named ? { named } : {}) });
    } catch (error) {
      problems.push(unreadable(path, error));
    }
  };
  const walk = (folder: string): void => {
    try {
      const real = realpathSync(folder);
      if (seen.has(real)) return; // a link back up would never end
      seen.add(real);
      for (const name of readdirSync(folder).sort()) {
        if (name.startsWith('.') || PASSED_OVER.has(name)) continue;
        const path = join(folder, name);
        if (isFolder(path)) walk(path);
        else if (EXTENSIONS.has(extname(name).toLowerCase())) read(path, false);
      }
    } catch (error) {
      problems.push(unreadable(folder, error));
    }
  };
  for (const path of paths) {
    if (path !== '-' && isFolder(path)) walk(path);
    else read(path, true);
  }
  return { value, problems };
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8');
}

/** Writes beside the file and renames, so that a reader finds the old text or the new one and nothing between. */
export function writeAtomically(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  const beside = join(dirname(path), `.${basename(path)}.${process.pid}.tmp`);
  try {
    writeFileSync(beside, text);
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

export function append(path: string, text: string): void {
  appendFileSync(path, text);
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function unreadable(path: string, error: unknown): Problem {
  return {
    code: 'unreadable-file',
    severity: 'error',
    message: `${path} cannot be read: ${reasonOf(error)}`,
    hint: 'check the path, and that it may be read',
  };
}

/** Why the system refused, in words. */
export function reasonOf(error: unknown): string {
  if (error instanceof TypeError) return 'it is not UTF-8 text';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file or folder',
    EACCES: 'the permission is missing',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of the path is no folder',
    ELOOP: 'its links go round in a circle',
    ENOSPC: 'the disk is full',
    EROFS: 'the file system is read-only',
  };
  return words[code] ?? (error instanceof Error ? error.message : String(error));
}
