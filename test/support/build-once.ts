import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = [
  'src',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'scripts/chunks.mjs',
  'scripts/declarations.mjs',
  'scripts/validators.mjs',
  'package.json',
  'package-lock.json',
];
const PROGRAM = ['dist/gwconf.cjs', 'dist/index.js', 'schemas/resources.schema.json'];
const TYPES = ['dist/index.d.ts', 'dist/testing.d.ts'];
const CACHE = join(root, 'node_modules/.cache');
const LOCK = join(CACHE, 'build-once.pid');

/** Products that this process has found to be newer than all sources. */
const known = new Set<string>();

/**
 * Builds what some tests run, unless it is newer than everything it is made from. The first test that needs it calls this; test
 * files in other processes wait. The types of the library, which take as long as all the rest, are made where a test needs them.
 * Throws if the build fails.
 */
export function buildOnce({ types = false } = {}): void {
  const products = types ? [...PROGRAM, ...TYPES] : PROGRAM;
  if (products.every((path) => known.has(path))) return;
  if (areBuilt(products)) return;
  mkdirSync(CACHE, { recursive: true });
  while (!takeLock()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  try {
    if (areBuilt(products)) return; // by the process that had the lock
    const build = ['--max-semi-space-size=128', 'scripts/build.mjs', ...(types ? [] : ['--without-types'])];
    const { status, stderr } = spawnSync(process.execPath, build, { cwd: root, encoding: 'utf8' });
    if (status !== 0)
      throw new Error(`the build failed, so the tests that run its product cannot:\n${stderr}`);
  } finally {
    rmSync(LOCK, { force: true });
  }
}

function areBuilt(products: readonly string[]): boolean {
  const newestSource = Math.max(...SOURCES.flatMap((path) => timesOf(join(root, path))));
  const oldestProduct = Math.min(...products.map((path) => timesOf(join(root, path))[0] ?? 0));
  const isNewer = newestSource < oldestProduct;
  if (isNewer) for (const path of products) known.add(path);
  return isNewer;
}

/** Whether the lock is ours now; that of a process which was ended goes. */
function takeLock(): boolean {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (!isHeld()) rmSync(LOCK, { force: true });
    return false;
  }
}

function isHeld(): boolean {
  try {
    const holder = readFileSync(LOCK, 'utf8');
    if (holder !== '') process.kill(Number(holder), 0); // throws where nobody has this number
    return true;
  } catch {
    return false;
  }
}

/** When a file, or a folder and each thing below it, was last changed; nothing for what is not there. */
function timesOf(path: string): readonly number[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const below = found.isDirectory() ? readdirSync(path).flatMap((name) => timesOf(join(path, name))) : [];
  return [found.mtimeMs, ...below];
}
