import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { wouldBeTracked } from '../../src/host/git-ignore.ts';

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'gwconf-ignore-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
});

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

function git(...args: readonly string[]): string {
  return execFileSync('git', ['-c', 'core.excludesFile=', ...args], {
    cwd: folder,
    stdio: 'pipe',
  }).toString();
}

function isIgnoredByGit(path: string): boolean {
  try {
    git('check-ignore', '-q', path);
    return true;
  } catch {
    return false;
  }
}

describe('a file that git would track', () => {
  it('is what git says it is', () => {
    git('init', '-q');
    write('.gitignore', '*.env\n!keep.env\nsecret/\n/top.txt\nDeep/**/x\n# c.txt\n\\#d\nblank \n');
    write('a/.gitignore', '!mine.env\nb/\n!b/c.txt\n');
    const paths = [
      ...[
        'x.env',
        'keep.env',
        'X.ENV',
        'a/x.env',
        'a/mine.env',
        'a/b/c.txt',
        'a/keep.env',
        'top.txt',
        'a/top.txt',
      ],
      ...[
        'secret/keep.env',
        'a/secret/y',
        'secret',
        'deep/x',
        'Deep/q/x',
        'c.txt',
        '#d',
        'blank',
        'new/folder/y.env',
      ],
    ];
    for (const path of paths)
      expect([path, wouldBeTracked(join(folder, path), folder)]).toEqual([path, !isIgnoredByGit(path)]);
  });

  it('is one that it tracks already, whatever .gitignore says', () => {
    git('init', '-q');
    write('it.env', 'x');
    git('add', 'it.env');
    write('.gitignore', '*.env\n');
    expect(wouldBeTracked(join(folder, 'it.env'), folder)).toBe(true);
  });

  it('may be in a folder that is no work tree yet, but not outside of it', () => {
    expect(wouldBeTracked(join(folder, 'it.env'), folder)).toBe(true);
    write('.gitignore', '*.env\n');
    expect(wouldBeTracked(join(folder, 'it.env'), folder)).toBe(false);
    mkdirSync(join(folder, 'inner'));
    expect(wouldBeTracked(join(folder, 'it.txt'), join(folder, 'inner'))).toBe(false);
  });

  it('may be in the work tree of another folder', () => {
    mkdirSync(join(folder, 'here'));
    mkdirSync(join(folder, 'other'));
    execFileSync('git', ['init', '-q'], { cwd: join(folder, 'other') });
    expect(wouldBeTracked(join(folder, 'other/a/it.env'), join(folder, 'here'))).toBe(true);
  });
});
