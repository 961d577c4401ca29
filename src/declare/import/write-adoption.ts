import { getOrAdd, memoize } from '../../model/collect.ts';
import {
  entriesOf,
  isList,
  joinPointer,
  sameJson,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
  type Pointer,
} from '../../model/json/json.ts';
import {
  makeProblem,
  type DocumentRef,
  type Place,
  type SourceFile,
  type Problem,
} from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { placeOf, type Declared } from '../../model/state.ts';
import { hasVariable } from '../../schema/yaml/interpolate.ts';
import { readWritten } from '../edit/edit-document.ts';
import { valueAfter, type Edit } from '../edit/edits-between.ts';
import { splitDocuments } from '../edit/edit-file.ts';
import { writtenPath, type AdoptedItem, type Adoption } from './adopt-live.ts';

/** Why a value of the gateway is not taken over. */
type Hindrance = keyof typeof WORDS;
/** A field that stays as it is. */
type Untaken = { readonly path: Pointer; readonly hindrance: Hindrance; readonly at: Place };

type Adopted = {
  readonly declared: Declared;
  /** The live resource as a document, `${…}` escaped and secrets as variables. */
  readonly document: JsonObject;
  /** The places in it that have variables for secrets. */
  readonly secrets: ReadonlySet<Pointer>;
  /** Whether a document is of a kind that expands to resources. */
  readonly isOwnKind: (document: DocumentRef) => boolean;
};

/** Writes what becomes of a resource into the documents that gave its values. Returns what they cannot take. */
export function writeAdoption(adoption: Adoption, adopted: Adopted, files: WrittenFiles): readonly Untaken[] {
  const untaken: Untaken[] = [];
  write(adoption, '', { ...adopted, files, untaken });
  return untaken;
}

type AdoptionContext = Adopted & { readonly files: WrittenFiles; readonly untaken: Untaken[] };
type Source = { readonly document: DocumentRef; readonly path: Pointer };

function write(adoption: Adoption, path: Pointer, context: AdoptionContext): void {
  switch (adoption.does) {
    case 'keep':
      return;
    case 'change':
      for (const [key, one] of adoption.fields) write(one, joinPointer(path, key), context);
      return;
    case 'take':
      takeOver(adoption.from, path, context);
      return;
    case 'remove':
      remove(path, context);
      return;
    case 'list':
      writeList(adoption.items, path, context);
      return;
    default:
      adoption satisfies never;
  }
}

function takeOver(from: Pointer, path: Pointer, context: AdoptionContext): void {
  const { document, declared, files, secrets } = context;
  const source = findSource(path, context);
  const isThere = valueAt(declared.resource, path) !== undefined;
  if (typeof source === 'string')
    addUntaken(path, source === 'variable' && secrets.has(from) ? 'secret-variable' : source, context);
  else if (isThere && secrets.has(from)) addUntaken(path, 'secret', context);
  else files.put(source.document, source.path, valueAt(document, from));
}

/** An overlay that removes what an earlier layer has says null. */
function remove(path: Pointer, context: AdoptionContext): void {
  const { declared, files } = context;
  const source = findSource(path, context);
  if (typeof source === 'string') {
    addUntaken(path, source, context);
    return;
  }
  const isBelow =
    source.document !== declared.document && valueAt(files.before(declared.document), path) !== undefined;
  files.put(source.document, source.path, isBelow ? null : undefined);
}

function writeList(items: readonly AdoptedItem[], path: Pointer, context: AdoptionContext): void {
  const { declared, document, files } = context;
  const list = sourceOf(path, context);
  const written = list === undefined ? [] : (valueAt(files.before(list.document), list.path) ?? []);
  const before = valueAt(declared.resource, path);
  if (!isList(before)) return;
  const stays = new Set(items.map(({ from }) => from));
  const lost = [...before.keys()].filter((from) => !stays.has(from));
  if (list === undefined) {
    replaceItems(lost, items, path, context);
    return;
  }
  if (!isList(written)) {
    addUntaken(path, 'alias', context);
    return;
  }
  const isForeign = (from: number): boolean =>
    declared.places?.has(joinPointer(path, from)) === true && from >= written.length;
  const kept = new Set<number>();
  for (const from of lost) {
    const place = joinPointer(path, from);
    const isVariable = hasVariableIn(written[from]);
    if (!isForeign(from) && !isVariable) continue;
    addUntaken(place, isVariable ? 'variable' : 'several-documents', context);
    kept.add(from);
  }
  for (const { from, adoption } of items) if (from >= 0) write(adoption, joinPointer(path, from), context);
  const now = valueAt(files.after(list.document), list.path);
  const after = items.flatMap(({ from, adoption }): readonly Json[] => {
    if (from >= 0) return isForeign(from) ? [] : [valueOf(now, String(from)) ?? null];
    return adoption.does === 'take' ? [valueAt(document, adoption.from) ?? null] : [];
  });
  const back = [...kept].flatMap((from) => (isForeign(from) ? [] : [valueOf(now, String(from)) ?? null]));
  const all = [...after, ...back];
  if (!sameJson(all, now ?? [])) files.put(list.document, list.path, all);
}

