import { normalize } from 'node:path';
import type { SourceFile } from '../../model/problem.ts';
import type { Host } from '../../workflow/host.ts';

type Read = Awaited<ReturnType<Host['readSources']>> & { readonly bytes: number; readonly values: number };

/**
 * Files as an editor has them: texts that are open take the place of those on the disk, which is read again only once it has changed.
 * A text that stays the same stays the same file, so that it is parsed and checked once.
 */
export class Sources {
  readonly #host: Pick<Host, 'readSources' | 'readWithin'>;
  readonly #open = new Map<string, string>();
  readonly #reads = new Map<string, Read>();
  readonly #files = new Map<string, SourceFile>();
  /** The files of the last look, by path. */
  #seen = new Map<string, SourceFile>();

  constructor(host: Pick<Host, 'readSources' | 'readWithin'>) {
    this.#host = host;
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
    return this.#open.has(normalize(path));
  }

  /** The disk has changed. */
  forget(): void {
    this.#reads.clear();
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

  readonly readSources: Host['readSources'] = async (paths, options = {}) => {
    const { root, isConfined, ending, checkSize } = options;
    const key = JSON.stringify([paths, root, isConfined, ending]);
    let read = this.#reads.get(key);
    if (read === undefined) {
      let size = { bytes: 0, values: 0 };
      const found = await this.#host.readSources(paths, {
        ...options,
        checkSize: (bytes, values) => {
          size = { bytes, values };
          return checkSize?.(bytes, values);
        },
      });
      read = { ...found, ...size };
      this.#reads.set(key, read);
    }
    checkSize?.(read.bytes, read.values);
    const value = read.value.map((file) => {
      const text = this.#open.get(normalize(file.path));
      return this.#share(text === undefined ? file : { ...file, text });
    });
    return { value, problems: read.problems };
  };

  readonly readWithin: Host['readWithin'] = async (folders, path, mostBytes) => {
    const text = this.#open.get(normalize(path)) ?? (await this.#host.readWithin(folders, path, mostBytes));
    this.#share({ path, text, named: true });
    return text;
  };

  #share(file: SourceFile): SourceFile {
    const key = `${file.layer ?? 0} ${String(file.named ?? false)} ${file.path}`;
    const before = this.#files.get(key);
    const same = before?.text === file.text ? before : file;
    this.#files.set(key, same);
    this.#seen.set(normalize(file.path), same);
    return same;
  }
}
