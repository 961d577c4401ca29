import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isTracked } from '../../src/host/git-ignore.ts';

/** A folder with files. */
function folderOf(...files: readonly string[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gwconf-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), file);
  }
  return folder;
}

function git(folder: string, ...args: readonly string[]): void {
  const settings = ['user.name=a', 'user.email=a@b', 'protocol.file.allow=always', 'commit.gpgsign=false'];
  execFileSync('git', [...settings.flatMap((one) => ['-c', one]), ...args], { cwd: folder, stdio: 'pipe' });
}

const LONG = `${'long-'.repeat(40)}/`.repeat(15); // longer than the length in its flags
const FILES = ['a', `${LONG}b`, 'runs/0001.ndjson', 'runs/0001.plan.json'];

describe('a file', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['of version 2', [], []],
    ['of version 4', [], ['update-index', '--index-version', '4']],
    ['that is split', [], ['update-index', '--split-index']],
    ['of SHA-256', ['--object-format=sha256'], []],
  ])('is tracked if it is in an index %s', (_, creation, change) => {
    const folder = folderOf(...FILES, 'new', 'runs/0002.ndjson');
    git(folder, 'init', '--quiet', ...creation);
    git(folder, 'add', ...FILES);
    if (change.length > 0) git(folder, ...change);
    git(folder, 'add', '--intent-to-add', 'new'); // of version 3, unless it is of version 4
    for (const file of [...FILES, 'new', 'RUNS/0001.NDJSON'])
      expect([file, isTracked(join(folder, file))]).toEqual([file, true]);
    for (const file of ['runs/0002.ndjson', 'runs/none', 'runs', 'runs/0001'])
      expect([file, isTracked(join(folder, file))]).toEqual([file, false]);
  });

  it('is not tracked without git, and before the first file is added', () => {
    const folder = folderOf('a');
    expect(isTracked(join(folder, 'a'))).toBe(false);
    git(folder, 'init', '--quiet');
    expect(isTracked(join(folder, 'a'))).toBe(false);
  });

  it('is tracked behind a link that is tracked, and in a folder that is tracked by its real name', () => {
    const folder = folderOf('evil/0001.ndjson', 'build/0001.ndjson');
    symlinkSync('evil', join(folder, 'runs'));
    symlinkSync('build', join(folder, 'runs2'));
    symlinkSync('build', join(folder, 'own'));
    git(folder, 'init', '--quiet');
    git(folder, 'add', 'evil', 'runs2');
    const found = ['runs', 'runs2', 'own', 'build'].map((name) =>
      isTracked(join(folder, name, '0001.ndjson')),
    );
    expect(found).toEqual([true, true, false, false]);
  });

  it('is tracked in a submodule and in a linked work tree, which have indexes of their own', () => {
    const other = folderOf('journal/0001.ndjson');
    git(other, 'init', '--quiet');
    git(other, 'add', '.');
    git(other, 'commit', '--quiet', '--message', 'a');
    const folder = folderOf('b');
    git(folder, 'init', '--quiet');
    git(folder, 'submodule', '--quiet', 'add', other, '.gwconf');
    git(other, 'worktree', 'add', '--quiet', '--detach', join(folder, 'tree'));
    for (const at of ['.gwconf', 'tree']) {
      expect(isTracked(join(folder, at, 'journal/0001.ndjson'))).toBe(true);
      expect(isTracked(join(folder, at, 'journal/0002.ndjson'))).toBe(false);
    }
  });

  it.each<[string, Buffer]>([
    ['of another version', Buffer.from('DIRC\0\0\0\x05\0\0\0\0', 'latin1')],
    ['of something else', Buffer.from('hello')],
    ['that is cut off', Buffer.from('DIRC\0\0\0\x02\0\0\0\x01', 'latin1')],
    ['with an entry that has no end', Buffer.from(`DIRC\0\0\0\x02\0\0\0\x01${'x'.repeat(100)}`, 'latin1')],
  ])('is an error in an index %s', (_, index) => {
    const folder = folderOf('a');
    git(folder, 'init', '--quiet');
    writeFileSync(join(folder, '.git/index'), index);
    expect(() => isTracked(join(folder, 'a'))).toThrow(
      `the format of ${join(folder, '.git/index')} is unknown`,
    );
  });
});
