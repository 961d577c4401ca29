import { largestOf } from '../../model/collect.ts';
import type { Position } from '../../model/problem.ts';
import { onOneLine } from '../escape.ts';
import type { LinkTo } from '../markup.ts';
import { cutOff } from '../../model/text/list.ts';

/** The Markdown that a place shows: with HTML, and with GitHub's boxes for warnings. */
export type Dialect = { readonly hasHtml: boolean; readonly hasAlerts: boolean };
export const GITHUB: Dialect = { hasHtml: true, hasAlerts: true };
/** Boxes came with GitLab 17.10, and servers may be older. */
export const GITLAB: Dialect = { hasHtml: true, hasAlerts: false };
export const BITBUCKET: Dialect = { hasHtml: false, hasAlerts: false };

/**
 * Text from anywhere as Markdown that shows just this text. Plain words stay words; all others, which could be mentions,
 * links, issues, commits, HTML or formatting, are code.
 */
export function prose(text: string): string {
  const parts: string[] = [];
  let code: string[] = [];
  const end = (): void => {
    if (code.length > 0) parts.push(inTicks(code.join(' ')));
    code = [];
  };
  for (const word of onOneLine(text).split(' ')) {
    if (isPlain(word)) {
      end();
      parts.push(word);
    } else {
      const [opening, bare, punctuation] = splitPunctuation(word);
      if (opening !== '') end();
      code.push(bare);
      if (opening + punctuation === '') continue;
      const last = parts.length;
      end();
      parts[last] = `${opening}${parts[last] ?? ''}${punctuation}`;
    }
  }
  end();
  // At the beginning of a line that would be a list.
  return parts.join(' ').replace(/^\d+(?=[.)])/, codeSpan);
}

/** A word and the marks around it, which belong to the sentence. */
function splitPunctuation(word: string): readonly [opening: string, bare: string, closing: string] {
  let end = word.length;
  while (end > 0 && ',;:.?)'.includes(word.charAt(end - 1))) end -= 1;
  const start = end > 1 && word.startsWith('(') ? 1 : 0;
  return [word.slice(0, start), word.slice(start, end), word.slice(end)];
}

/** Letters, or a small number, with punctuation around. Hexadecimal words may be commits. */
function isPlain(word: string): boolean {
  return /^\(?(?:\p{L}+(?:['’]\p{L}+)?|\d{1,6})[,;:.?)]*$/u.test(word) && !/[\da-f]{7}/i.test(word);
}

/** Text as code, whatever is in it. */
export function codeSpan(text: string): string {
  return inTicks(onOneLine(text));
}

function inTicks(shown: string): string {
  if (shown.trim() === '') return '(empty)';
  const fence = '`'.repeat(longestTicks(shown) + 1);
  const isTight = !shown.startsWith('`') && !shown.endsWith('`') && fence === '`';
  return isTight ? `${fence}${shown}${fence}` : `${fence} ${shown} ${fence}`;
}

/** The same in a cell of a table, where a bar ends the cell even in code; behind a backslash, readers do not agree on whether it does. */
export function codeCell(text: string): string {
  return codeSpan(text)
    .replace(/(?<=\\)\|/g, '\\u007c')
    .replaceAll('|', '\\|');
}

/** A block of lines; by default with colours for signs. */
export function fenced(lines: readonly string[], language = 'diff'): string {
  const fence = '`'.repeat(Math.max(3, largestOf(lines.map((line) => longestTicks(line) + 1))));
  return `${fence}${language}\n${lines.map((line) => `${line}\n`).join('')}${fence}\n`;
}

function longestTicks(text: string): number {
  return largestOf((text.match(/`+/g) ?? []).map(({ length }) => length));
}

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

/** A number of bytes to spend on text. */
export class Budget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  get left(): number {
    return this.#left;
  }

  /** Takes the bytes of a text, if they are left. */
  take(text: string): boolean {
    return this.#spend(bytesOf(text));
  }

  /** Takes a text in place of one that it has taken, if there are bytes left for that. */
  exchange(taken: string, text: string): boolean {
    return this.#spend(bytesOf(text) - bytesOf(taken));
  }

  #spend(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

const encoder = new TextEncoder();

export function bytesOf(text: string): number {
  return encoder.encode(text).length;
}

/** A text that takes no more room than a few sentences. */
export function clip(text: string): string {
  return cutOff(text, LONGEST);
}

const LONGEST = 1000;
