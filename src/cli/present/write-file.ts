import type { Problem } from '../../model/problem.ts';
import { isSystemError, reasonOf } from '../../workflow/system-error.ts';
import type { Text } from '../../workflow/host.ts';
import type { Io } from '../io.ts';

/** Writes the file that a command is to make, which is as it was when there is a problem. */
export async function writeFile(path: string, text: Text, io: Io): Promise<readonly Problem[]> {
  try {
    await io.writeFile(path, text);
    return [];
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const message = `${path} cannot be written: ${reasonOf(error)}`;
    const hint = 'check the path, its permissions, and the space on the disk';
    return [{ code: 'unwritable-file', severity: 'error', message, hint }];
  }
}
