import { makeProblem, type Problem } from '../../model/problem.ts';
import { hasEnding } from '../../model/text/file-ending.ts';
import type { Git, Host } from '../host.ts';

/**
 * Why what files declare is not known: git has some of them, and a sparse checkout does not. What is only in these would count as in no
 * file, and as taken out by the branch. Of tests, which have an ending of their own, none would run. Undefined where git does not tell.
 */
export async function findNotCheckedOut(
  host: Host,
  paths: readonly string[],
  ending = '',
): Promise<Problem | undefined> {
  let git: Git;
  try {
    git = await host.openGit('.');
  } catch {
    return undefined; // without git there is no sparse checkout
  }
  try {
    const asked = await git.run(['config', '--type=bool', '--get', 'core.sparseCheckout']);
    if (textOf(asked.stdout).trim() !== 'true') return undefined;
    const listed = await git.run(['ls-files', '-t', '-z', '--', ...paths.filter((path) => path !== '-')]);
    const missing = textOf(listed.stdout)
      .split('\0')
      .flatMap((line) => /^S (.*)$/s.exec(line)?.[1] ?? [])
      .filter((path) => /\.(?:ya?ml|json)$/i.test(path) && hasEnding(path, ending) && !isHidden(path));
    const [first, ...others] = missing;
    if (first === undefined) return undefined;
    const count = others.length === 1 ? 'is 1 more file' : `are ${others.length} more files`;
    const more = others.length === 0 ? '' : `, nor ${count} that git has`;
    return makeProblem({
      code: 'unreadable-file',
      message: `${first} is not checked out${more}: ${ending === '' ? 'what is declared there would count as in no file' : 'its tests would not run'}`,
      hint: 'check out all files of the project, for instance with git sparse-checkout disable; or name what is there with -f',
    });
  } finally {
    git.close();
  }
}

/** Folders in which nobody looks for resources. */
function isHidden(path: string): boolean {
  return path.split('/').some((part) => part === 'node_modules' || /^\.(?!\.?$)/.test(part));
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
