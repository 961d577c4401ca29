import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSystemText } from './files.ts';
import { findUpwards } from './paths.ts';

/** A page of the documentation, which is in the package. */
export function readPage(name: string): string {
  const here = dirname(fileURLToPath(import.meta.url));
  return readSystemText(join(findUpwards('package.json', here) ?? here, 'docs', name));
}
