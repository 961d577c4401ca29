import { UsageError } from '../io.ts';

/** The format of a command that has these two. Throws a UsageError. */
export function parseReportFormat(
  command: string,
  [name = 'human', ...more]: readonly string[] = [],
): 'human' | 'json' {
  if (more.length === 0 && (name === 'human' || name === 'json')) return name;
  throw new UsageError(`${command} prints -o human, -o json`);
}
