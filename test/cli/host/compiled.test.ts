import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCompiled } from '../../../src/cli/host/compiled.ts';
import { buildOnce } from '../../support/build-once.ts';

/** A folder with files that write down that they ran, and what they saw. */
function place() {
  const root = mkdtempSync(join(tmpdir(), 'gwconf-'));
  const chunks = join(root, 'chunks');
  mkdirSync(chunks);
  const seen = join(root, 'seen');
  const write = (name: string, text: string): void => {
    writeFileSync(join(chunks, name), text);
  };
  write('main-1.cjs', `const { twice } = require('./part-1.cjs'); require('./part-1.cjs'); twice('a');`);
  write(
    'part-1.cjs',
    `exports.twice = (text) => require('node:fs').appendFileSync(${JSON.stringify(seen)}, text + text);`,
  );
  const run = (entry = 'main-1.cjs'): (() => void) =>
    runCompiled(chunks, entry, join(root, '.cache'), createRequire(import.meta.url)).keep;
  return {
    write,
    run,
    kept: () =>
      readdirSync(root).includes('.cache')
        ? readdirSync(join(root, '.cache'), { recursive: true, encoding: 'utf8' }).filter((name) =>
            name.includes('.cjs'),
          )
        : [],
    keptAt: (name: string) => join(root, '.cache', `${process.version}-${process.arch}`, name),
    seen: () => readFileSync(seen, 'utf8'),
  };
}

describe('what V8 compiled', () => {
  it('is kept for each file that ran, once, and used by the next run', () => {
    const { run, kept, keptAt, seen } = place();
    run()();
    expect(
      kept()
        .map((path) => path.slice(path.indexOf('/') + 1))
        .sort(),
    ).toEqual(['main-1.cjs', 'part-1.cjs']);
    const before = readFileSync(keptAt('main-1.cjs'));
    run()();
    expect(readFileSync(keptAt('main-1.cjs'))).toEqual(before);
    expect(seen()).toBe('aaaa');
  });

  it('is kept again with what another command alone uses', () => {
    const { write, run, kept } = place();
    run()();
    write('main-2.cjs', `require('./part-1.cjs').twice('b');`);
    run('main-2.cjs')();
    expect(kept()).toHaveLength(3);
  });

  it('of a file that is cut off, or of another program, is compiled again', () => {
    buildOnce();
    const copy = mkdtempSync(join(tmpdir(), 'gwconf-'));
    cpSync('dist', join(copy, 'dist'), { recursive: true });
    cpSync('package.json', join(copy, 'package.json'));
    const version = (): string =>
      execFileSync(process.execPath, [join(copy, 'dist', 'gwconf.cjs'), 'version'], { encoding: 'utf8' });
    const expected = version();
    const folder = join(copy, '.cache', `${process.version}-${process.arch}`);
    const sizes = new Map(readdirSync(folder).map((name) => [name, statSync(join(folder, name)).size]));
    expect(sizes.size).toBeGreaterThan(1);
    for (const [at, [name, size]] of [...sizes].entries()) {
      if (at % 2 === 0) truncateSync(join(folder, name), size - 100);
      else writeFileSync(join(folder, name), 'no code');
    }
    expect(version()).toBe(expected);
    for (const [name, size] of sizes) expect(statSync(join(folder, name)).size).toBeGreaterThan(size - 100);
  });

  it('is not needed: where it cannot be kept, the command runs', () => {
    const { run, keptAt, seen } = place();
    mkdirSync(keptAt('main-1.cjs'), { recursive: true }); // a folder is in the way
    run()();
    expect(seen()).toBe('aa');
  });
});

describe('a package that is named late-', () => {
  it('runs when it is used, once', () => {
    const { write, run, seen } = place();
    write('late-1.cjs', `exports.twice = require('./part-1.cjs').twice; exports.twice('late');`);
    write(
      'main-4.cjs',
      `const late = require('./late-1.cjs'); require('./part-1.cjs').twice('a'); late.twice('b'); late.twice('c');`,
    );
    run('main-4.cjs');
    expect(seen()).toBe('aalatelatebbcc');
  });
});

describe('a part of Node.js', () => {
  it('that few commands use is there when it is used', () => {
    const { write, run, seen } = place();
    write(
      'main-3.cjs',
      `const os = require('node:os'); require('./part-1.cjs').twice(typeof os.hostname());`,
    );
    run('main-3.cjs');
    expect(seen()).toBe('stringstring');
  });
});
