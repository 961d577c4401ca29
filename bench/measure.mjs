import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const gwconfPath = fileURLToPath(new URL('../dist/gwconf.cjs', import.meta.url));
const [user, password] = ['admin', 'conduktor'];
const env = { ...process.env, GWCONF_USER: user, GWCONF_PASSWORD: password, NO_COLOR: '1' };
// With it each process of Node, also a bare one, reads all root certificates at its start, which hides what gwconf takes.
delete env.NODE_EXTRA_CA_CERTS;

let profiles;

/** From now on, each process of gwconf writes a profile of its processor time to this folder; it takes longer with it. */
export function profileInto(folder) {
  profiles = folder;
}

/**
 * Runs gwconf to its end. Returns CPU time in milliseconds, which other work on the machine hardly affects, peak memory
 * in megabytes, and the last output. Throws if the run fails.
 */
export const gwconf = (...args) => run([...WITH_USAGE, ...profiling(), gwconfPath, ...args]);

/** The same in elapsed time, for short runs, which mostly wait. */
export const startUp = (...args) => run([...profiling(), gwconfPath, ...args]);

/** The code that a command loads, beside the file that is started, in kilobytes. */
export async function loadedBy(...args) {
  const { usage } = await run(['--require', here('loaded.cjs'), gwconfPath, ...args]);
  return Number(usage) / 1000;
}

/** In a folder of its own, where it keeps its journal: elapsed time, and CPU time as `cpuMs`. */
export async function inEmptyFolder(root, name, ...args) {
  const cwd = join(root, 'work', name);
  mkdirSync(cwd, { recursive: true });
  const { ms, elapsedMs, peakMb } = await run([...WITH_USAGE, ...profiling(), gwconfPath, ...args], { cwd });
  return { ms: elapsedMs, cpuMs: ms, peakMb };
}

/** Whether the official CLI is on the PATH. */
export const hasCli = (env.PATH ?? '')
  .split(delimiter)
  .some((folder) => isProgram(join(folder, 'conduktor')));

/** Runs the official CLI on the gateway at this URL: elapsed time, and CPU time, which the shell adds up, as `cpuMs`. */
export async function officialCli(url, ...args) {
  const own = { CDK_GATEWAY_BASE_URL: url, CDK_GATEWAY_USER: user, CDK_GATEWAY_PASSWORD: password };
  const script = 'conduktor "$@"; code=$?; times >&3; exit $code';
  const { elapsedMs, usage } = await run(['-c', script, 'sh', ...args], { program: 'sh', own });
  const [, children = ''] = usage.split('\n');
  const cpuMs = [...children.matchAll(/(\d+)m([\d.]+)s/g)].reduce(
    (sum, [, minutes, seconds]) => sum + (Number(minutes) * 60 + Number(seconds)) * 1000,
    0,
  );
  return { ms: elapsedMs, cpuMs };
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The same in elapsed time. */
export const scriptByClock = (name, ...args) => run([here(`${name}.mjs`), ...args]);

/** Runs another script of this folder. */
export const script = (name, ...args) => run([...WITH_USAGE, here(`${name}.mjs`), ...args]);

/** Runs Node with an empty script. */
export const bare = () => run(['-e', '0']);

const WITH_USAGE = ['--import', new URL('usage.mjs', import.meta.url).href];

const profiling = () => (profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]);

async function run(args, { cwd, program = process.execPath, own = {} } = {}) {
  const start = performance.now();
  const child = spawn(program, args, {
    env: { ...env, ...own },
    cwd,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  const [out, said, usage] = [textOf(child.stdout), textOf(child.stderr), textOf(child.stdio[3])];
  const [code] = await once(child, 'exit');
  const elapsedMs = performance.now() - start;
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}\n${(await said).slice(-2000)}`);
  const used = await usage;
  const { peakKb = 0, cpuMs = elapsedMs } = used.startsWith('{') ? JSON.parse(used) : {};
  return { ms: cpuMs, elapsedMs, peakMb: peakKb / 1024, out: await out, usage: used };
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

/** The median of several runs, in turn, by elapsed and by CPU time: what a rival is compared with. */
export async function medians(times, ...makes) {
  const made = makes.map(() => []);
  for (let round = 0; round < times; round += 1)
    for (const [at, make] of makes.entries()) made[at].push(await make());
  const middle = (runs, key) => runs.map((one) => one[key]).sort((a, b) => a - b)[runs.length >> 1];
  return made.map((runs) => ({
    ms: middle(runs, 'ms'),
    cpuMs: middle(runs, 'cpuMs'),
    peakMb: middle(runs, 'peakMb'),
  }));
}

/** The embedded gateway, in a separate process. */
export async function startEmbedded() {
  const args = [gwconfPath, 'gateway', '--port', '0'];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = await once(child.stdout, 'data');
  const [url] = /http:\S+/.exec(line) ?? [];
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return {
    url,
    /** How many resources it has in a collection. */
    count: async (path) =>
      (await (await fetch(`${url}${path}`, { headers: { authorization } })).json()).length,
    stop: () => child.kill(),
  };
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
