import type { Json, JsonObject } from '../../model/json/json.ts';
import type { Catalog } from '../../model/own-kind.ts';
import type { SourceFile } from '../../model/problem.ts';
import { afterHeader, byRank, formOf, rankOf, type Rank } from '../../schema/fmt/document-order.ts';
import { asWritten, meaningOf } from '../../schema/fmt/fmt.ts';
import { keysAt } from '../../schema/fmt/key-order.ts';
import { parseYaml } from '../../schema/yaml/parse.ts';
import { isBlank, isComment, linesFrom, firstLine, type Span } from '../../schema/yaml/text-lines.ts';
import { editDocument, type Refusal } from './edit-document.ts';

/** The wanted documents of a file, `${…}` as written. */
export type FileEdits = {
  /** By the number of the document; undefined takes it out. */
  readonly changed: ReadonlyMap<number, Json | undefined>;
  /** The texts of new documents, each with its value. */
  readonly added: readonly NewDocument[];
};
type NewDocument = { readonly text: string; readonly value: JsonObject };

export type EditedFile = {
  /** Undefined if nothing is left but a line for editors. */
  readonly text: string | undefined;
  readonly refused: readonly FileRefusal[];
};
/** An edit that is not made; without a document, the whole file stays as it is. `offset` is in the text before. */
export type FileRefusal = Refusal & { readonly document?: number };

/** A document with its comments; `text` begins with its `---` line if it has one. */
type Body = { readonly text: string; readonly isMarked: boolean; readonly rank: Rank | undefined };

/**
 * Edits the documents of a file, and keeps everything else byte for byte. New documents come where canonical order has them. The
 * result is read again, and refused if it does not mean what it should.
 */
export function editFile(file: SourceFile, edits: FileEdits, catalog: Catalog): EditedFile {
  const all: EditedFile = { text: file.text, refused: [{ path: '', obstacle: 'layout', offset: 0 }] };
  const parts = splitDocuments(file.text);
  if (parts === undefined || (isJson(file) && edits.added.length > 0)) return all;
  const values = new Map(parseYaml(file, asWritten).map(({ ref, value }) => [ref.index, value]));
  const refused: FileRefusal[] = [];
  const head = headOf(file, parts);
  const [first] = parts;
  const bodies: (Body | undefined)[] = parts.flatMap((part, at): (Body | undefined)[] => {
    const { number: index, isMarked } = part;
    if (index === undefined) return [];
    const text = file.text.slice(at === 0 ? Math.max(part.from, head.length) : part.from, part.to);
    const value = values.get(index) ?? null;
    const form = formOf(value, catalog);
    const body: Body = { text, isMarked, rank: rankIn(value, catalog) };
    if (!edits.changed.has(index)) return [body];
    const wanted = edits.changed.get(index);
    if (wanted === undefined) return [undefined];
    const edited = editDocument(text, wanted, (path) =>
      form === undefined ? [] : keysAt(form, value, path),
    );
    const from = part.to - text.length;
    for (const one of edited.refused) refused.push({ ...one, document: index, offset: from + one.offset });
    return [{ ...body, text: edited.text }];
  });
  const lineBreak = /\r\n/.test(file.text) ? '\r\n' : '\n';
  const placed = place(withoutGap(bodies), edits.added, catalog, lineBreak);
  const isOpen = first?.isMarked === false && (first.number !== undefined || parts.length === 1);
  const above = head === '' || /[\n\uFEFF]$/.test(head) ? head : head + lineBreak;
  const text = above + join(placed, isOpen, lineBreak);
  if (placed.length === 0 && !hasOwnComments(head)) return { text: undefined, refused };
  return meansTheSame({ ...file, text }, placed) ? { text, refused } : all;
}

function rankIn(value: Json, catalog: Catalog): Rank | undefined {
  const form = formOf(value, catalog);
  return form && rankOf(value, form, catalog);
}

