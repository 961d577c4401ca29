import type { Span } from '../../schema/yaml/text-lines.ts';

/** A part of a text, and what takes its place. */
export type Splice = Span & { readonly text: string };

export function spliceText(text: string, splices: readonly Splice[]): string {
  let done = '';
  let at = 0;
  for (const { from, to, text: put } of [...splices].sort((one, other) => one.from - other.from)) {
    done += text.slice(at, from) + put;
    at = to;
  }
  return done + text.slice(at);
}
