import type { Position } from '../../model/problem.ts';
import { codeSpan, type Dialect } from './prose.ts';

export type MarkdownOptions = {
  /** The most bytes of the text. */
  readonly limit: number;
  readonly dialect: Dialect;
  /** The address of a line of a file in the repository, if it is known. */
  readonly linkTo?: ((at: Position) => string | undefined) | undefined;
};

/** The file and line, as a link if its address is known. */
export function renderPlace(at: Position, { linkTo }: MarkdownOptions): string {
  const text = codeSpan(`${at.file}:${at.line}`);
  const url = linkTo?.(at);
  return url === undefined ? text : `[${text}](${url})`;
}
