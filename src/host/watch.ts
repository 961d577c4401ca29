import { watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import type { Watch } from '../workflow/host.ts';

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