/** Puts new items in place of those that go, where a document has each of them as a value of its own. */
function replaceItems(
  lost: readonly number[],
  items: readonly AdoptedItem[],
  path: Pointer,
  context: AdoptionContext,
): void {
  const news = items.flatMap(({ from, adoption }) =>
    from === -1 && adoption.does === 'take' ? [adoption.from] : [],
  );
  if (news.length !== lost.length) addUntaken(path, 'own-kind', context);
  else for (const [at, from] of news.entries()) takeOver(from, joinPointer(path, lost[at] ?? 0), context);
}

/** The place in a document that gives a value, or would give one; undefined if another kind of document stands for it. */
function sourceOf(path: Pointer, { declared, isOwnKind }: AdoptionContext): Source | undefined {
  const place = placeOf(declared, path);
  if (!('document' in place)) return undefined;
  if (!isOwnKind(place.document)) return { ...place, path: writtenPath(place.path) };
  const isExact =
    declared.places?.has(path) === true &&
    path !== '/spec' &&
    typeof valueAt(declared.resource, path) === 'string';
  return isExact ? place : undefined;
}

/** The same, or why its value cannot be changed. */
function findSource(path: Pointer, context: AdoptionContext): Source | Hindrance {
  const { declared, files } = context;
  const source = sourceOf(path, context);
  if (source === undefined) return 'own-kind';
  const { document } = source;
  const written = files.after(document);
  if (written === undefined) return 'layout';
  if (hasVariableIn(valueAt(written, source.path))) return 'variable';
  const inside = [...(declared.places ?? [])].filter(([place]) => place.startsWith(`${path}/`));
  return inside.some(([, place]) => 'document' in place && place.document !== document)
    ? 'several-documents'
    : source;
}

function hasVariableIn(value: Json | undefined): boolean {
  if (typeof value === 'string') return hasVariable(value);
  return value !== undefined && entriesOf(value).some(([, child]) => hasVariableIn(child));
}

function addUntaken(path: Pointer, hindrance: Hindrance, { declared, untaken }: AdoptionContext): void {
  untaken.push({ path, hindrance, at: placeOf(declared, path) });
}

const partsOf = memoize(
  (file: SourceFile) => new Map(splitDocuments(file.text)?.map((part) => [part.number, part])),
);

/** The documents of files as they are written, `${…}` not filled in, and what becomes of them. */
export class WrittenFiles {
  readonly #before = new Map<SourceFile, Map<number, Json>>();
  readonly #after = new Map<SourceFile, Map<number, Json | undefined>>();

  /** The value of a document before any change; undefined if it cannot be read alone. */
  before({ file, index }: DocumentRef): Json | undefined {
    const known = getOrAdd(this.#before, file, () => new Map<number, Json>());
    const part = partsOf(file).get(index);
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
    const changed = getOrAdd(this.#after, document.file, () => new Map<number, Json | undefined>());
    const before = this.after(document) ?? null;
    const edit: Edit = value === undefined ? { op: 'remove', path } : { op: 'set', path, value };
    changed.set(document.index, path === '' ? value : valueAfter(before, edit));
  }

  /** The documents that change, by file and number. */
  get changed(): ReadonlyMap<SourceFile, ReadonlyMap<number, Json | undefined>> {
    return this.#after;
  }
}

/** Why a field of a file does not get the value of the gateway, and what helps. */
const WORDS = {
  variable: ['its value comes from a variable', 'change the value of the variable, or write the value here'],
  'secret-variable': ['its value comes from a variable', 'change the value of the variable'],
  alias: ['its value comes from an anchor', 'change the value at the anchor, or write it here'],
  anchor: ['other places of the file repeat its value', 'change it by hand'],
  'several-documents': ['several documents give its value', 'change them by hand'],
  'own-kind': ['its document stands for several objects', 'change it by hand'],
  secret: ['it is a secret, which files do not hold', 'use ${VARIABLE} here, and set it where gwconf runs'],
  layout: ['the file is written in a way that is not edited', 'change it by hand'],
} as const;

export function untakenProblem(address: Address, { path, hindrance, at }: Untaken): Problem {
  const [why, hint] = WORDS[hindrance];
  const message = `${path === '' ? address : `${path} of ${address}`} differs from the gateway, but stays as it is: ${why}`;
  return makeProblem({ code: 'not-imported', message, at, address, path, hint, confidential: true });
}
