import { join, relative, resolve } from 'node:path';
import type { Entry } from '../../editor/paths.ts';
import type { SourceFile } from '../../model/problem.ts';
import type { Host } from '../../workflow/host.ts';
import { keyOfFile, shareSources } from '../../workflow/project/share-sources.ts';
import type { Io } from '../io.ts';
import { isPassedOver } from '../../model/text/file-ending.ts';

/**
 * Files as an editor has them: texts that are open take the place of those on the disk, which is read again only once it has changed.
 * A text that stays the same stays the same file, so that it is parsed and checked once. A file is known by one path, though a project
 * above this folder names those of the folder by way of its parent.
 */
export class Sources {
  readonly #host: Pick<Host, 'readSources' | 'readWithin'>;
  readonly #cwd: string;
  readonly #open = new Map<string, string>();
  /** What was read since the disk changed. */
  #shared: Pick<Host, 'readSources'>;
  readonly #files = new Map<string, SourceFile>();
  /** The files of the last look, by path. */
  #seen = new Map<string, SourceFile>();

  constructor(host: Pick<Host, 'readSources' | 'readWithin'>, cwd: string) {
    this.#host = host;
    this.#cwd = cwd;
    this.#shared = shareSources(host);
  }

  /** The shortest path of a file, from where this process works. */
  pathOf(path: string): string {
    return relative(this.#cwd, resolve(this.#cwd, path)) || '.';
  }

  put(path: string, text: string): void {
    this.#open.set(path, text);
  }

  close(path: string): void {
    this.#open.delete(path);
  }

  get openPaths(): readonly string[] {
    return [...this.#open.keys()];
  }

  isOpen(path: string): boolean {
    return this.#open.has(this.pathOf(path));
  }

  /** The disk has changed. */
  forget(): void {
    this.#shared = shareSources(this.#host);
  }

  /**
   * The files that were read since the last time that this was asked, and those that are open and that nothing names, such as a new
   * policy.
   */
  takeSeen(): ReadonlyMap<string, SourceFile> {
    for (const path of this.#open.keys()) if (!this.#seen.has(path)) this.fileOf(path);
    const seen = this.#seen;
    this.#seen = new Map();
    return seen;
  }

  /** A file that is open, and may be on no disk. */
  fileOf(path: string): SourceFile | undefined {
    const text = this.#open.get(path);
    return text === undefined ? undefined : this.#share({ path, text });
  }

  readonly readSources: Host['readSources'] = async (paths, options) => {
    const { value, problems } = await this.#shared.readSources(paths, options);
    const files = value.map((file) => {
      const text = this.#open.get(this.pathOf(file.path));
      return this.#share(text === undefined ? file : { ...file, text });
    });
    return { value: files, problems };
  };

  readonly readWithin: Host['readWithin'] = async (folders, path, mostBytes) => {
    const text = this.#open.get(this.pathOf(path)) ?? (await this.#host.readWithin(folders, path, mostBytes));
    this.#share({ path, text, named: true });
    return text;
  };

  #share(file: SourceFile): SourceFile {
    const key = keyOfFile(file);
    const before = this.#files.get(key);
    const same = before?.text === file.text ? before : file;
    this.#files.set(key, same);
    this.#seen.set(this.pathOf(file.path), same);
    return same;
  }
}

/** An editor shows no more of a folder. */
const MOST_NAMES = 500;

/** The files and folders that a path of the project can lead to. */
export async function listFolder(
  { namesIn }: Pick<Io, 'namesIn'>,
  folder: string,
): Promise<readonly Entry[]> {
  const names = await namesIn(folder).catch(() => []); // not a folder of the project
  const shown = names.filter((name) => !isPassedOver(name)).slice(0, MOST_NAMES);
  const isFolder = (name: string): Promise<boolean> =>
    namesIn(join(folder, name)).then(
      () => true,
      () => false,
    );
  return Promise.all(shown.map(async (name) => ({ name, isFolder: await isFolder(name) })));
}
