import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const gwconfPath = fileURLToPath(new URL('../dist/gwconf.js', import.meta.url));
const env = { ...process.env, GWCONF_USER: 'admin', GWCONF_PASSWORD: 'conduktor', NO_COLOR: '1' };

/**
 * Runs gwconf to its end: milliseconds of processor time, which other work on the machine does not make longer, megabytes
 * at most, and what it printed last. Throws where it fails.
 */
export const gwconf = (...args) => run([...WITH_USAGE, gwconfPath, ...args]);

/** The same, by the clock on the wall: what is short is mostly waiting, and to look at it would take longer. */
export const startUp = (...args) => run([gwconfPath, ...args]);

/** Runs a script beside this one. */
export const script = (name, ...args) => run([...WITH_USAGE, here(`${name}.mjs`), ...args]);

/** Runs a Node that has nothing to do. */
export const bare = () => run(['-e', '0']);

const WITH_USAGE = ['--import', new URL('usage.mjs', import.meta.url).href];

async function run(args) {
  const start = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
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

/** The best of some runs, one after the other: other work on the machine only ever makes one worse. */
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

/** The bench's gateway, in a process of its own. */
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
