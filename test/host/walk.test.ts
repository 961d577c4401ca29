import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { walkFiles } from '../../src/host/folders.ts';
import { makeWorld } from '../support/cli.ts';

it('walks over files in order, without those that git ignores, and names what it skips', () => {
  const world = makeWorld({
    'a/.gitignore': '/x\n*.tmp\n!keep.tmp\n',
    'a/x/file': '1',
    'a/b/x': '2',
    'a/b/1.tmp': '3',
    'a/b/keep.tmp': '4',
    'a/large': 'x'.repeat(101),
    'a/bin': 'a\0b',
    'outside/file': '5',
  });
  mkdirSync(join(world.folder, 'a/.git'));
  symlinkSync('../outside', join(world.folder, 'a/link'));
  const at = (path: string): string => path.replace(`${world.folder}/`, '');
  const walked = [...walkFiles([join(world.folder, 'a'), join(world.folder, 'gone')], 100)];
  expect(walked.map((file) => `${at(file.path)}: ${'skipped' in file ? file.skipped : 'read'}`)).toEqual([
    'a/.gitignore: read',
    'a/b/1.tmp: ignored by git',
    'a/b/keep.tmp: read',
    'a/b/x: read',
    'a/bin: binary',
    'a/large: larger than 0.0001 MB',
    'a/link: a link',
    'a/x: ignored by git',
    'gone: no such file or folder',
  ]);
});
