import { reasonOf } from './files.ts';
import { UsageError, type Io } from './io.ts';

/** The text of a saved plan. Throws a UsageError when there is no such file, and says what apply and show take. */
export async function readPlanFile(path: string, io: Io): Promise<string> {
  try {
    return await io.readFile(path);
  } catch (error) {
    const cure =
      'a saved plan is made with gwconf plan --out FILE; files and folders of resources are named with -f';
    throw new UsageError(`${path} cannot be read: ${reasonOf(error)}; ${cure}`, { cause: error });
  }
}
