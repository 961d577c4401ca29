import { addTo } from '../../model/collect.ts';
import { addressIn } from '../../model/identity.ts';
import { isObject, valueAt, valueOf, type Json } from '../../model/json/json.ts';
import { addressOf, type Kind } from '../../model/kind.ts';
import type { Catalog, OwnKind } from '../../model/own-kind.ts';
import { formNamed } from '../load/recognise.ts';
import { firstLine, isBlank, isComment, linesFrom, type Span } from '../yaml/text-lines.ts';

export type Form = Kind | OwnKind;
/** A document of a file: the offset of its content, its value, and the moves in it. */
type FormattedDocument = {
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

export function rankOf(value: Json, form: Form, catalog: Catalog): Rank {
  const kind = kindRank(form, catalog);
  const name = valueAt(value, '/metadata/name');
  if (typeof name !== 'string' || !isObject(valueOf(value, 'spec'))) return { kind, address: '' };
  if (!('expand' in form)) return { kind, address: addressIn(form, value) ?? '' };
  const vCluster = valueAt(value, '/metadata/vCluster');
  return { kind, address: addressOf(form.name, name, typeof vCluster === 'string' ? { vCluster } : {}) };
}

export function kindRank({ name }: Form, { kinds, ownKinds }: Catalog): number {
  return [...kinds.keys(), ...ownKinds.keys()].indexOf(name);
}

export function byRank(one: Rank, other: Rank): number {
  if (one.kind !== other.kind) return one.kind - other.kind;
  return one.address === other.address ? 0 : one.address < other.address ? -1 : 1;
}

/** Parts of a text that change places; the gaps between them stay. */
export type Move = Span & {
  readonly parts: readonly Part[];
  /** The text before the first, second, … part. */
  readonly gaps: readonly string[];
  /** The indexes of the parts in the new order. */
  readonly order: readonly number[];
};
export type Part = Span & { readonly moves: readonly Move[] };

/** A range of the text with its moves, which are in the order of the text. */
export function rearrange(text: string, { from, to }: Span, moves: readonly Move[]): string {
  let done = '';
  let at = from;
  for (const move of moves) {
    done += text.slice(at, move.from);
    for (const [position, index] of move.order.entries()) {
      const part = move.parts[index];
      if (part !== undefined) done += `${move.gaps[position] ?? ''}${rearrange(text, part, part.moves)}`;
    }
    at = move.to;
  }
  return done + text.slice(at, to);
}

/** One move if the parts change places, or else the moves in each part. */
export function moveParts(
  parts: readonly Part[],
  gaps: readonly string[],
  from: number,
  order: readonly number[],
): readonly Move[] {
  if (order.every((index, position) => index === position)) return parts.flatMap(({ moves }) => moves);
  return [{ from, to: parts.at(-1)?.to ?? from, parts, gaps, order }];
}

/** A stable order in which no item comes before one that it needs, as indexes of the items. */
export function orderBy<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
  needs: (item: T) => readonly T[] = () => [],
): readonly number[] {
  const sorted = items.map((item, index) => ({ item, index }));
  sorted.sort((one, other) => compare(one.item, other.item) || one.index - other.index);
  const users = new Map<T, number[]>();
  const missing = sorted.map(({ item }, place) => {
    const needed = new Set(needs(item));
    for (const one of needed) addTo(users, one, place);
    return needed.size;
  });
  const free = new SmallestFirst();
  for (const [place, count] of missing.entries()) if (count === 0) free.add(place);
  const order = new Set<number>();
  // Items that need each other are placed as they are sorted.
  for (const first of sorted.keys()) {
    while (!order.has(first)) {
      const place = free.take() ?? first;
      const next = sorted[place];
      if (next === undefined || order.has(place)) continue;
      order.add(place);
      for (const user of users.get(next.item) ?? []) {
        const count = (missing[user] ?? 0) - 1;
        missing[user] = count;
        if (count === 0) free.add(user);
      }
    }
  }
  return [...order].map((place) => sorted[place]?.index ?? place);
}

/** Numbers, taken from the smallest on: a binary heap. */
class SmallestFirst {
  readonly #heap: number[] = [];

  add(number: number): void {
    let at = this.#heap.push(number) - 1;
    for (let above = (at - 1) >> 1; at > 0 && this.#at(above) > number; above = (at - 1) >> 1) {
      this.#heap[at] = this.#at(above);
      at = above;
    }
    this.#heap[at] = number;
  }

  take(): number | undefined {
    const [smallest] = this.#heap;
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return smallest;
    let at = 0;
    for (;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const below = this.#at(right) < this.#at(left) ? right : left;
      if (!(this.#at(below) < last)) break;
      this.#heap[at] = this.#at(below);
      at = below;
    }
    this.#heap[at] = last;
    return smallest;
  }

  #at(place: number): number {
    return this.#heap[place] ?? Infinity;
  }
}
