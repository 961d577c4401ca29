import { dirname, join } from 'node:path';
import { runCompiled } from './host/compiled.ts';
import { tuneEngine } from './host/engine.ts';

/** The name of the file that `main.ts` is in; the build fills it in. */
declare const MAIN: string;

tuneEngine();
const dist = import.meta.dirname;
process.once('exit', runCompiled(join(dist, 'chunks'), MAIN, join(dirname(dist), '.cache'), require));
