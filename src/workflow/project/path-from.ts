import { isAbsolute, join } from 'node:path';

/** A path that a file in `folder` names: relative ones begin there, absolute ones stay what they are. */
export function pathFrom(folder: string, path: string): string {
  return isAbsolute(path) ? path : join(folder, path);
}
