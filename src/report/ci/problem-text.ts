import type { LocatedProblem } from '../../model/problem.ts';
import { onOneLine } from '../escape.ts';

/** Splits `gwconf 1.2.3`. */
export function parseTool(tool: string): { readonly name: string; readonly version: string | undefined } {
  const [name = tool, version] = tool.split(' ');
  return { name, version };
}

/** A path relative to the working directory, with forward slashes, as other tools expect it. */
export function formatPath(file: string): string {
  return file.replaceAll('\\', '/').replace(/^(?:\.\/+)+/, '');
}

export function formatMessage({ message, hint }: Pick<LocatedProblem, 'message' | 'hint'>): string {
  return onOneLine(hint === undefined ? message : `${message}; ${hint}`);
}
