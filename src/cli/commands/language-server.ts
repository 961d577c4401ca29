import type { Run } from '../given.ts';
import { serveLanguage } from '../language-server/serve.ts';

/** Serves an editor until it goes. */
export const run: Run<'language-server'> = async ({ io }) => {
  io.expectMuch();
  await serveLanguage(io);
  return undefined;
};
