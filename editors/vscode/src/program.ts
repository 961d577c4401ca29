import { existsSync, statSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';

export type Wanted = {
  /** What the settings say; empty if nothing. */
  readonly path: string;
  /** The folder of the project. */
  readonly folder: string;
  /** The folder that the editor opened: nothing above it is run. */
  readonly workspace: string;
  readonly isTrusted: boolean;
  readonly searchPath: string;
  readonly isWindows: boolean;
};

/**
 * The program to start: an absolute path, so that no system searches the current folder for it, as Windows does. From a folder that is
 * not trusted comes nothing that is run.
 */
export function findProgram(wanted: Wanted): string | undefined {
  const { path, folder, isTrusted, searchPath, isWindows } = wanted;
  if (path !== '') {
    const file = resolve(folder, path);
    return (isTrusted || isAbsolute(path)) && isFile(file) ? file : undefined;
  }
  const name = isWindows ? 'gwconf.cmd' : 'gwconf';
  const installed = isTrusted ? foldersUp(wanted).map((one) => join(one, 'node_modules', '.bin', name)) : [];
  const entries = searchPath.split(delimiter).filter((entry) => isAbsolute(entry));
  const names = isWindows ? ['gwconf.exe', name] : [name];
  const known = entries.flatMap((entry) => names.map((one) => join(entry, one)));
  return [...installed, ...known].find(isFile);
}

/** Why there is nothing to start, and what to do. */
export function notFound({ path, folder, isTrusted }: Pick<Wanted, 'path' | 'folder' | 'isTrusted'>): string {
  if (path === '')
    return `gwconf was not found for ${folder}. ${isTrusted ? 'Install it, or set gwconf.path.' : 'Trust this folder, if it has gwconf in node_modules, or set gwconf.path.'}`;
  return isTrusted || isAbsolute(path)
    ? `The setting gwconf.path names ${resolve(folder, path)}, which is not there.`
    : `The setting gwconf.path names ${path}, which is used once you trust ${folder}.`;
}

/** The nearest folder with a project, from one upwards. */
export function findProject(from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'gwconf.yaml'))) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}

/** The folder of the project and those above it, within what was opened. */
function foldersUp({ folder, workspace }: Wanted): readonly string[] {
  const found = [folder];
  for (let up = folder; up !== workspace && dirname(up) !== up;) found.push((up = dirname(up)));
  return found.at(-1) === workspace ? found : [workspace];
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
