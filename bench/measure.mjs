import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const gwconfPath = fileURLToPath(new URL('../dist/gwconf.js', import.meta.url));
const env = { ...process.env, GWCONF_USER: 'admin', GWCONF_PASSWORD: 'conduktor', NO_COLOR: '1' };

/**
 * Runs gwconf to its end. Returns CPU time in milliseconds, which other work on the machine hardly affects, peak memory
 * in megabytes, and the last output. Throws if the run fails.
 */
export const gwconf = (...args) => run([...WITH_USAGE, gwconfPath, ...args]);

/** The same in elapsed time, for short runs, which mostly wait. */
export const startUp = (...args) => run([gwconfPath, ...args]);

/** The same in a folder of its own, where it keeps its journal. */
export function inEmptyFolder(root, name, ...args) {
  const cwd = join(root, 'work', name);
  mkdirSync(cwd, { recursive: true });
  return run([gwconfPath, ...args], cwd);
}

/** The same in elapsed time. */
export const scriptByClock = (name, ...args) => run([here(`${name}.mjs`), ...args]);

/** Runs another script of this folder. */
export const script = (name, ...args) => run([...WITH_USAGE, here(`${name}.mjs`), ...args]);

/** Runs Node with an empty script. */
export const bare = () => run(['-e', '0']);

const WITH_USAGE = ['--import', new URL('usage.mjs', import.meta.url).href];

async function run(args, cwd) {
  const start = performance.now();
  const child = spawn(process.execPath, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const [out, said, usage] = [textOf(child.stdout), textOf(child.stderr), textOf(child.stdio[3])];
  const [code] = await once(child, 'exit');
  const elapsedMs = performance.now() - start;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}\n${(await said).slice(-2000)}`);
  const { peakKb = 0, cpuMs = elapsedMs } = JSON.parse((await usage) || '{}');
  return { ms: cpuMs, peakMb: peakKb / 1024, out: await out };
}

async function textOf(stream) {
  let text = '';
  for await (const chunk of stream) text = (text + chunk).slice(-10_000);
  return text;
}

/** The best of several runs, in turn: other work on the machine can only slow a run down. */
export async function fastest(times, ...makes) {
  const best = makes.map(() => undefined);
  for (let round = 0; round < times; round += 1) {
    for (const [at, make] of makes.entries()) {
      const made = await make();
      if (best[at] === undefined || made.ms < best[at].ms) best[at] = made;
    }
  }
  return best;
}

/** The gateway of the bench, in a separate process. */
export async function startServer(folder) {
  const child = spawn(process.execPath, [here('server.mjs'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  const url = String(line).trim();
  return {
    url,
    /** What was asked of a scenario since the last time. */
    seen: async (scenario) => (await fetch(`${url}/seen/${scenario}`)).json(),
    stop: () => child.kill(),
  };
}
