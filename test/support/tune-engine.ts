import { tuneEngine } from '../../src/cli/host/engine.ts';

// Most of what tests run is run a few times: as in the program, compiling it thoroughly takes more time than it saves.
tuneEngine();
