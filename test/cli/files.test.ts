import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeAtomically, writePrivately } from '../../src/cli/write-files.ts';
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
