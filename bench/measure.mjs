import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const gwconfPath = fileURLToPath(new URL('../dist/gwconf.js', import.meta.url));
const env = { ...process.env, GWCONF_USER: 'admin', GWCONF_PASSWORD: 'conduktor', NO_COLOR: '1' };

/** Runs gwconf to its end: milliseconds, megabytes at most, and what it printed last. Throws where it fails. */
export const gwconf = (...args) => run([...WITH_PEAK, gwconfPath, ...args]);

/** The same without looking at its memory, which takes a millisecond or two. */
export const startUp = (...args) => run([gwconfPath, ...args]);

/** Runs a script beside this one. */
export const script = (name, ...args) => run([...WITH_PEAK, here(`${name}.mjs`), ...args]);

/** Runs a Node that has nothing to do. */
export const bare = () => run(['-e', '0']);

const WITH_PEAK = ['--import', new URL('peak.mjs', import.meta.url).href];

async function run(args) {
  const start = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
  const [out, said, peak] = [textOf(child.stdout), textOf(child.stderr), textOf(child.stdio[3])];
  const [code] = await once(child, 'exit');
  const ms = performance.now() - start;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}\n${(await said).slice(-2000)}`);
  return { ms, peakMb: Number(await peak) / 1024, out: await out };
}

async function textOf(stream) {
  let text = '';
  for await (const chunk of stream) text = (text + chunk).slice(-10_000);
  return text;
}

/** The fastest of some runs, one after the other: other work on the machine only ever makes one slower. */
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
