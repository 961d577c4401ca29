import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openLines } from '../../src/host/append-lines.ts';
import { createFile, writeFile, writePrivately, type Disk } from '../../src/host/write-files.ts';
import { makeWorld } from '../support/cli.ts';

/** The real disk, which notes what is asked of it; files have their names, open ones by the number of the descriptor. */
function recordedDisk(): { readonly disk: Disk; readonly calls: string[] } {
  const calls: string[] = [];
  const nameOf = (file: number): string => (fs.fstatSync(file).isDirectory() ? 'the folder' : 'the file');
  const disk: Disk = {
    writeFileSync: (file: number, text: string) => {
      calls.push(`write ${text}`);
      fs.writeFileSync(file, text);
    },
    writeSync: (file: number, bytes: Uint8Array, from: number) => {
      calls.push(`write ${new TextDecoder().decode(bytes.subarray(from))}`);
      return fs.writeSync(file, bytes, from);
    },
    linkSync: fs.linkSync,
    renameSync: (from: string, to: string) => {
      calls.push('rename');
      fs.renameSync(from, to);
    },
    fsyncSync: (file: number) => {
      calls.push(`flush ${nameOf(file)}`);
      fs.fsyncSync(file);
    },
    fdatasync: (file: number, done: (error: Error | null) => void) => {
      fs.fdatasync(file, (error) => {
        calls.push(`flushed ${nameOf(file)}`);
        done(error);
      });
    },
  };
  return { disk, calls };
}

describe.each([writeFile, writePrivately])('a file that is written whole or not at all: %o', (write) => {
  it('holds all pieces of its text', async () => {
    const world = makeWorld({ 'a.txt': 'old\n' });
    await write(join(world.folder, 'a.txt'), ['one ', '', 'zwö\n'], world.folder);
    expect(world.read('a.txt')).toBe('one zwö\n');
    await write(join(world.folder, 'a.txt'), 'three\n', world.folder);
    expect(world.read('a.txt')).toBe('three\n');
  });

  it('stays what it was, with nothing beside it, when a piece cannot be made', async () => {
    const world = makeWorld({ 'a.txt': 'old\n' });
    function* broken(): Generator<string> {
      yield 'new';
      throw new Error('no more');
    }
    const writes = async (): Promise<void> => write(join(world.folder, 'a.txt'), broken(), world.folder);
    await expect(writes()).rejects.toThrow('no more');
    expect(world.read('a.txt')).toBe('old\n');
    expect(fs.readdirSync(world.folder)).toEqual(['a.txt']);
  });
});

describe('a file that is written privately', () => {
  it('is nobody else’s to read', () => {
    const { folder } = makeWorld();
    writePrivately(join(folder, 'a.txt'), ['one'], folder);
    expect(fs.statSync(join(folder, 'a.txt')).mode & 0o777).toBe(0o600);
  });
});

describe('what must survive a power cut', () => {
  it('is flushed before it gets its name, and its folders after', () => {
    const { folder } = makeWorld();
    const { disk, calls } = recordedDisk();
    writePrivately(join(folder, 'new', 'deep', 'a.txt'), 'one', folder, disk);
    const folders = ['flush the folder', 'flush the folder', 'flush the folder'];
    expect(calls).toEqual(['write one', 'flush the file', 'rename', ...folders]);
  });

  it('is flushed before the one who added it is told', async () => {
    const { folder } = makeWorld();
    const { disk, calls } = recordedDisk();
    const lines = openLines(join(folder, 'a.txt'), folder, disk);
    await lines.add('one');
    calls.push('added');
    await lines.close();
    expect(calls.slice(0, 3)).toEqual(['write one', 'flushed the file', 'added']);
  });

  it('and cannot be flushed is not added', async () => {
    const { folder } = makeWorld();
    const failure = new Error('the disk is gone');
    const fdatasync: Disk['fdatasync'] = (_, done) => done(failure);
    const lines = openLines(join(folder, 'a.txt'), folder, { ...fs, fdatasync });
    await expect(lines.add('one')).rejects.toBe(failure);
    await lines.close();
  });
});

describe('a file that only grows', () => {
  /** Lets time go by as the test says. */
  function stopTime(): void {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
  }

  it('has a line that nobody waits for a moment later, though no other comes', async () => {
    stopTime();
    const world = makeWorld({ 'a.txt': '' });
    const lines = openLines(join(world.folder, 'a.txt'), world.folder);
    lines.note('one\n');
    vi.advanceTimersByTime(5);
    expect(world.read('a.txt')).toBe('one\n');
    await lines.close();
  });

  it('has its lines in the order in which they were given', async () => {
    const world = makeWorld({ 'a.txt': '' });
    const lines = openLines(join(world.folder, 'a.txt'), world.folder);
    lines.note('one\n');
    const safe = lines.add('two\n');
    lines.note('three\n');
    await Promise.all([safe, lines.add('four\n')]);
    lines.note('five\n');
    await lines.close();
    expect(world.read('a.txt')).toBe('one\ntwo\nthree\nfour\nfive\n');
  });

  const full = '/dev/full';
  const unwritable = fs.existsSync(full) ? 'it' : 'it (skipped: no /dev/full here)';
  it.skipIf(!fs.existsSync(full))(
    `tells the next who waits when ${unwritable} could not be written`,
    async () => {
      stopTime();
      const lines = openLines(full, '/tmp');
      lines.note('one\n');
      vi.advanceTimersByTime(5);
      await expect(lines.add('two\n')).rejects.toMatchObject({ code: 'ENOSPC' });
      await expect(lines.add('three\n')).rejects.toMatchObject({ code: 'ENOSPC' });
      await lines.close();
    },
  );
});

describe('a file that only one process may make', () => {
  it('is not left behind empty when the disk is full, such as a lock that no process has', () => {
    const { folder } = makeWorld();
    const path = join(folder, 'a.lock');
    const full = Object.assign(new Error('no space'), { code: 'ENOSPC' });
    const disk: Disk = {
      ...fs,
      writeFileSync: () => {
        throw full;
      },
    };
    expect(() => createFile(path, 'one', folder, {}, disk)).toThrow(full);
    expect(fs.existsSync(path)).toBe(false);
    expect([createFile(path, 'two', folder), createFile(path, 'three', folder)]).toEqual([true, false]);
    expect(fs.readFileSync(path, 'utf8')).toBe('two');
  });

  it.each(['links', 'no links'])('is seen whole or not at all, on a disk with %s', (has) => {
    const { folder } = makeWorld();
    const path = join(folder, 'a.lock');
    let isSeen: boolean | undefined;
    const disk: Disk = {
      ...fs,
      writeFileSync: (file, text) => {
        isSeen ??= fs.existsSync(path);
        fs.writeFileSync(file, text);
      },
      ...(has === 'links'
        ? {}
        : {
            linkSync: () => {
              throw Object.assign(new Error('not supported'), { code: 'ENOTSUP' });
            },
          }),
    };
    expect([createFile(path, 'one', folder, {}, disk), createFile(path, 'two', folder, {}, disk)]).toEqual([
      true,
      false,
    ]);
    expect([isSeen, fs.readFileSync(path, 'utf8')]).toEqual([false, 'one']);
    expect(fs.readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });
});
