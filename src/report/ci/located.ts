import type { LocatedProblem } from '../../model/problem.ts';
import { onOneLine } from '../escape.ts';

/** Who says so: `gwconf 1.2.3`. */
export type About = { readonly tool: string };

/** A file as other tools name it: from where gwconf was started, with forward slashes. */
export function filePath(file: string): string {
  return file.replaceAll('\\', '/').replace(/^(?:\.\/+)+/, '');
}

export function messageWithHint({ message, hint }: LocatedProblem): string {
  return onOneLine(hint === undefined ? message : `${message}; ${hint}`);
}
