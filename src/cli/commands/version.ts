import { VERSION } from '../../workflow/tool.ts';
import type { Run } from '../given.ts';

/** Prints the version; what else there is to say is loaded when it is asked for. */
export const run: Run<'version'> = async ({ io, output }) => {
  if (output.stdout === 'json') {
    const { describeSelf } = await import('../present/about.ts');
    io.out(`${JSON.stringify(describeSelf(), null, 2)}\n`);
  } else io.out(`gwconf ${VERSION}\n`);
  return undefined;
};
