import { addAll } from '../../model/collect.ts';
import { isObject, valueOf } from '../../model/json/json.ts';
import type { Context, KindSet } from '../../model/kind.ts';
import type { Catalog } from '../../model/own-kind.ts';
import type { Problem, SourceFile } from '../../model/problem.ts';
import type { Removal } from '../../model/rules.ts';
import { variablesFrom, mayHaveSources, type Variables } from '../yaml/interpolate.ts';
import type { ParsedDocument } from '../yaml/parse.ts';
import { checkDocument, type CheckedDocument } from './check.ts';
import { expand } from './expand.ts';
import { overlay } from './overlay.ts';
import { checkForeign, documentsOf } from './own-documents.ts';
import { notFetched } from './pointer.ts';
import { resolve, type Resolved } from './resolve.ts';

/** The desired state in files, and objects to remove. */
export type Loaded = Resolved & {
  readonly removals: readonly Removal[];
  /** The files that contain resources, also invalid ones. */
  readonly declaring: ReadonlySet<SourceFile>;
};

/**
 * Loads the desired state: parse, check, expand, resolve. Returns all valid resources and all problems. The order of files and
 * documents does not matter.
 */
export function load(
  files: readonly SourceFile[],
  catalog: Catalog,
  variables: Variables,
  context: Context = {},
): Loaded {
  const missing = files.flatMap((file) => notFetched(file) ?? []);
  if (missing.length > 0) {
    const there = files.filter((file) => notFetched(file) === undefined);
    const loaded = load(there, catalog, variables, context);
    return { ...loaded, problems: [...missing, ...loaded.problems] };
  }
  const foreign: ParsedDocument[] = [];
  const parsed = [...files]
    .sort(byLayerAndPath)
    .flatMap((file) => documentsOf(file, catalog, variables, foreign));
  const of = {
    parsed,
    foreign,
    kinds: catalog.kinds,
    context: JSON.stringify([context.version, context.security]),
  };
  const [first] = parsed;
  const before = first && known.get(first);
  if (before !== undefined && isSame(before.of, of)) return before.loaded;
  const loaded = loadParsed(of, catalog, variables, context);
  // What is wrong with a document may depend on who fills it in.
  const isOfAll = loaded.problems.length === 0 || parsed.every(({ templates }) => templates.size === 0);
  if (first !== undefined && isOfAll) known.set(first, { of, loaded });
  return loaded;
}

/** Documents that are loaded among these kinds, for a gateway of this sort. */
type Documents = {
  readonly parsed: readonly ParsedDocument[];
  readonly foreign: readonly ParsedDocument[];
  readonly kinds: KindSet;
  readonly context: string;
};

/** What was loaded last of documents, by the first of them: environments that share all files share what these declare. */
const known = new WeakMap<ParsedDocument, { readonly of: Documents; readonly loaded: Loaded }>();

function isSame(one: Documents, other: Documents): boolean {
  const isEach = (name: 'parsed' | 'foreign'): boolean =>
    one[name].length === other[name].length &&
    one[name].every((document, at) => document === other[name][at]);
  return one.kinds === other.kinds && one.context === other.context && isEach('parsed') && isEach('foreign');
}

function loadParsed(
  { parsed, foreign, context }: Documents,
  catalog: Catalog,
  variables: Variables,
  of: Context,
): Loaded {
  const problems: Problem[] = [];
  const documents = parsed.some(isLayered) ? overlay(parsed, catalog) : parsed;
  const recognised = documents.flatMap((document) => {
    const { value, problems: found } = checkOnce(document, context, { catalog, of, variables });
    addAll(problems, found);
    return value === undefined ? [] : [value];
  });
  const expanded = expand(recognised, catalog, of);
  const resolved = resolve(expanded.value, catalog.kinds);
  return {
    ...resolved,
    removals: expanded.removals,
    declaring: new Set(parsed.map(({ ref }) => ref.file)),
    problems: [...problems, ...expanded.problems, ...resolved.problems, ...checkForeign(foreign)],
  };
}

/** What was found of a document among these kinds, for a gateway of this sort. */
type Known = {
  readonly document: ParsedDocument;
  readonly kinds: KindSet;
  readonly context: string;
  readonly found: CheckedDocument;
};

/** By the number of the document in its file: a weak map of all documents would burden the garbage collector. */
const checked = new WeakMap<SourceFile, (readonly Known[] | undefined)[]>();

/** As many readings of a file are kept. */
const MOST_KNOWN = 2;

/** Checks a document; one that several environments share, once. */
function checkOnce(
  document: ParsedDocument,
  context: string,
  {
    catalog,
    of,
    variables,
  }: { readonly catalog: Catalog; readonly of: Context; readonly variables: Variables },
): CheckedDocument {
  const { kinds } = catalog;
  const { file, index } = document.ref;
  const inFile = checked.get(file) ?? [];
  const known = inFile[index] ?? [];
  const before = known.find(
    (one) => one.document === document && one.kinds === kinds && one.context === context,
  );
  if (before !== undefined) return before.found;
  const found = checkDocument(document, catalog, of, variables);
  // A document is the same one only if variables answer the same; what is said of them may differ.
  if (document.templates.size > 0 && found.problems.length > 0) return found;
  if (inFile.length === 0) checked.set(file, inFile);
  inFile[index] = [{ document, kinds, context, found }, ...known].slice(0, MOST_KNOWN);
  return found;
}

/** The names of all sources in files, of `${file:PATH}`, `${exec:NAME}` and those in stores: `file:PATH`. */
export function sourcesIn(files: readonly SourceFile[], catalog: Catalog): ReadonlySet<string> {
  const names = new Set<string>();
  const note = (name: string): 'open' => {
    names.add(name);
    return 'open';
  };
  const variables = variablesFrom(() => undefined, { source: note });
  for (const file of files) if (mayHaveSources(file.text)) documentsOf(file, catalog, variables);
  return names;
}

function byLayerAndPath(one: SourceFile, other: SourceFile): number {
  const layers = (one.layer ?? 0) - (other.layer ?? 0);
  return layers !== 0 ? layers : one.path < other.path ? -1 : one.path > other.path ? 1 : 0;
}

function isLayered({ value }: ParsedDocument): boolean {
  return isObject(value) && valueOf(value, 'overlay') !== undefined;
}
