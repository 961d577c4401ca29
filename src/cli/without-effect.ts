import type { Io } from './io.ts';

/** The same world for a program that asks: nothing can be written, and no program runs. `whom` ends the sentence that says so. */
export function withoutEffect(io: Io, whom: string): Io {
  const refuse = (): Promise<never> => Promise.reject(new Refused(`nothing is written ${whom}`));
  return {
    ...io,
    runProgram: () =>
      Promise.resolve({ stdout: new Uint8Array(), stderr: '', stopped: `is not run ${whom}` }),
    ...{ writeFile: refuse, writePrivately: refuse, createFile: refuse, createFolder: refuse },
    ...{ removeFile: refuse, openLines: refuse, appendFile: refuse },
  };
}

class Refused extends Error {
  readonly code = 'EROFS';
}
