import { posix } from 'node:path';
import { hasReserved, hasUnknown } from '../unknown.ts';
import { spend, unknown, type State } from './state.ts';

/** A path as the script sees it, from its current folder. */
export function resolvePath(path: string, { folder }: State): string {
  return posix.isAbsolute(path) ? posix.normalize(path) : posix.join(folder, path);
}

type Found = { readonly path: string; readonly text: string };

/** A file that the script has written, or that is beside it; undefined if there is none. */
export function readBeside(path: string, state: State): Found | undefined {
  const { written, files } = state.run;
  const at = resolvePath(path, state);
  const own = written.get(at);
  if (own !== undefined) return { path: at, text: own };
  // Most scripts expect to run in their own folder, others in one above it.
  const tried = new Set<string>([at]);
  for (
    let folder = posix.dirname(state.script.path);
    !posix.isAbsolute(path);
    folder = posix.dirname(folder)
  ) {
    tried.add(posix.join(folder, path));
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
  if (hasUnknown(path)) return unknown(state, 'a file whose name is not known');
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
  if (text !== '') state.run.changes += 1;
  return text;
}

/** A mistake can put any text in place of a path. */
export function showPath(path: string): string {
  return /^[\w./@-]{1,120}$/.test(path) ? path : 'a file';
}
