import type * as V8 from 'node:v8';

type Flags = { readonly tuned: string; readonly usual: string };

/** By the major version of V8. */
const FLAGS: Readonly<Record<string, Flags>> = {
  '11': {
    tuned: '--interrupt-budget=500000 --liftoff-only',
    usual: '--interrupt-budget=67584 --no-liftoff-only --wasm-tier-up --wasm-dynamic-tiering',
  },
  '12': {
    tuned: '--invocation-count-for-turbofan=10000 --liftoff-only',
    usual: '--invocation-count-for-turbofan=3000 --no-liftoff-only --wasm-tier-up --wasm-dynamic-tiering',
  },
};

/** A server of an editor stays for the day: its heap grows by at most half between two collections. */
const SMALL_HEAP: Flags = { tuned: '--heap-growing-percent=50', usual: '--heap-growing-percent=0' };

export type Engine = { readonly tune: () => void; readonly withUsualFlags: <T>(load: () => T) => T };

/** V8, whose part of Node.js takes a tenth of a short command to load, so that it is loaded for much work alone. */
export function makeEngine(loadV8: () => Pick<typeof V8, 'setFlagsFromString'>): Engine {
  let isTuned = false;
  const set = (which: keyof Flags): void => {
    const [major = ''] = process.versions.v8.split('.');
    const all = [FLAGS[major], process.argv.includes('language-server') ? SMALL_HEAP : undefined];
    const flags = all.flatMap((one) => one?.[which] ?? []);
    if (flags.length > 0) loadV8().setFlagsFromString(flags.join(' '));
  };
  return {
    /**
     * Lets V8 use its slow compiler for a function only after more calls. A plan of 10,000 objects takes a fifth less processor time on
     * Node.js 20 and a seventh less on Node.js 22, one of 100,000 the same on 20 and up to a twentieth more on 22. The HTTP client's
     * parser, the only WebAssembly, is not compiled a second time: a tenth of a second, which ten thousand calls do not win back. Later
     * versions gain nothing.
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