export function isJson({ path, text }: SourceFile): boolean {
  return /\.json$/i.test(path) || /^\uFEFF?\s*[[{]/.test(text);
}

/** The text above all documents: the comments of the file. */
function headOf({ text }: SourceFile, [first]: readonly Part[]): string {
  if (first === undefined || first.isMarked) return text.slice(0, first?.from);
  if (first.number === undefined) return text.slice(0, first.to);
  const content = contentStart(text, first) ?? first.from;
  const end = afterHeader(text, first, content);
  const [gap = ''] = /^(?:[ \t]*\r?\n)*/.exec(text.slice(end, content)) ?? [];
  return text.slice(0, end + gap.length);
}

/** Lines other than those for editors. */
function hasOwnComments(head: string): boolean {
  return head.split('\n').some((line) => /^\s*#(?!\s*yaml-language-server:)/.test(line));
}

/** The bodies that stay. The empty lines in front of a last one that goes go with it. */
function withoutGap(bodies: readonly (Body | undefined)[]): readonly Body[] {
  const left = bodies.filter((body) => body !== undefined);
  const last = left.at(-1);
  if (last === undefined || bodies.at(-1) !== undefined) return left;
  const line = last.text.indexOf('\n', last.text.trimEnd().length) + 1;
  return [...left.slice(0, -1), { ...last, text: last.text.slice(0, line || undefined) }];
}

/** Puts each document in front of the first one that comes after it, with as much space as there is between the others. */
function place(
  bodies: readonly Body[],
  added: readonly NewDocument[],
  catalog: Catalog,
  lineBreak: string,
): readonly Body[] {
  const gap = bodies.length > 1 && /\n[ \t]*\r?\n$/.test(bodies[0]?.text ?? '') ? lineBreak : '';
  const news = added
    .map(({ text, value }): Body => ({
      text: text.replaceAll('\n', lineBreak),
      isMarked: false,
      rank: rankIn(value, catalog),
    }))
    .sort(compareRanks);
  const placed: Body[] = [];
  let next = 0;
  for (const body of bodies) {
    for (let one = news[next]; one !== undefined && compareRanks(body, one) > 0; one = news[next]) {
      placed.push({ ...one, text: one.text + gap });
      next += 1;
    }
    placed.push(body);
  }
  for (const one of news.slice(next)) {
    const last = placed.pop();
    if (last !== undefined) placed.push({ ...last, text: last.text + gap });
    placed.push(one);
  }
  return placed;
}

/** Documents without a rank come first, so that nothing is put in front of them. */
function compareRanks({ rank: one }: Body, { rank: other }: Body): number {
  if (one === undefined || other === undefined)
    return Number(one !== undefined) - Number(other !== undefined);
  return byRank(one, other);
}

/** `isOpen`: the first document has no `---` line. */
function join(bodies: readonly Body[], isOpen: boolean, lineBreak: string): string {
  return bodies
    .map(({ text, isMarked }, at) => {
      const isLast = at === bodies.length - 1;
      const ended = isLast || text.endsWith('\n') ? text : text + lineBreak;
      if (at === 0 && isOpen) return isMarked ? ended.replace(/^---[ \t]*\r?\n/, '') : ended;
      return isMarked ? ended : `---${lineBreak}${ended}`;
    })
    .join('');
}

function meansTheSame(file: SourceFile, bodies: readonly Body[]): boolean {
  const expected = bodies.flatMap(({ text }) => parseYaml({ ...file, text }, asWritten).map(meaningOf));
  const found = parseYaml(file, asWritten).map(meaningOf);
  return expected.length === found.length && expected.every((one, at) => one === found[at]);
}

/** The part of a file from a `---` line, or its beginning, to the next one. */
type Part = Span & {
  readonly isMarked: boolean;
  /** The number of its document, as the reader counts; undefined for comments above the first `---`. */
  readonly number: number | undefined;
};

/** The parts of a file with a document each; undefined for a file with directives or explicit ends of documents. */
export function splitDocuments(text: string): readonly Part[] | undefined {
  if (/(?:^\uFEFF?|\n)(?:%|\.\.\.(?:\s|$))/.test(text)) return undefined;
  const starts = Array.from(text.matchAll(/(?<=^\uFEFF?|\n)---(?=[ \t\r\n]|$)/g), ({ index }) => index);
  const first = firstLine(text);
  const froms = starts[0] === first ? starts : [first, ...starts];
  let number = 0;
  return froms.map((from, at) => {
    const to = froms[at + 1] ?? text.length;
    const isMarked = starts.includes(from, Math.max(0, at - 1));
    const isDocument = isMarked || contentStart(text, { from, to }) !== undefined;
    return { from, to, isMarked, number: isDocument ? number++ : undefined };
  });
}

/** Where the first line is that is neither blank nor a comment; undefined if there is none. */
function contentStart(text: string, { from, to }: Span): number | undefined {
  for (const line of linesFrom(text, from, to))
    if (!isBlank(text, line) && !isComment(text, line)) return line.from;
  return undefined;
}
