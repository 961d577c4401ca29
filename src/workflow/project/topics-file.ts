import { hasErrors, type Checked, type Problem, type SourceFile } from '../../model/problem.ts';
import type { Host } from '../host.ts';

/** Reads the topics that a user names: a file with a topic on each line, or `-` for stdin. */
export async function readTopicsFile(host: Host, path: string): Promise<Checked<readonly string[]>> {
  const { value: sources, problems } = await host.readSources([path]);
  if (hasErrors(problems)) return { value: [], problems };
  const read = sources.map(readTopics);
  return {
    value: sortNames(read.flatMap(({ value }) => value)),
    problems: [...problems, ...read.flatMap((one) => one.problems)],
  };
}

/** Empty lines, and those that begin with #, are left out. */
function readTopics({ path, text }: Pick<SourceFile, 'path' | 'text'>): Checked<readonly string[]> {
  const lines = text.split(/\r?\n/).map((line, at) => ({ name: line.trim(), at: at + 1 }));
  const named = lines.filter(({ name }) => name !== '' && !name.startsWith('#'));
  const problems = named
    .filter(({ name }) => !isTopicName(name))
    .map(({ at }): Problem => ({
      code: 'invalid-value',
      severity: 'error',
      message: `expected the name of a topic on line ${at} of ${path}`,
      hint: 'write one topic per line, up to 249 letters, digits, dots, - or _',
    }));
  if (named.length === 0) problems.push(noTopic(`there is no topic in ${path}`, 'write one topic per line'));
  return { value: named.map(({ name }) => name), problems };
}

export function noTopic(message: string, hint: string): Problem {
  return { code: 'not-found', severity: 'error', message, hint };
}

/** Sorted, each once. */
export function sortNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}

export function isTopicName(text: string): boolean {
  return /^[\w.-]{1,249}$/.test(text);
}
