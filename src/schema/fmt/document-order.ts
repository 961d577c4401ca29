import { isObject, valueAt, valueOf, type Json } from '../../model/json/json.ts';
import { addressOf, type Kind } from '../../model/kind.ts';
import type { Catalog, OwnKind } from '../../model/own-kind.ts';
import { addressIn } from '../../model/identity.ts';
import { formNamed } from '../load/recognise.ts';
import { firstLine, isBlank, isComment, linesFrom, type Span } from '../yaml/text-lines.ts';
import { moveParts, orderBy, type Move, type Part } from './rearrange.ts';

export type Form = Kind | OwnKind;
/** A document of a file: the offset of its content, its value, and the moves in it. */
export type FormattedDocument = {
  readonly offset: number;
  readonly value: Json;
  readonly form: Form | undefined;
  readonly moves: readonly Move[];
};

/** The kind of a document; undefined for a document that is not for gwconf. */
export function formOf(value: Json, catalog: Catalog): Form | undefined {
  const form = formNamed(valueOf(value, 'kind'), catalog);
  return form?.apiVersion === valueOf(value, 'apiVersion') ? form : undefined;
}

/**
 * The moves that sort documents by kind, in the order of the catalog, and by address. Comments move with the document below
 * them; the header of the file stays at the top. A file with other documents, or with more than `---` between documents,
 * keeps its order.
 */
export function moveDocuments(
  text: string,
  documents: readonly FormattedDocument[],
  catalog: Catalog,
): readonly Move[] {
  const parts = isPlain(text) ? partsOf(text, documents) : [];
  const known = parts.flatMap(({ document: { value, form } }) =>
    form === undefined ? [] : [rankOf(value, form, catalog)],
  );
  if (parts.length < 2 || known.length !== documents.length) return documents.flatMap(({ moves }) => moves);
  const gaps = parts.map(({ from }, index) => text.slice(parts[index - 1]?.to ?? from, from));
  return moveParts(parts, gaps, parts[0]?.from ?? 0, orderBy(known, byRank));
}

/** Whether there are no directives, no content on the line of `---`, and no text that keeps trailing empty lines. */
function isPlain(text: string): boolean {
  return !/(?:^|\n)(?:---[ \t]+[^\s]|\.\.\.\s|\.\.\.$|%)/.test(text) && !/[|>]\d?\+[ \t\r]*\n/.test(text);
}

type DocumentPart = Part & { readonly document: FormattedDocument };

function partsOf(text: string, documents: readonly FormattedDocument[]): readonly DocumentPart[] {
  const parts: DocumentPart[] = [];
  const left = documents.values();
  let document = left.next().value;
  let above: number | undefined; // start of comments above the next document
  for (const [index, slice] of slicesOf(text).entries()) {
    const inside = document !== undefined && document.offset < slice.to ? document : undefined;
    const from = index === 0 ? afterHeader(text, slice, inside?.offset) : slice.from;
    const body = bodyOf(text, { from, to: slice.to });
    if (body === undefined) continue;
    if (inside === undefined) {
      above ??= body.from;
      continue;
    }
    parts.push({ from: above ?? body.from, to: body.to, moves: inside.moves, document: inside });
    above = undefined;
    document = left.next().value;
  }
  const last = parts.pop();
  const end = above === undefined ? undefined : bodyOf(text, { from: above, to: text.length });
  return last === undefined ? [] : [...parts, end === undefined ? last : { ...last, to: end.to }];
}

/** The text between `---` lines. */
function slicesOf(text: string): readonly Span[] {
  const slices: Span[] = [];
  let from = firstLine(text);
  for (const line of linesFrom(text, from)) {
    if (!/^---[ \t]*$/.test(text.slice(line.from, line.to))) continue;
    slices.push({ from, to: line.from });
    from = Math.min(line.next, text.length);
  }
  return [...slices, { from, to: text.length }];
}

/** Without empty lines at both ends. */
function bodyOf(text: string, { from, to }: Span): Span | undefined {
  const lines = [...linesFrom(text, from, to)].filter((line) => !isBlank(text, line));
  const [first] = lines;
  return first === undefined ? undefined : { from: first.from, to: lines.at(-1)?.to ?? to };
}

/** The end of the file header: a first comment followed by an empty line, and modelines of editors. */
export function afterHeader(text: string, { from, to }: Span, content: number | undefined): number {
  if (content === undefined) return to;
  let behind = from;
  let editors = from;
  for (const line of linesFrom(text, from, content)) {
    const blank = isBlank(text, line);
    if (!blank && !isComment(text, line)) break;
    if (blank && behind > from) return behind;
    if (blank) continue;
    const isModeline = /^\s*#\s*(?:yaml-language-server:|vim?:|-\*-)/.test(text.slice(line.from, line.to));
    if (isModeline && editors === behind) editors = line.next;
    behind = line.next;
  }
  return editors;
}

/** The place of a document among others: its kind in the order of the catalog, and its address. */
export type Rank = { readonly kind: number; readonly address: string };

export function rankOf(value: Json, form: Form, { kinds, ownKinds }: Catalog): Rank {
  const kind = [...kinds.keys(), ...ownKinds.keys()].indexOf(form.name);
  const name = valueAt(value, '/metadata/name');
  if (typeof name !== 'string' || !isObject(valueOf(value, 'spec'))) return { kind, address: '' };
  if (!('expand' in form)) return { kind, address: addressIn(form, value) ?? '' };
  const vCluster = valueAt(value, '/metadata/vCluster');
  return { kind, address: addressOf(form.name, name, typeof vCluster === 'string' ? { vCluster } : {}) };
}

export function byRank(one: Rank, other: Rank): number {
  if (one.kind !== other.kind) return one.kind - other.kind;
  return one.address === other.address ? 0 : one.address < other.address ? -1 : 1;
}
