import { VERSION } from '../../workflow/tool.ts';
import type { Run } from '../given.ts';

export const run: Run<'version'> = ({ io }) => {
  io.out(`gwconf ${VERSION}\n`);
  return undefined;
};
