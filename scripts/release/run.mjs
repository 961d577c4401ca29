import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { root } from './facts.mjs';

/** What a program prints; its errors are those of this one. */
export function run(program, args, options = {}) {
  return execFileSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...options,
  });
}

/** When the source is from, in seconds: SOURCE_DATE_EPOCH, or the commit. */
export function commitTime() {
  return Number(process.env.SOURCE_DATE_EPOCH ?? run('git', ['log', '-1', '--format=%ct']));
}

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

/** The SHA-256 of each file below a folder, by its path there. */
export async function sumsOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const sums = new Map();
  for (const path of paths.sort())
    sums.set(relative(folder, path).replaceAll('\\', '/'), sha256(await readFile(path)));
  return sums;
}

/** As sha256sum checks it. */
export const sumsText = (sums) => [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join('');
