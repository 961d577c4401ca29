import { dirname, join } from 'node:path';
import { runCompiled } from './host/compiled.ts';
import type * as Main from './main.ts';

/** The name of the file that `main.ts` is in; the build fills it in. */
declare const MAIN: string;

const dist = import.meta.dirname;
const { exports, engine, keep } = runCompiled(
  join(dist, 'chunks'),
  MAIN,
  join(dirname(dist), '.cache'),
  require,
);
process.once('exit', keep);
// gwconf is CommonJS, which cannot await outside of a function.
void (exports as typeof Main).main(engine.tune);
