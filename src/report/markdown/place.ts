import type { Position } from '../../model/problem.ts';
import type { LinkTo } from '../markup.ts';
import { codeSpan, type Dialect } from './prose.ts';

export type MarkdownOptions = {
  /** The most bytes of the text. */
  readonly limit: number;
  readonly dialect: Dialect;
  readonly linkTo?: LinkTo | undefined;
};

/** The file and line, as a link if its address is known. */
export function renderPlace(at: Position, { linkTo }: MarkdownOptions): string {
  const text = codeSpan(`${at.file}:${at.line}`);
  const url = linkTo?.(at);
  return url === undefined ? text : `[${text}](${url})`;
}
