import { existsSync, readdirSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** A folder of files that others wrote, which is not part of the repository. Without it, the tests over it are skipped. */
export type SharedFolder = {
  readonly url: URL;
  /** Their names; none where the folder is absent. */
  readonly files: readonly string[];
  readonly isAbsent: boolean;
  /** Its name for titles of tests, which says that it is absent. */
  readonly title: string;
};

/** Beside the repository, or where `GWCONF_SHARED` says. */
const SHARED =
  process.env['GWCONF_SHARED'] === undefined
    ? new URL('../../../shared/', import.meta.url)
    : pathToFileURL(`${process.env['GWCONF_SHARED']}/`);

export function sharedFolder(name: 'corpus' | 'corpus-v1' | 'kube' | 'upstream'): SharedFolder {
  const url = new URL(`${name}/`, SHARED);
  const isAbsent = !existsSync(url);
  return {
    url,
    files: isAbsent ? [] : readdirSync(url).sort(),
    isAbsent,
    title: isAbsent ? `../shared/${name} (skipped: it is absent)` : `../shared/${name}`,
  };
}
