import { readCalls, type ReadFiles } from '../read/read-calls.ts';
import type { Problem, SourceFile } from '../../model/problem.ts';
import type { Host } from '../../workflow/host.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';

/** A larger file is data. */
const MOST_BYTES = 10_000_000;

/**
 * Reads the calls that files make, and those in folders, without those that git ignores. Scripts can name other files in the
 * work trees around them; nothing else is read, and nothing is run.
 */
export function readScripts(
  host: Host,
  { secrets: { masker }, memory }: Workspace,
  paths: readonly string[],
): ReadFiles {
  const files: SourceFile[] = [];
  const problems: Problem[] = [];
  for (const file of host.walkFiles(paths, MOST_BYTES)) {
    const { path } = file;
    const isNamed = paths.includes(path);
    if ('skipped' in file) {
      if (file.isUnreadable === true || isNamed) problems.push(unreadable(path, file.skipped));
    } else if (isNamed || isWanted(path)) {
      const tooLarge = memory.note('file', 'files', file.text.length, 0);
      if (tooLarge !== undefined) {
        problems.push({ code: 'unreadable-file', severity: 'error', ...tooLarge });
        break;
      }
      files.push(file);
    }
  }
  const read = readCalls(files, host.filesWithin(paths, MOST_BYTES));
  for (const credential of read.credentials) masker.learn(credential);
  return { ...read, problems: [...problems, ...read.problems].map((one) => weigh(one, paths)) };
}

/** A folder can hold files that are none of ours, such as templates. A file that is named must be read. */
function weigh(problem: Problem, named: readonly string[]): Problem {
  const { at, hint } = problem;
  if (at === undefined || !('file' in at) || named.includes(at.file.path)) return problem;
  return { ...problem, severity: 'warning', hint: `if it calls a gateway, ${hint ?? 'correct it'}` };
}

/** Files that may hold calls. */
function isWanted(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/(?:^|\/)node_modules\//.test(path)) return false;
  return !name.slice(1).includes('.') || EXTENSIONS.test(name);
}

const EXTENSIONS = /\.(?:sh|bash|zsh|ksh|http|rest|har|json|ya?ml|mk|dockerfile)$/i;

function unreadable(path: string, why: string): Problem {
  const message = `${path} cannot be read: ${why}`;
  return { code: 'unreadable-file', severity: 'error', message, hint: 'check the path and its permissions' };
}
