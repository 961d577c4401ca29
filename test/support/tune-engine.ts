import * as v8 from 'node:v8';
import { makeEngine } from '../../src/cli/host/engine.ts';

// Most of what tests run is run a few times: as in the program, compiling it thoroughly takes more time than it saves.
makeEngine(() => v8).tune();
