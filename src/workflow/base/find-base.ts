import { posix } from 'node:path';
import { makeProblem, type Problem } from '../../model/problem.ts';
import type { PlanBase } from '../../plan/change/plan.ts';
import type { Git } from '../host.ts';
import { PROJECT_FILE } from '../project/find-project.ts';
import { present } from '../../model/collect.ts';

/** Where a repository is, and where in it this folder is: empty, or a path that ends with a slash. */
export type Place = { readonly root: string; readonly prefix: string };

/** The merge base of a branch, with the commits that HEAD and its ref name. */
export type CommonCommit = PlanBase & { readonly place: Place; readonly head: string; readonly tip: string };

const SHALLOW_CURE =
  'fetch all commits: fetch-depth: 0 for actions/checkout, GIT_DEPTH: 0 on GitLab, clone: depth: full on Bitbucket, or git fetch --unshallow';

/** The cure for a clone that does not have the commits that are needed. */
export function shallowCure(what: string): string {
  return `${what}, ${SHALLOW_CURE}`;
}

/** Finds the commit that HEAD and a ref have in common. */
export async function findBase(git: Git, ref: string): Promise<CommonCommit | { readonly problem: Problem }> {
  const place = await findPlace(git);
  if ('problem' in place) return place;
  if (place.isSubmodule && !isId(ref))
    return noBase(
      `this folder is a submodule, and whoever changes .gitmodules decides what ${ref} is`,
      'name a commit by its full id, or run gwconf in a clone of the repository itself',
    );
  const head = await resolveCommit(git, 'HEAD');
  if ('problem' in head) return head;
  const tip = ref === 'HEAD' ? head : await resolveCommit(git, ref);
  if ('problem' in tip) return tip;
  const found = { ref, place, head: head.commit, tip: tip.commit };
  if (head.commit === tip.commit) return { ...found, commit: tip.commit, behind: 0 };
  const merge = await git.run(['merge-base', '--all', head.commit, tip.commit]);
  const [commit = '', another] = textOf(merge.stdout).split('\n');
  // Each of them lacks what the other one has, and their dates would decide which is looked at.
  if (another !== undefined)
    return noBase(
      `HEAD and ${ref} have several newest common commits, because each was merged into the other before`,
      `merge ${ref} into this branch, or rebase it`,
    );
  if (!('code' in merge) || merge.code !== 0 || !isId(commit))
    return noBase(`HEAD and ${ref} have no common commit here`, await cureOf(git, ref));
  if (commit === tip.commit) return { ...found, commit, behind: 0 };
  // In a shallow clone, a commit without its parents hides what else is common: of two ways to the base, the one that is cut off may be the shorter one.
  const cut = ['rev-list', '--count', '--max-parents=0', `${head.commit}...${tip.commit}`];
  if (place.isShallow && textOf((await git.run(cut)).stdout) !== '0')
    return noBase(
      `this clone is shallow, so the newest common commit of HEAD and ${ref} is unknown`,
      SHALLOW_CURE,
    );
  const counted = await git.run(['rev-list', '--count', tip.commit, `^${head.commit}`]);
  return { ...found, commit, behind: Number(textOf(counted.stdout)) || 0 };
}

/** Finds the folder, from here, in which a project was in an older tree that has none here; asks git once, for the first such tree. */
export function movesOf(
  git: Git,
  place: Place,
  head: string,
): (older: string, newer?: string) => Promise<string | undefined> {
  let found: Promise<string | undefined> | undefined;
  return (older, newer = head) => (found ??= findMovedProject(git, place, [older, newer]));
}

/** The folder of the only project that is gone since, or the one of the same name. Undefined if none was moved. */
async function findMovedProject(
  git: Git,
  { prefix }: Place,
  [older, newer]: readonly [older: string, newer: string],
): Promise<string | undefined> {
  const gone = ['diff-tree', '-r', '-z', '--name-only', '--diff-filter=D', older, newer];
  const { stdout } = await git.run([...gone, '--', `:(top,glob)**/${PROJECT_FILE}`]);
  const folders = new TextDecoder()
    .decode(stdout)
    .split('\0')
    .slice(0, -1)
    .map((path) => posix.dirname(path));
  const [only, another] = folders;
  const moved =
    another === undefined
      ? only
      : folders.find((one) => posix.basename(one) === posix.basename(prefix.slice(0, -1)));
  return moved === undefined ? undefined : posix.relative(prefix, moved) || '.';
}

