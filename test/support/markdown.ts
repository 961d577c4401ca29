import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { marked, type Token } from 'marked';
import { ROOT } from './sandbox.ts';

/** A fenced block: ```` ```sh run ```` has the language `sh` and the words `run`. */
export type Block = {
  readonly language: string;
  readonly words: readonly string[];
  readonly text: string;
  /** Where its text begins in the document, and the line of its fence. */
  readonly start: number;
  readonly line: number;
};

/** Every page below docs, from the root. */
export function pagesOfDocs(): readonly string[] {
  return readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
    .sort();
}

export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

export function blocksOf(markdown: string): readonly Block[] {
  if (/^[ \t]+```\S+ .*\b(?:run|file=)/m.test(markdown)) throw new Error('an indented block is not run');
  const blocks: Block[] = [];
  const fence = /^(```(\S+)([^\n]*)\n)(.*?)^```$/gms;
  for (const { 1: opening = '', 2: language = '', 3: rest = '', 4: text = '', index } of markdown.matchAll(
    fence,
  )) {
    const words = rest.split(' ').filter((word) => word !== '');
    const line = markdown.slice(0, index).split('\n').length;
    blocks.push({ language, words, text, start: index + opening.length, line });
  }
  return blocks;
}

/** The one block that carries a word. */
export function blockWith(markdown: string, word: string): Block {
  const [block, ...more] = blocksOf(markdown).filter(({ words }) => words.includes(word));
  if (block === undefined || more.length > 0) throw new Error(`expected one block with the word ${word}`);
  return block;
}

/** The document with other texts in some of its blocks. */
export function withTexts(markdown: string, texts: ReadonlyMap<Block, string>): string {
  return [...texts]
    .sort(([one], [other]) => other.start - one.start)
    .reduce(
      (document, [{ start, text }, replacement]) =>
        document.slice(0, start) + replacement + document.slice(start + text.length),
      markdown,
    );
}

/** The rows of the table with that line of head. */
export function rowsOf(markdown: string, head: string): readonly string[] {
  const [start, end] = extentOf(markdown, head);
  return markdown.slice(start, end).split('\n').slice(0, -1);
}

/** The document with other rows in the table with that line of head. */
export function withRows(markdown: string, head: string, rows: readonly string[]): string {
  const [start, end] = extentOf(markdown, head);
  return markdown.slice(0, start) + rows.map((row) => `${row}\n`).join('') + markdown.slice(end);
}

/** Where the rows begin and end, after the head and its rule. */
function extentOf(markdown: string, head: string): readonly [number, number] {
  const at = markdown.indexOf(`\n${head}\n|-`);
  if (at === -1) throw new Error(`there is no table with the head ${head}`);
  const rule = at + head.length + 2;
  const start = markdown.indexOf('\n', rule) + 1;
  const length = /^(\|.*\n)*/.exec(markdown.slice(start))?.[0].length ?? 0;
  return [start, start + length];
}

/** All tokens of a text, those inside of others too. */
export function tokensOf(markdown: string): readonly Token[] {
  const found: Token[] = [];
  void marked.walkTokens(marked.lexer(markdown), (token) => void found.push(token));
  return found;
}
