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
import type { DocumentRef, Place } from '../../model/problem.ts';
import { placeOf, type Declared } from '../../model/state.ts';
import { hasVariable } from '../../schema/yaml/interpolate.ts';
import type { AdoptedItem, Adoption } from './adopt-live.ts';
import type { WrittenFiles } from './written-files.ts';

/** Why a value of the gateway is not taken over. */
export type Hindrance =
  'variable' | 'several-documents' | 'own-kind' | 'secret' | 'alias' | 'anchor' | 'layout';
/** A field that stays as it is. */
export type Untaken = { readonly path: Pointer; readonly hindrance: Hindrance; readonly at: Place };

export type Adopted = {
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

type Writing = Adopted & { readonly files: WrittenFiles; readonly untaken: Untaken[] };
type Source = { readonly document: DocumentRef; readonly path: Pointer };

function write(adoption: Adoption, path: Pointer, writing: Writing): void {
  switch (adoption.does) {
    case 'keep':
      return;
    case 'change':
      for (const [key, one] of adoption.fields) write(one, joinPointer(path, key), writing);
      return;
    case 'take':
      take(adoption.from, path, writing);
      return;
    case 'remove':
      remove(path, writing);
      return;
    case 'list':
      writeList(adoption.items, path, writing);
      return;
    default:
      adoption satisfies never;
  }
}

function take(from: Pointer, path: Pointer, writing: Writing): void {
  const { document, declared, files, secrets } = writing;
  const source = sourceOf(path, writing);
  const hindrance = source === undefined ? 'own-kind' : hindranceAt(source, path, writing);
  const isThere = valueAt(declared.resource, path) !== undefined;
  if (source === undefined || hindrance !== undefined) tell(path, hindrance ?? 'own-kind', writing);
  else if (isThere && secrets.has(from)) tell(path, 'secret', writing);
  else files.put(source.document, source.path, valueAt(document, from));
}

/** An overlay that removes what an earlier layer has says null. */
function remove(path: Pointer, writing: Writing): void {
  const { declared, files } = writing;
  const source = sourceOf(path, writing);
  const hindrance = source === undefined ? 'own-kind' : hindranceAt(source, path, writing);
  if (source === undefined || hindrance !== undefined) {
    tell(path, hindrance ?? 'own-kind', writing);
    return;
  }
  const isBelow =
    source.document !== declared.document && valueAt(files.before(declared.document), path) !== undefined;
  files.put(source.document, source.path, isBelow ? null : undefined);
}

function writeList(items: readonly AdoptedItem[], path: Pointer, writing: Writing): void {
  const { declared, document, files } = writing;
  const list = sourceOf(path, writing);
  const written = list === undefined ? [] : (valueAt(files.before(list.document), list.path) ?? []);
  const before = valueAt(declared.resource, path);
  if (!isList(before)) return;
  const stays = new Set(items.map(({ from }) => from));
  const lost = [...before.keys()].filter((from) => !stays.has(from));
  if (list === undefined) {
    replaceItems(lost, items, path, writing);
    return;
  }
  if (!isList(written)) {
    tell(path, 'alias', writing);
    return;
  }
  const isForeign = (from: number): boolean =>
    declared.places?.has(joinPointer(path, from)) === true && from >= written.length;
  const kept = new Set<number>();
  for (const from of lost) {
    const place = joinPointer(path, from);
    const isVariable = hasVariableIn(written[from]);
    if (!isForeign(from) && !isVariable) continue;
    tell(place, isVariable ? 'variable' : 'several-documents', writing);
    kept.add(from);
  }
  for (const { from, adoption } of items) if (from >= 0) write(adoption, joinPointer(path, from), writing);
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
  writing: Writing,
): void {
  const news = items.flatMap(({ from, adoption }) =>
    from === -1 && adoption.does === 'take' ? [adoption.from] : [],
  );
  if (news.length !== lost.length) tell(path, 'own-kind', writing);
  else for (const [at, from] of news.entries()) take(from, joinPointer(path, lost[at] ?? 0), writing);
}

/** The place in a document that gives a value, or would give one; undefined if another kind of document stands for it. */
function sourceOf(path: Pointer, { declared, isOwnKind }: Writing): Source | undefined {
  const place = placeOf(declared, path);
  if (!('document' in place)) return undefined;
  if (!isOwnKind(place.document)) return place;
  const isExact =
    declared.places?.has(path) === true &&
    path !== '/spec' &&
    typeof valueAt(declared.resource, path) === 'string';
  return isExact ? place : undefined;
}

function hindranceAt(
  { document, path: at }: Source,
  path: Pointer,
  { declared, files }: Writing,
): Hindrance | undefined {
  const written = files.after(document);
  if (written === undefined) return 'layout';
  if (hasVariableIn(valueAt(written, at))) return 'variable';
  const inside = [...(declared.places ?? [])].filter(([place]) => place.startsWith(`${path}/`));
  return inside.some(([, place]) => 'document' in place && place.document !== document)
    ? 'several-documents'
    : undefined;
}

function hasVariableIn(value: Json | undefined): boolean {
  if (typeof value === 'string') return hasVariable(value);
  return value !== undefined && entriesOf(value).some(([, child]) => hasVariableIn(child));
}

function tell(path: Pointer, hindrance: Hindrance, { declared, untaken }: Writing): void {
  untaken.push({ path, hindrance, at: placeOf(declared, path) });
}
