import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { makeWorld, type World } from './cli.ts';
import { keepFolder } from './kept-folder.ts';

/** A world in a git repository. */
export type GitWorld = World & {
  /** Runs git in its folder. */
  git(...args: readonly string[]): string;
  /** Commits all files. */
  commit(message?: string): string;
};

/** Whether this machine has git; tests that need it are skipped otherwise. */
export const hasGit = ((): boolean => {
  try {
    execFileSync('git', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

const IDENTITY = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];

/** One process of ours: to start one takes longer the larger a worker has become. Journals in git are refused. */
const COMMIT = `git add --all --force . ':!.gwconf' && git ${IDENTITY.join(' ')} commit --quiet --allow-empty --message "$1"`;

export function makeGitWorld(files: Readonly<Record<string, string>> = {}): GitWorld {
  const world = makeWorld(files);
  const git = (...args: readonly string[]): string =>
    execFileSync('git', [...IDENTITY, ...args], {
      cwd: world.folder,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trim();
  startRepository(world.folder);
  return {
    ...world,
    git,
    commit(message = 'change') {
      execFileSync('sh', ['-c', COMMIT, 'sh', message], { cwd: world.folder, stdio: 'pipe' });
      return head(world) ?? git('rev-parse', 'HEAD');
    },
  };
}

/** An empty repository, which a program made once. */
let startRepository = (folder: string): void => {
  execFileSync('git', ['init', '--quiet', '--initial-branch=main', '--template=', folder]);
  const fill = keepFolder(join(folder, '.git'));
  startRepository = (other) => {
    mkdirSync(join(other, '.git'));
    fill(join(other, '.git'));
  };
};

/** The commit of the branch that is checked out. */
function head(world: World): string | undefined {
  const [, ref = ''] = /^ref: (.*)$/m.exec(world.read('.git/HEAD')) ?? [];
  return ref !== '' && world.has(`.git/${ref}`) ? world.read(`.git/${ref}`).trim() : undefined;
}

/** A program that leaves a file behind when it is run. */
export function writeTrap(world: World, path: string): string {
  const file = join(world.folder, path);
  world.write(path, `#!/bin/sh\necho ran >> '${world.folder}/trap'\n`);
  chmodSync(file, 0o755);
  return file;
}
