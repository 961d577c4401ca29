import { isAbsolute, join, relative } from 'node:path';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { hasEnding } from '../../model/text/file-ending.ts';
import type { Git, Host } from '../host.ts';

/**
 * Why what files declare is not known: git has some of them, and a sparse checkout, or a clone without submodules, does not. What is only
 * in these would count as in no file, and as taken out by the branch; of tests, which have an ending of their own, none would run.
 * Undefined where git does not tell. `root` is the top of the work tree.
 */
export async function findNotCheckedOut(
  host: Host,
  root: string,
  paths: readonly string[],
  ending = '',
): Promise<Problem | undefined> {
  const own = paths.filter((path) => path !== '-');
  const [first, ...others] = await listMissing(host, '.', own, ending);
  if (first !== undefined) return notThere(first, others.length, ending);
  return findInSubmodules(host, root, own, ending);
}

async function findInSubmodules(
  host: Host,
  root: string,
  paths: readonly string[],
  ending: string,
): Promise<Problem | undefined> {
  for (const module of await listSubmodules(host, root)) {
    const within = paths.flatMap((path) =>
      isWithin(path, module) ? [relative(module, path)] : isWithin(module, path) ? ['.'] : [],
    );
    if (within.length === 0 || !host.exists(module)) continue;
    if ((await host.namesIn(module)).length === 0)
      return makeProblem({
        code: 'unreadable-file',
        message: `the submodule ${module} is not fetched: ${consequence(ending)}`,
        hint: 'fetch it, with submodules: true for actions/checkout or git submodule update --init; or name what is there with -f',
      });
    const [first, ...others] = await listMissing(host, module, within, ending);
    if (first !== undefined) return notThere(join(module, first), others.length, ending);
    const nested = await findInSubmodules(host, module, paths, ending);
    if (nested !== undefined) return nested;
  }
  return undefined;
}

/** The folders of submodules, as the repository says. */
async function listSubmodules(host: Host, root: string): Promise<readonly string[]> {
  const file = join(root, '.gitmodules');
  if (!host.exists(file)) return [];
  const text = await host.readWithin([root], file, MOST_BYTES).catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [key = '', path] = line.split('=', 2).map((part) => part.trim());
    return key === 'path' && path !== undefined ? [join(root, path.replaceAll('"', ''))] : [];
  });
}

const MOST_BYTES = 1_000_000;

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

/** The files that git has in a work tree, and a sparse checkout does not. */
async function listMissing(
  host: Host,
  folder: string,
  paths: readonly string[],
  ending: string,
): Promise<readonly string[]> {
  let git: Git;
  try {
    git = await host.openGit(folder);
  } catch {
    return []; // without git there is no sparse checkout
  }
  try {
    const asked = await git.run(['config', '--type=bool', '--get', 'core.sparseCheckout']);
    if (textOf(asked.stdout).trim() !== 'true') return [];
    const listed = await git.run(['ls-files', '-t', '-z', '--', ...paths]);
    return textOf(listed.stdout)
      .split('\0')
      .flatMap((line) => /^S (.*)$/s.exec(line)?.[1] ?? [])
      .filter((path) => /\.(?:ya?ml|json)$/i.test(path) && hasEnding(path, ending) && !isHidden(path));
  } finally {
    git.close();
  }
}

function notThere(first: string, others: number, ending: string): Problem {
  const count = others === 1 ? 'is 1 more file' : `are ${others} more files`;
  const more = others === 0 ? '' : `, nor ${count} that git has`;
  return makeProblem({
    code: 'unreadable-file',
    message: `${first} is not checked out${more}: ${consequence(ending)}`,
    hint: 'check out all files of the project, for instance with git sparse-checkout disable; or name what is there with -f',
  });
}

function consequence(ending: string): string {
  return ending === '' ? 'what is declared there would count as in no file' : 'its tests would not run';
}

/** Folders in which nobody looks for resources. */
function isHidden(path: string): boolean {
  return path.split('/').some((part) => part === 'node_modules' || /^\.(?!\.?$)/.test(part));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