/** Whether some commits are missing in this clone. */
export async function isShallow(git: Git): Promise<boolean> {
  return textOf((await git.run(['rev-parse', '--is-shallow-repository'])).stdout) === 'true';
}

async function cureOf(git: Git, ref: string): Promise<string> {
  return (await isShallow(git))
    ? SHALLOW_CURE
    : `check that ${ref} is the branch that this one is to be merged into`;
}

type FoundCommit = { readonly commit: string } | { readonly problem: Problem };

async function resolveCommit(git: Git, ref: string): Promise<FoundCommit> {
  // What begins with a dash is a ref as well; a name with a null character cannot even be passed on.
  const ended = ref.includes('\0')
    ? { stdout: new Uint8Array(), stderr: '', code: 1 }
    : await git.run(['rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`]);
  if ('stopped' in ended) return noGit(ended.stopped);
  // Whoever may push a tag or a branch could put their own commit in the place of the base, unless that is a whole id.
  if (ref !== 'HEAD' && !isId(ref) && /refname .* is ambiguous/.test(ended.stderr))
    return noBase(
      `${ref} names several branches or tags here`,
      'name one in full, such as refs/remotes/origin/main, or delete the others',
    );
  const commit = textOf(ended.stdout).split('\n').at(-1) ?? '';
  if (ended.code === 0 && isId(commit)) return { commit };
  if (ref === 'HEAD') return noBase('the repository has no commit yet', 'commit, or leave out --base');
  return noBase(`git knows no commit ${ref}`, await howToFetch(git, ref));
}

type FoundPlace =
  | (Place & { readonly isShallow: boolean; readonly isSubmodule: boolean })
  | { readonly problem: Problem };

async function findPlace(git: Git): Promise<FoundPlace> {
  const ended = await git.run([
    'rev-parse',
    ...['--show-toplevel', '--show-prefix', '--is-shallow-repository', '--show-superproject-working-tree'],
  ]);
  if ('stopped' in ended) return noGit(ended.stopped);
  const [root = '', prefix = '', shallow, outer = ''] = new TextDecoder().decode(ended.stdout).split('\n');
  if (ended.code === 0) return { root, prefix, isShallow: shallow === 'true', isSubmodule: outer !== '' };
  return /dubious ownership/.test(ended.stderr)
    ? noBase(
        'git does not trust this repository, which belongs to another user',
        'trust it: git config --global --add safe.directory FOLDER, with the folder of the repository',
      )
    : noBase(
        '--base needs a git repository, and this folder is in none',
        'run it in a clone of the repository',
      );
}

async function howToFetch(git: Git, ref: string): Promise<string> {
  const [, remote, branch] = /^([\w.-]+)\/([\w./-]+)$/.exec(ref) ?? [];
  if (remote === undefined || branch === undefined) {
    const also = (await isShallow(git)) ? `; this clone is shallow: ${SHALLOW_CURE}` : '';
    return `check its name; a branch of a remote is origin/NAME, and has to be fetched${also}`;
  }
  return `fetch it: git fetch ${remote} +refs/heads/${branch}:refs/remotes/${remote}/${branch}; or with all branches: fetch-depth: 0 for actions/checkout`;
}

function noGit(why: string): { readonly problem: Problem } {
  return /no such program/.test(why)
    ? noBase('--base needs git, and there is none on the PATH', 'install git where gwconf runs')
    : noBase(`git ${why}`, 'try again, or leave out --base');
}

/** Why nothing can be compared. */
export function noBase(message: string, hint?: string): { readonly problem: Problem } {
  return { problem: makeProblem({ code: 'no-base', message, ...present({ hint }) }) };
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).trim();
}

function isId(text: string): boolean {
  return /^[0-9a-f]{40,64}$/.test(text);
}
