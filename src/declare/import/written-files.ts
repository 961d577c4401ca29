import { memoize } from '../../model/collect.ts';
import { isList, isObject, parsePointer, valueOf, type Json, type Pointer } from '../../model/json/json.ts';
import type { DocumentRef, SourceFile } from '../../model/problem.ts';
import { readWritten } from '../edit/edit-document.ts';
import { splitDocuments } from '../edit/split-documents.ts';

const partsOf = memoize((file: SourceFile) => ({
  parts: new Map(splitDocuments(file.text)?.map((part) => [part.number, part])),
}));

/** The documents of files as they are written, `${…}` not filled in, and what becomes of them. */
export class WrittenFiles {
  readonly #before = new Map<SourceFile, Map<number, Json>>();
  readonly #after = new Map<SourceFile, Map<number, Json | undefined>>();

  /** The value of a document before any change; undefined if it cannot be read alone. */
  before({ file, index }: DocumentRef): Json | undefined {
    const known = this.#before.get(file) ?? new Map<number, Json>();
    this.#before.set(file, known);
    const part = partsOf(file).parts.get(index);
    const value =
      known.get(index) ?? (part === undefined ? undefined : readWritten(file.text.slice(part.from, part.to)));
    if (value !== undefined) known.set(index, value);
    return value;
  }

  /** The value with the changes so far. */
  after(document: DocumentRef): Json | undefined {
    const changed = this.#after.get(document.file);
    return changed?.has(document.index) === true ? changed.get(document.index) : this.before(document);
  }

  /** Sets or, for undefined, removes a value; of the whole document, too. */
  put(document: DocumentRef, path: Pointer, value: Json | undefined): void {
    const changed = this.#after.get(document.file) ?? new Map<number, Json | undefined>();
    this.#after.set(document.file, changed);
    const before = this.after(document) ?? null;
    changed.set(document.index, path === '' ? value : putAt(before, parsePointer(path), value));
  }

  /** The documents that change, by file and number. */
  get changed(): ReadonlyMap<SourceFile, ReadonlyMap<number, Json | undefined>> {
    return this.#after;
  }
}

function putAt(
  value: Json | undefined,
  [token = '', ...rest]: readonly string[],
  to: Json | undefined,
): Json {
  const child = rest.length === 0 ? to : putAt(valueOf(value, token), rest, to);
  if (isList(value)) return value.map((item, at) => (at === Number(token) ? (child ?? null) : item));
  const entries = new Map(isObject(value) ? Object.entries(value) : []);
  if (child === undefined) entries.delete(token);
  else entries.set(token, child);
  return Object.fromEntries(entries);
}
