import { dirname, join, normalize, relative, sep } from 'node:path';
import { POLICY_FILE_ENDING } from '../../model/policy.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { hasEnding, isPassedOver, isYamlOrJson } from '../../model/text/file-ending.ts';
import type { Git, Host } from '../host.ts';
import { isSystemError } from '../system-error.ts';

/**
 * Why what files declare is not known: git has some of them, and a sparse checkout, or a clone without submodules, does not. What is only
 * in these would count as in no file, and as taken out by the branch; of tests and policies, which have an ending of their own, none would run.
 * Undefined where there is no git. `root` is the top of the work tree.
 */
export async function findNotCheckedOut(
  host: Host,
  root: string,
  paths: readonly string[],
  ending = '',
): Promise<Problem | undefined> {
  const own = paths.filter((path) => path !== '-').map((path) => relative(root, path).replaceAll(sep, '/'));
  let git: Git;
  try {
    git = await host.openGit(root);
  } catch {
    return undefined;
  }
  try {
    const listed = await git.run(['ls-files', '-t', '--stage', '-z']);
    const isKnown = 'code' in listed && listed.code === 0;
    if (!isKnown && (listed.stdout.length > 0 || host.exists(join(root, '.git', 'info', 'sparse-checkout'))))
      return unknown(
        `git does not tell whether all files of the project are checked out: ${'stopped' in listed ? `it ${listed.stopped}` : listed.stderr.trim()}`,
        'run git ls-files there to see why',
      );
    const entries = textOf(listed.stdout).split('\0').flatMap(readEntry);
    const { reached, links } = await followLinks(git, entries, own);
    const isReached = (path: string): boolean => waysTo(path).some((way) => reached.has(way));
    const [first, ...others] = entries.filter(
      (one) => isMissing(one, ending) && isReached(one.path) && !host.exists(join(root, one.path)),
    );
    if (first !== undefined) return notThere(join(root, first.path), others.length, ending);
    for (const [link, target] of links) {
      if ((await hasFiles(host, join(root, target))) && !(await hasFiles(host, join(root, link))))
        return unknown(
          `${join(root, link)} is not checked out as the link to a folder that it is: ${consequence(ending)}`,
          'set core.symlinks of git to true, and check it out again',
        );
    }
    for (const { path, mode, isLeftOut } of entries) {
      if (mode !== SUBMODULE) continue;
      const within = isReached(path)
        ? ['']
        : [...reached].filter((one) => waysTo(one).includes(path)).map((one) => relative(path, one));
      const module = join(root, path);
      if (within.length === 0 || (!isLeftOut && !host.exists(module))) continue;
      if (!(await hasFiles(host, module)))
        return unknown(
          `the submodule ${module} is not fetched: ${consequence(ending)}`,
          'fetch it, with submodules: true for actions/checkout or git submodule update --init; or name what is there with -f',
        );
      const inModule = within.map((path) => join(module, path));
      const nested = await findNotCheckedOut(host, module, inModule, ending);
      if (nested !== undefined) return nested;
    }
    return undefined;
  } finally {
    git.close();
  }
}

/** Whether it is a folder that is not empty. */
async function hasFiles(host: Host, path: string): Promise<boolean> {
  try {
    return (await host.namesIn(path)).length > 0;
  } catch (error) {
    if (isSystemError(error)) return false;
    throw error;
  }
}

/** A file, link or submodule that git has. */
type Entry = {
  readonly path: string;
  readonly mode: string;
  readonly id: string;
  /** Whether git leaves it out of the work tree, as a sparse checkout does. */
  readonly isLeftOut: boolean;
};
const [LINK, SUBMODULE] = ['120000', '160000'];

function readEntry(line: string): readonly Entry[] {
  const [, tag, mode = '', id = '', path = ''] = /^(\S) (\d+) (\w+) \d\t(.*)$/s.exec(line) ?? [];
  return path === '' ? [] : [{ path, mode, id, isLeftOut: tag === 'S' }];
}

function isMissing({ path, mode, isLeftOut }: Entry, ending: string): boolean {
  const isRead = isYamlOrJson(path) && hasEnding(path, ending) && !path.split('/').some(isPassedOver);
  return isLeftOut && mode !== SUBMODULE && isRead;
}

/** The paths, and where links lead that are in them, or on the way. */
async function followLinks(
  git: Git,
  entries: readonly Entry[],
  paths: readonly string[],
): Promise<{ readonly reached: ReadonlySet<string>; readonly links: ReadonlyMap<string, string> }> {
  const links = new Map(
    entries.flatMap(({ path, mode, id }) => (mode === LINK ? [[path, id] as const] : [])),
  );
  const reached = new Set(paths.map((path) => (isAbove(path) ? '' : path)));
  const isFollowed = new Set<string>();
  const targets = new Map<string, string>();
  const follow = async (link: string, rest: string): Promise<void> => {
    const key = join(link, rest);
    if (isFollowed.has(key) || isFollowed.size > MOST_LINKS) return;
    isFollowed.add(key);
    const found = await git.read(links.get(link) ?? '', MOST_LINK_BYTES);
    if (!('bytes' in found)) return;
    const [text = ''] = textOf(found.bytes).split('\0', 1); // what follows, no system has
    const target = plain(join(dirname(link), text));
    targets.set(link, target);
    reached.add(plain(join(target, rest)));
  };
  for (let known = -1; known < isFollowed.size && links.size > 0;) {
    known = isFollowed.size;
    for (const path of [...reached])
      for (const way of waysTo(path)) if (links.has(way)) await follow(way, relative(way, path));
    for (const link of links.keys()) if (waysTo(link).some((way) => reached.has(way))) await follow(link, '');
  }
  return { reached, links: targets };
}

const MOST_LINKS = 10_000;
const MOST_LINK_BYTES = 4096;

/** A path, and the folders that it is in, up to the top. */
function waysTo(path: string): readonly string[] {
  const names = path.split('/');
  return ['', ...names.map((_, at) => names.slice(0, at + 1).join('/'))];
}

function isAbove(path: string): boolean {
  return /^\.\.(?:\/\.\.)*$/.test(path);
}

function plain(path: string): string {
  const short = normalize(path).replace(/\/$/, '');
  return short === '.' ? '' : short;
}

function notThere(first: string, others: number, ending: string): Problem {
  const count = others === 1 ? 'is 1 more file' : `are ${others} more files`;
  const more = others === 0 ? '' : `, nor ${count} that git has`;
  return unknown(
    `${first} is not checked out${more}: ${consequence(ending)}`,
    'check out all files of the project, for instance with git sparse-checkout disable; or name what is there with -f',
  );
}

function unknown(message: string, hint: string): Problem {
  return makeProblem({ code: 'unreadable-file', message, hint });
}

function consequence(ending: string): string {
  if (ending === POLICY_FILE_ENDING) return 'its policies would judge nothing';
  return ending === '' ? 'what is declared there would count as in no file' : 'its tests would not run';
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
