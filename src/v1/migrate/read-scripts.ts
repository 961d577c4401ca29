import { addAll, groupBy } from '../../model/collect.ts';
import { readCalls, type ReadFiles } from '../read/read-calls.ts';
import type { UnreadCall } from '../read/request.ts';
import { unreadIn, usesOf } from '../read/uses.ts';
import { MOST_BYTES } from '../scan/scan.ts';
import { makeProblem, type Problem, type SourceFile } from '../../model/problem.ts';
import { formatCount } from '../../model/text/list.ts';
import type { Host } from '../../workflow/host.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { unreadable } from '../../workflow/system-error.ts';

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
  const notLookedAt: string[] = [];
  const others: UnreadCall[] = [];
  for (const file of host.walkFiles(paths, MOST_BYTES)) {
    const { path } = file;
    const isNamed = paths.includes(path);
    if ('skipped' in file) {
      if (file.isUnreadable === true || isNamed) problems.push(unreadable(path, file.skipped));
    } else if (isNamed || isWanted(path)) {
      const tooLarge = memory.note('file', 'files', file.text.length, 0);
      if (tooLarge !== undefined) {
        problems.push(makeProblem({ code: 'unreadable-file', ...tooLarge }));
        break;
      }
      files.push(file);
    } else {
      const uses = unreadIn(usesOf(file));
      if (uses.length > 0 && PROSE.test(path)) notLookedAt.push(path);
      else addAll(others, uses);
    }
  }
  const read = readCalls(files, host.filesWithin(paths, MOST_BYTES));
  for (const credential of read.credentials) masker.learn(credential);
  const found = [...problems, ...read.problems].map((one) => weigh(one, paths));
  const calls = [...read.calls, ...others];
  return { ...read, calls, problems: [...found, ...callsToRecord(calls, files), ...notScripts(notLookedAt)] };
}

function notScripts([first, ...more]: readonly string[]): readonly Problem[] {
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : ` and ${formatCount(more.length, 'other file')}`;
  return [
    makeProblem({
      code: 'removed-endpoint',
      message: `no calls were read from ${first}${others}: ${more.length === 0 ? 'it uses' : 'they use'} v1`,
      hint: 'find the uses with gwconf migrate --scan',
    }),
  ];
}

/** A problem for each script whose calls depend on what gwconf does not read. */
function callsToRecord(calls: ReadFiles['calls'], files: readonly SourceFile[]): readonly Problem[] {
  const unread = calls.filter((call) => 'why' in call && call.needsRecording === true);
  return [...groupBy(unread, ({ file }) => file)].map(([path, [first, ...more]]): Problem => {
    const file = files.find((one) => one.path === path);
    const offset = file === undefined ? 0 : startOfLine(file.text, first.line);
    return {
      code: 'unreadable-file',
      severity: 'warning',
      message: `${path} has ${more.length === 0 ? 'a call' : `${more.length + 1} calls`} that gwconf cannot read`,
      ...(file !== undefined && { at: { file, offset }, confidential: true }),
      hint: 'record them: run what makes them against gwconf gateway --gateway-version 3.20.0, and migrate from there with --url',
    };
  });
}

function startOfLine(text: string, line: number): number {
  let offset = 0;
  for (let at = 1; at < line; at += 1) offset = text.indexOf('\n', offset) + 1;
  return offset;
}

/** A folder can hold files that are none of ours, such as templates. A file that is named must be read. */
function weigh(problem: Problem, named: readonly string[]): Problem {
  const { at, hint } = problem;
  if (at === undefined || !('file' in at) || named.includes(at.file.path)) return problem;
  return { ...problem, severity: 'warning', hint: `if it calls a gateway, ${hint ?? 'correct it'}` };
}

/** Files that nobody runs. */
const PROSE = /\.(?:md|mdx|txt|rst|adoc|html?|log|csv|lock|svg)$/i;

/** Files that may hold calls. */
function isWanted(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/(?:^|\/)node_modules\//.test(path)) return false;
  return !name.slice(1).includes('.') || EXTENSIONS.test(name);
}

const EXTENSIONS = /\.(?:sh|bash|zsh|ksh|http|rest|har|json|ya?ml|mk|dockerfile)$/i;
