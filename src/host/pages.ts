import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSystemText } from './files.ts';
import { findUpwards } from './paths.ts';

/** The folder that gwconf is installed in. */
export function packageFolder(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const folder = findUpwards('package.json', here) ?? here;
  return resolve(folder);
}

/** A page of the documentation, which is in the package. */
export function readPage(name: string): string {
  return readSystemText(join(packageFolder(), 'docs', name));
}
