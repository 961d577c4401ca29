import type * as V8 from 'node:v8';

type Flags = { readonly tuned: string; readonly usual: string };

/** Code that is put into its callers takes the slow compiler longer than a run of gwconf wins back. */
const INLINING: Flags = {
  tuned: '--max-inlined-bytecode-size=150 --max-inlined-bytecode-size-cumulative=150',
  usual: '--max-inlined-bytecode-size=460 --max-inlined-bytecode-size-cumulative=920',
};

/** The HTTP client's parser is the only WebAssembly. */
const WEB_ASSEMBLY: Flags = {
  tuned: '--liftoff-only',
  usual: '--no-liftoff-only --wasm-tier-up --wasm-dynamic-tiering',
};

/** By the major version of V8. */
const FLAGS: Readonly<Record<string, readonly Flags[]>> = {
  '11': [INLINING, WEB_ASSEMBLY, { tuned: '--interrupt-budget=500000', usual: '--interrupt-budget=67584' }],
  '12': [
    INLINING,
    WEB_ASSEMBLY,
    { tuned: '--invocation-count-for-turbofan=10000', usual: '--invocation-count-for-turbofan=3000' },
  ],
  '13': [INLINING],
};

/** A server of an editor stays for the day: its heap grows by at most half between two collections. */
const SMALL_HEAP: Flags = { tuned: '--heap-growing-percent=50', usual: '--heap-growing-percent=0' };

export type Engine = { readonly tune: () => void; readonly withUsualFlags: <T>(load: () => T) => T };

/** V8, whose part of Node.js takes a tenth of a short command to load, so that it is loaded for much work alone. */
export function makeEngine(loadV8: () => Pick<typeof V8, 'setFlagsFromString'>): Engine {
  let isTuned = false;
  const set = (which: keyof Flags): void => {
    const [major = ''] = process.versions.v8.split('.');
    const heap = process.argv.includes('language-server') ? [SMALL_HEAP] : [];
    const flags = [...(FLAGS[major] ?? []), ...heap].map((one) => one[which]);
    if (flags.length > 0) loadV8().setFlagsFromString(flags.join(' '));
  };
  return {
    /**
     * Lets V8 use its slow compiler for a function only after more calls, and for less code at once. For more calls alone, a plan of
     * 10,000 objects takes a fifth less processor time on Node.js 20 and a seventh less on Node.js 22, one of 100,000 the same on 20 and
     * up to a twentieth more on 22; later versions gain nothing. Less code at once saves a tenth of a plan of 10,000 on each version. The
     * HTTP client's parser is not compiled a second time: a tenth of a second, which ten thousand calls do not win back.
     */
    tune() {
      if (isTuned) return;
      isTuned = true;
      set('tuned');
    },

    /**
     * Loads code while V8's flags are as usual. V8 does not use what was compiled with other flags, and Node.js has its own parts
     * compiled: they would be compiled again, which takes longer than all else of a start.
     */
    withUsualFlags(load) {
      if (!isTuned) return load();
      set('usual');
      try {
        return load();
      } finally {
        set('tuned');
      }
    },
  };
}
