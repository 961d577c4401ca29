import { posix } from 'node:path';
import { parse } from 'unbash';
import { compileGlob } from '../../../model/text/glob.ts';
import type { SourceFile } from '../../../model/problem.ts';
import { positionAt } from '../../../schema/yaml/text-lines.ts';
import { credentialsInFile } from '../credentials.ts';
import { hasReserved, hasUnknown } from '../unknown.ts';
import {
  deeper,
  LimitError,
  notRead,
  spend,
  unknown,
  write,
  type Script,
  type State,
} from './shell-state.ts';

/** A path as the script sees it, from its current folder. */
export function resolvePath(written: string, { folder, run }: State): string {
  const path = run.tracer.show(written);
  return posix.isAbsolute(path) ? posix.normalize(path) : posix.join(folder, path);
}

/** A file that the script has written, or that is beside it; undefined if there is none. */
export function readBeside(name: string, state: State): SourceFile | undefined {
  const { written, files, home, tracer } = state.run;
  const path = tracer.show(name);
  const at = resolvePath(path, state);
  const own = written.get(at);
  if (own !== undefined) return { path: at, text: own };
  // Most scripts expect to run in their own folder, others in one above it, and go into folders from there.
  const tried = new Set<string>([at]);
  const isElsewhere = posix.isAbsolute(state.folder) && !posix.isAbsolute(home);
  const moved = posix.relative(home, state.folder);
  for (
    let folder = posix.dirname(state.script.path);
    !isElsewhere && !posix.isAbsolute(path);
    folder = posix.dirname(folder)
  ) {
    tried.add(posix.join(folder, moved, path));
    if (folder === '.' || folder === '/' || folder.endsWith('..') || tried.size > 20) break;
  }
  for (const one of tried) {
    spend(state);
    const text = files.read(one);
    if (text !== undefined) {
      spend(state, text.length);
      return {
        path: one,
        text: hasReserved(text)
          ? unknown(state, `${showPath(path)}, which has characters that gwconf reserves`)
          : text,
      };
    }
  }
  return undefined;
}

/** The text of a file, or an unknown text that names it. */
export function textOfFile(path: string, state: State): string {
  if (path === '-' || path === '/dev/stdin') return textOfInput(state);
  if (hasUnknown(path)) {
    const needsRecording = state.run.reasons.find(path)?.needsRecording;
    return unknown(state, 'a file whose name is not known', { needsRecording });
  }
  return (
    readBeside(path, state)?.text ??
    unknown(state, `the content of ${showPath(path)}, which is not among the files`)
  );
}

/** All that is left of the input of a command. */
export function textOfInput(state: State): string {
  const { stdin } = state;
  if (stdin === undefined) return unknown(state, 'the standard input of the script');
  const { text } = stdin;
  stdin.text = '';
  return text;
}

/** A mistake can put any text in place of a path. */
export function showPath(path: string): string {
  return /^[\w./@-]{1,120}$/.test(path) ? path : 'a file';
}

/** The files that a pattern names, such as `topics/*.json`. Only the last part can be a pattern, with `*` alone. */
export function expandGlob(pattern: string, state: State): readonly string[] {
  const { dir, base } = posix.parse(pattern);
  // A URL with a query, a header: text that no shell finds a file for.
  if (/:\/\/|[ "']/.test(pattern)) return [pattern];
  const { list } = state.run.files;
  if (list === undefined) return [unknown(state, `the files of ${pattern}`)];
  const open = dir.search(/[*?[]/);
  const known = open === -1 ? dir : dir.slice(0, dir.lastIndexOf('/', open) + 1);
  const names = list(resolvePath(known === '' ? '.' : known, state));
  // Where there are no files, it stays as it is.
  if (known !== dir || /[?[]/.test(base))
    return [names.length === 0 ? pattern : notRead(state, `the files of ${pattern}`)];
  spend(state, names.length * base.length);
  const matches = compileGlob(base);
  const found = names.filter((name) => matches(name) && !name.startsWith('.')).sort();
  return found.length === 0 ? [pattern] : found.map((name) => (dir === '' ? name : `${dir}/${name}`));
}

/** Files whose text nobody runs. */
const ONLY_SHOWN = /^\/dev\/(?:null|stderr|tty|fd\/2)$|\.(?:log|md|html?)$|STEP_SUMMARY/;

/** Files that are written can be read later. */
export function writeFile(path: string, text: string, appends: boolean, state: State): void {
  if (path === '/dev/stdout') write(state, text);
  else if (ONLY_SHOWN.test(path)) state.run.tracer.take(text);
  if (path.startsWith('/dev/')) return;
  const at = resolvePath(path, state);
  const { written, credentials } = state.run;
  for (const one of credentialsInFile(text)) credentials.add(one);
  written.set(at, appends ? `${written.get(at) ?? ''}${text}` : text);
}

/** A script that is larger is data, or hostile. */
const MOST_TEXT = 1_000_000;

/** Parses a script and runs it in a state. */
export function runScript(script: Script, state: State): void {
  const { text } = script;
  if (text.length > MOST_TEXT) throw new LimitError(`the script is larger than ${MOST_TEXT / 1e6} MB`);
  spend(state, text.length);
  const isFile = state.line === undefined;
  const marked = isFile ? state.run.tracer.markScript(text, script.path, script.lineAt) : text;
  const { commands } = parse(marked);
  state.script = script;
  state.run.sourced.add(script.path);
  deeper(state, () => state.runCommands(commands, state));
}

/** A file as a script. Carriage returns at the ends of lines are those of a checkout on Windows. */
export function scriptOf({ path, text: written }: SourceFile): Script {
  const text = written.replaceAll('\r\n', '\n');
  const file = { path, text }; // one object, of which positions are remembered
  return { ...file, lineAt: (offset) => positionAt(file, offset).line };
}
