import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Keeps what is in a folder now, files and folders with their modes, and returns what puts it in another one. */
export function keepFolder(folder: string): (to: string) => void {
  const kept = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort() // a folder comes before what is in it
    .map((path) => {
      const stat = statSync(join(folder, path));
      return { path, mode: stat.mode, bytes: stat.isFile() ? readFileSync(join(folder, path)) : undefined };
    });
  return (to) => {
    for (const { path, mode, bytes } of kept)
      if (bytes === undefined) mkdirSync(join(to, path), { mode });
      else writeFileSync(join(to, path), bytes, { mode });
  };
}
