import { posix } from 'node:path';
import { compileGlob } from '../../../model/text/glob.ts';
import { resolvePath } from './files.ts';
import { spend, unknown, type State } from './state.ts';

/** The files that a pattern names, such as `topics/*.json`. Only the last part can be a pattern, with `*` alone. */
export function expandGlob(pattern: string, state: State): readonly string[] {
  const { dir, base } = posix.parse(pattern);
  // A URL with a query, a header: text that no shell finds a file for.
  if (/:\/\/|[ "']/.test(pattern) || !base.includes('*') || /[?[]/.test(base) || dir.includes('*'))
    return [pattern];
  const { list } = state.run.files;
  if (list === undefined) return [unknown(state, `the files of ${pattern}`)];
  const names = list(resolvePath(dir === '' ? '.' : dir, state));
  spend(state, names.length * base.length);
  const matches = compileGlob(base);
  const found = names.filter((name) => matches(name) && !name.startsWith('.')).sort();
  return found.length === 0 ? [pattern] : found.map((name) => (dir === '' ? name : `${dir}/${name}`));
}
