import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFolder } from '../../src/host/folders.ts';
import { inFolder, inNewFolder } from '../../src/host/paths.ts';
import { createFile, writeFile, writePrivately, type Disk } from '../../src/host/write-files.ts';
import { makeWorld } from '../support/cli.ts';

type Place = {
  readonly tree: string;
  /** The folder that is written to. */
  readonly folder: string;
  readonly outside: string;
  /** Puts a link to `outside` in the place of the folder, or of the one above it. */
  readonly swap: () => void;
};

const prepare = (level: 'folder' | 'above'): Place => {
  const tree = fs.realpathSync(
    makeWorld({ 'above/folder/old.txt': '', 'outside/folder/old.txt': '' }).folder,
  );
  const folder = join(tree, 'above/folder');
  const outside = join(tree, 'outside');
  const swap = (): void => {
    const place = level === 'folder' ? folder : dirname(folder);
    if (fs.existsSync(join(tree, 'kept'))) return;
    fs.renameSync(place, join(tree, 'kept'));
    fs.symlinkSync(level === 'folder' ? join(outside, 'folder') : outside, place);
  };
  return { tree, folder, outside, swap };
};

/** A text that is made while its file is written. */
function* during(work: () => void): Generator<string> {
  work();
  yield 'text';
}

const WRITES: readonly (readonly [string, (place: Place) => unknown])[] = [
  ['a report or plan', ({ folder, tree, swap }) => writeFile(join(folder, 'new'), during(swap), tree)],
  [
    'a file that is there',
    ({ folder, tree, swap }) => writeFile(join(folder, 'old.txt'), during(swap), tree),
  ],
  ['a file in a new folder', ({ folder, tree, swap }) => writeFile(join(folder, 'a/b'), during(swap), tree)],
  ['a journal', ({ folder, tree, swap }) => writePrivately(join(folder, 'new'), during(swap), tree)],
  [
    'a lock',
    ({ folder, tree, swap }) => {
      const fails: Disk = {
        ...fs,
        writeFileSync() {
          swap();
          throw new Error('the disk is full');
        },
      };
      expect(() => createFile(join(folder, 'old.txt.lock'), 'text', tree, {}, fails)).toThrow(
        'the disk is full',
      );
    },
  ],
  [
    'the folder of an export',
    ({ folder, tree, swap }) => createFolder(join(folder, 'new'), filesOf(during(swap)), tree),
  ],
];

function* filesOf(texts: Iterable<string>): Generator<{ readonly path: string; readonly text: string }> {
  for (const text of texts) yield { path: 'a/b.yaml', text };
}

describe.runIf(process.platform === 'linux')('threat: neighbour: a link in the place of a folder', () => {
  for (const level of ['folder', 'above'] as const)
    it.each(WRITES)('while gwconf writes does not lead out: %s', async (_, write) => {
      const place = prepare(level);
      const before = fs.readdirSync(place.outside, { recursive: true });
      await write(place);
      expect(fs.readdirSync(place.outside, { recursive: true })).toEqual(before);
      expect(fs.readFileSync(join(place.outside, 'folder/old.txt'), 'utf8')).toBe('');
    });

  it('before gwconf opens the folder is an error', () => {
    for (const level of ['folder', 'above'] as const) {
      const { folder, swap } = prepare(level);
      swap();
      const work = (): never => {
        throw new Error('it was opened');
      };
      for (const path of [folder, join(folder, 'new')]) {
        expect(() => inFolder(path, work)).toThrow(path === folder ? 'took the place' : 'ENOENT');
        expect(() => inNewFolder(path, 0o777, work)).toThrow('took the place');
      }
    }
  });

  it('is not named in errors by the number of an open file', () => {
    const { folder } = prepare('folder');
    const gone = (): string => inFolder(folder, (at) => fs.readFileSync(at('gone'), 'utf8'));
    expect(gone).toThrow(`open '${join(folder, 'gone')}'`);
  });
});
