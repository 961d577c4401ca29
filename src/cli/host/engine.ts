import type * as V8 from 'node:v8';

type Flags = { readonly tuned: string; readonly usual: string };

/**
 * Code that is put into its callers takes the slow compiler longer than a run of gwconf wins back. Only the limit of all of it together
 * can change while other threads compile: what was small enough for `--max-inlined-bytecode-size` and then is not ends the process.
 */
const INLINING: Flags = {
  tuned: '--max-inlined-bytecode-size-cumulative=150',
  usual: '--max-inlined-bytecode-size-cumulative=920',
};

/** The HTTP client's parser is the only WebAssembly. */
const WEB_ASSEMBLY: Flags = {
  tuned: '--liftoff-only',
  usual: '--no-liftoff-only --wasm-tier-up --wasm-dynamic-tiering',
};

/** By the major version of V8: what a long run keeps, and what only its beginning has. */
const FLAGS: Readonly<
  Record<string, { readonly kept: readonly Flags[]; readonly atFirst: readonly Flags[] }>
> = {
  '11': {
    kept: [INLINING, WEB_ASSEMBLY],
    atFirst: [{ tuned: '--interrupt-budget=500000', usual: '--interrupt-budget=67584' }],
  },
  '12': {
    kept: [INLINING, WEB_ASSEMBLY],
    atFirst: [
      { tuned: '--invocation-count-for-turbofan=6000', usual: '--invocation-count-for-turbofan=3000' },
    ],
  },
  '13': { kept: [INLINING], atFirst: [] },
};

/** The processor time from which on a run is long. */
const LONG_MICROSECONDS = 1_200_000;
const LOOK_EVERY_MS = 100;

/** A server of an editor stays for the day: its heap grows by at most half between two collections. */
const SMALL_HEAP: Flags = { tuned: '--heap-growing-percent=50', usual: '--heap-growing-percent=0' };

export type Engine = { readonly tune: () => void; readonly withUsualFlags: <T>(load: () => T) => T };

/** V8, whose part of Node.js takes a tenth of a short command to load, so that it is loaded for much work alone. */
export function makeEngine(loadV8: () => Pick<typeof V8, 'setFlagsFromString'>): Engine {
  let tuned: readonly Flags[] = [];
  const set = (which: keyof Flags, flags: readonly Flags[]): void => {
    if (flags.length > 0) loadV8().setFlagsFromString(flags.map((one) => one[which]).join(' '));
  };
  return {
    /**
     * Lets V8 use its slow compiler for less code at once and, in the first second, only after more calls. More calls alone save a fifth
     * of the processor time of a plan of 10,000 objects on Node.js 20 and a seventh on Node.js 22, and nothing later; a long run, such as
     * an apply of 10,000, wins back what compiling takes. Less code at once saves a tenth of a plan of 10,000 on each version. The HTTP
     * client's parser is not compiled a second time: a tenth of a second, which ten thousand calls do not win back.
     */
    tune() {
      if (tuned.length > 0) return;
      const [major = ''] = process.versions.v8.split('.');
      const { kept: forMajor = [], atFirst = [] } = FLAGS[major] ?? {};
      const kept = process.argv.includes('language-server') ? [...forMajor, SMALL_HEAP] : forMajor;
      tuned = [...kept, ...atFirst];
      set('tuned', tuned);
      if (atFirst.length === 0) return;
      const look = setInterval(() => {
        const { user, system } = process.cpuUsage();
        if (user + system < LONG_MICROSECONDS) return;
        clearInterval(look);
        tuned = kept;
        set('usual', atFirst);
      }, LOOK_EVERY_MS);
      look.unref();
    },

    /**
     * Loads code while V8's flags are as usual. V8 does not use what was compiled with other flags, and Node.js has its own parts
     * compiled: they would be compiled again, which takes longer than all else of a start.
     */
    withUsualFlags(load) {
      const flags = tuned;
      set('usual', flags);
      try {
        return load();
      } finally {
        set('tuned', flags);
      }
    },
  };
}
