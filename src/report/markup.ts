import type { Position } from '../model/problem.ts';
import { onOneLine } from './escape.ts';

/** The address of a line of a file in the repository, if it is known. */
export type LinkTo = (at: Position) => string | undefined;

export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (found) => `&#${found.charCodeAt(0)};`) : text;
}

/** Text from anywhere. */
export function text(words: string): string {
  return escapeHtml(onOneLine(words));
}

/** Text from anywhere as code. */
export function code(words: string): string {
  return `<code>${text(words)}</code>`;
}

/** The file and line, as a link if its address is known. */
export function link(at: Position, linkTo?: LinkTo): string {
  const place = code(`${at.file}:${at.line}`);
  const url = linkTo?.(at);
  return url === undefined
    ? `<span class="place">${place}</span>`
    : `<a href="${escapeHtml(url)}">${place}</a>`;
}
