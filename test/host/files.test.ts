import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openLines, writeAtomically, writePrivately } from '../../src/host/write-files.ts';
import { makeWorld } from '../support/cli.ts';

describe.each([writeAtomically, writePrivately])(
  'a file that is written whole or not at all: %o',
  (write) => {
    it('holds all pieces of its text', () => {
      const world = makeWorld({ 'a.txt': 'old\n' });
      write(join(world.folder, 'a.txt'), ['one ', '', 'zwö\n']);
      expect(world.read('a.txt')).toBe('one zwö\n');
      write(join(world.folder, 'a.txt'), 'three\n');
      expect(world.read('a.txt')).toBe('three\n');
    });

    it('stays what it was, with nothing beside it, when a piece cannot be made', () => {
      const world = makeWorld({ 'a.txt': 'old\n' });
      function* broken(): Generator<string> {
        yield 'new';
        throw new Error('no more');
      }
      expect(() => write(join(world.folder, 'a.txt'), broken())).toThrow('no more');
      expect(world.read('a.txt')).toBe('old\n');
      expect(readdirSync(world.folder)).toEqual(['a.txt']);
    });
  },
);

describe('a file that is written privately', () => {
  it('is nobody else’s to read', () => {
    const { folder } = makeWorld();
    writePrivately(join(folder, 'a.txt'), ['one']);
    expect(statSync(join(folder, 'a.txt')).mode & 0o777).toBe(0o600);
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
    const lines = openLines(join(world.folder, 'a.txt'));
    lines.note('one\n');
    vi.advanceTimersByTime(5);
    expect(world.read('a.txt')).toBe('one\n');
    await lines.close();
  });

  it('has its lines in the order in which they were given', async () => {
    const world = makeWorld({ 'a.txt': '' });
    const lines = openLines(join(world.folder, 'a.txt'));
    lines.note('one\n');
    const safe = lines.add('two\n');
    lines.note('three\n');
    await Promise.all([safe, lines.add('four\n')]);
    lines.note('five\n');
    await lines.close();
    expect(world.read('a.txt')).toBe('one\ntwo\nthree\nfour\nfive\n');
  });

  const full = '/dev/full';
  const unwritable = existsSync(full) ? 'it' : 'it (skipped: no /dev/full here)';
  it.skipIf(!existsSync(full))(
    `tells the next who waits when ${unwritable} could not be written`,
    async () => {
      stopTime();
      const lines = openLines(full);
      lines.note('one\n');
      vi.advanceTimersByTime(5);
      await expect(lines.add('two\n')).rejects.toMatchObject({ code: 'ENOSPC' });
      await expect(lines.add('three\n')).rejects.toMatchObject({ code: 'ENOSPC' });
      await lines.close();
    },
  );
});
