import { groupBy } from '../../model/collect.ts';
import { readCalls, type ReadFiles } from '../read/read-calls.ts';
import type { UnreadCall } from '../read/request.ts';
import { findUses, MOST_BYTES } from '../scan/scan.ts';
import { makeProblem, type Problem, type SourceFile } from '../../model/problem.ts';
import { positionAt } from '../../schema/yaml/text-lines.ts';
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
    } else if (usesIn(file).length > 0) notLookedAt.push(path);
  }
  const read = readCalls(files, host.filesWithin(paths, MOST_BYTES));
  for (const credential of read.credentials) masker.learn(credential);
  const found = [...problems, ...read.problems].map((one) => weigh(one, paths));
  const calls = [...read.calls, ...callsOfOthers(read.calls, files)];
  return { ...read, calls, problems: [...found, ...callsToRecord(calls, files), ...notScripts(notLookedAt)] };
}

/**
 * What uses v1 in files, and no call was read from: another program calls it, such as a module of Ansible, or a script that is
 * sent elsewhere.
 */
function callsOfOthers(calls: ReadFiles['calls'], files: readonly SourceFile[]): readonly UnreadCall[] {
  const byFile = groupBy(calls, ({ file }) => file);
  const names = new Set(files.map(({ path }) => path));
  // Of scripts that others have written.
  const written = pathsIn(calls.filter(({ file }) => !names.has(file)));
  return files.flatMap((file) => {
    const read = byFile.get(file.path);
    // Of these, all is read.
    if (read !== undefined && /\.(?:har|http|rest)$/i.test(file.path)) return [];
    const known = pathsIn(read ?? []);
    return usesIn(file)
      .filter(({ text }) => [known, written].every((paths) => !paths.has(certainPart(text))))
      .map(({ offset, text }) => ({
        file: file.path,
        line: positionAt(file, offset).line,
        ...{ path: text, why: NONE_READ, needsRecording: true },
      }));
  });
}

/** The paths of calls, with all that they are below; those of v1 have up to eight segments. */
function pathsIn(calls: ReadFiles['calls']): ReadonlySet<string> {
  const paths = calls.map(({ path = '' }) => path.split('/', 12));
  return new Set(paths.flatMap((segments) => segments.map((_, at) => segments.slice(0, at + 1).join('/'))));
}

/** The path as far as no variable is in it. */
function certainPart(text: string): string {
  const [plain = ''] = /^[\w./~@=+,%-]*/.exec(text) ?? [];
  return (plain === text ? plain : plain.slice(0, plain.lastIndexOf('/') + 1)).replace(/\/$/, '');
}

/** Uses of v1 as a URL or the value of a key, and not in a sentence or a comment; a /health is no call to be converted. */
function usesIn(file: SourceFile): ReturnType<typeof findUses> {
  return findUses(file).filter(({ area, offset }) => {
    // As a program writes it to a socket: DELETE /admin/… HTTP/1.1
    const isRequest = /^\S+ HTTP\/\d/.test(file.text.slice(offset, offset + LONGEST_PATH));
    const before = file.text.slice(file.text.lastIndexOf('\n', offset) + 1, offset);
    return (
      area !== 'health' && !/(?:^|\s)(?:#|\/\/)/.test(before) && (isRequest || /(?:\S|:\s+)$/.test(before))
    );
  });
}

const LONGEST_PATH = 1000;

function notScripts([first, ...more]: readonly string[]): readonly Problem[] {
  if (first === undefined) return [];
  const others = more.length === 0 ? '' : ` and ${more.length} other ${more.length === 1 ? 'file' : 'files'}`;
  return [
    makeProblem({
      code: 'removed-endpoint',
      message: `no calls were read from ${first}${others}: ${more.length === 0 ? 'it uses' : 'they use'} v1`,
      hint: 'find the uses with gwconf migrate --scan',
    }),
  ];
}

const NONE_READ = 'it uses v1, and no call was read there';

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

/** Files that may hold calls. */
function isWanted(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (/(?:^|\/)node_modules\//.test(path)) return false;
  return !name.slice(1).includes('.') || EXTENSIONS.test(name);
}

const EXTENSIONS = /\.(?:sh|bash|zsh|ksh|http|rest|har|json|ya?ml|mk|dockerfile)$/i;
