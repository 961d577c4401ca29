import { compileGlob, compileGlobs, excludedBy } from '../../model/text/glob.ts';
import { RequestError } from '../system-error.ts';
import { PROJECT_FILE } from './find-project.ts';

/** Whether a text can choose several environments: a list, a glob, or all but some. */
export function isSeveral(wanted: string): boolean {
  return /[,*]|^!/.test(wanted);
}

/**
 * The environments that names and globs choose, with commas between them, in the order of gwconf.yaml: `*` is any text, a leading `!`
 * excludes. Each part must choose something: a name that is misspelt would leave an environment out. Throws a RequestError.
 */
export function selectEnvironments(wanted: string, names: readonly string[]): readonly string[] {
  if (names.includes(wanted)) return [wanted];
  const parts = wanted.split(',').map((part) => part.trim());
  const has = `it has ${names.length === 0 ? 'none' : names.join(', ')}`;
  for (const part of parts) {
    const glob = part.replace(/^!/, '');
    if (glob === '')
      throw new RequestError(
        `expected names of environments and globs with commas between; found '${wanted}'; set the variable that it comes from, or leave out the comma`,
      );
    if (!names.some(compileGlob(glob)))
      throw new RequestError(
        glob.includes('*')
          ? `no environment of ${PROJECT_FILE} matches ${glob}; ${has}`
          : `${PROJECT_FILE} has no environment ${glob}; ${has}`,
      );
  }
  const included = parts.filter((part) => !part.startsWith('!'));
  const isIncluded = compileGlobs(included.length === 0 ? ['*'] : included);
  const isExcluded = compileGlobs(excludedBy(parts));
  const chosen = names.filter((name) => isIncluded(name) && !isExcluded(name));
  if (chosen.length === 0)
    throw new RequestError(`'${wanted}' leaves no environment of ${PROJECT_FILE}; ${has}`);
  return chosen;
}
