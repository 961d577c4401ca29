import { expect, it } from 'vitest';
import { isOfSystem } from '../../src/host/paths.ts';

it.each(['/dev/stdout', '/dev/fd/3', '/dev/null', '/proc/self/fd/1', '/dev/../dev/stderr'])(
  'a device or an open file is no file of a project: %s',
  (path) => {
    expect(isOfSystem(path)).toBe(true);
  },
);

// Some machines keep work trees in memory: links in them lead out as anywhere else.
it.each([
  '/dev/shm/repository/gwconf.yaml',
  '/dev/shm',
  '/dev/shm/../shm/a',
  '/srv/dev/stdout',
  'dev/stdout',
])('a file in memory or of a like name is an ordinary file: %s', (path) => {
  expect(isOfSystem(path)).toBe(false);
});
