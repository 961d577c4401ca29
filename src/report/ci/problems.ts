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

/** Gives each problem of a report a different fingerprint, the same in every report. */
export function fingerprints(): (problem: LocatedProblem) => string {
  const seen = new Map<string, number>();
  return (problem) => {
    const print = fingerprint(problem);
    const before = seen.get(print) ?? 0;
    seen.set(print, before + 1);
    return before === 0 ? print : `${print}:${before}`;
  };
}

/** Identifies a problem independently of its line: the code, the file, and the field or the message. */
function fingerprint({ code, at, address, path, message }: LocatedProblem): string {
  const about = address === undefined || path === undefined ? [message] : [address, path];
  return hash(JSON.stringify([code, at === undefined ? '' : formatPath(at.file), ...about]));
}

/** FNV-1a, 64 bits: not for security. */
function hash(text: string): string {
  let value = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  }
  return value.toString(16).padStart(16, '0');
}
