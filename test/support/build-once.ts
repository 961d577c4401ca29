import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SOURCES = [
  'src',
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'scripts/chunks.mjs',
  'scripts/validators.mjs',
  'package.json',
  'package-lock.json',
];
const PRODUCTS = ['dist/gwconf.js', 'dist/index.js', 'dist/index.d.ts', 'schemas/resources.schema.json'];

/** Before all tests: builds what some of them run, unless it is newer than everything it is made from. */
export default function buildOnce(): void {
  const newestSource = Math.max(...SOURCES.flatMap((path) => timesOf(join(root, path))));
  const oldestProduct = Math.min(...PRODUCTS.map((path) => timesOf(join(root, path))[0] ?? 0));
  if (newestSource < oldestProduct) return;
  const { status } = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error('the build failed, so the tests that run its product cannot');
}

/** When a file, or a folder and each thing below it, was last changed; nothing for what is not there. */
function timesOf(path: string): readonly number[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  const below = found.isDirectory() ? readdirSync(path).flatMap((name) => timesOf(join(path, name))) : [];
  return [found.mtimeMs, ...below];
}
