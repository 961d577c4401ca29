import { addAll } from '../../model/collect.ts';
import { listSome } from '../../model/text/list.ts';
import { isObject, valueOf, type Json, valueAt, type Pointer } from '../../model/json/json.ts';
import type { Context, Kind, KindSet } from '../../model/kind.ts';
import { writtenUniqueValues } from '../../model/normal/constrained-values.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { makeProblem, type Problem, type SourceFile, type Checked } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import type { Removal } from '../../model/rules.ts';
import { asWritten, secretPlaces } from '../../model/secrets/secrets.ts';
import { isValid, placeOf, type Declaration, type DesiredState } from '../../model/state.ts';
import { describe } from '../wording.ts';
import { variablesFrom, mayHaveSources, type Variables } from '../yaml/interpolate.ts';
import { isOurs } from '../yaml/ours.ts';
import { parseYaml, type ParsedDocument } from '../yaml/parse.ts';
import { checkDocument, type CheckedDocument } from './check.ts';
import { expand } from './expand.ts';
import { overlay } from './overlay.ts';
import { isEncrypted, notFetched } from './pointer.ts';
import { looksOurs, isOtherFile, formNamed } from './recognise.ts';

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

/**
 * Of a file that was found in a folder, the documents if one of them looks like a resource, or if it cannot be read and
 * its text looks like one. Other files belong to other tools. Project files and tests are read elsewhere.
 */
function documentsOf(
  file: SourceFile,
  catalog: Catalog,
  variables: Variables,
  foreign: ParsedDocument[] = [],
): readonly ParsedDocument[] {
  if (file.named === true) return parseYaml(file, variables);
  if (isEncrypted(file.text)) addAll(foreign, parseYaml(file, variables).slice(0, 1));
  if (!MENTIONS.test(file.text)) return [];
  const isProjectFile = /(?:^|[\\/])gwconf\.yaml$/.test(file.path);
  const isOther = isOtherFile(file.path);
  const documents = parseYaml(file, variables).filter(
    ({ value }) => !(isProjectFile && isProject(value)) && !(isOther && !hasForm(value, catalog)),
  );
  const isBroken = documents.some(({ problems }) => problems.some(({ code }) => code === 'invalid-yaml'));
  if ((isBroken && isOurs(file)) || documents.some(({ value }) => looksOurs(value, catalog)))
    return documents;
  addAll(foreign, documents.filter(isOfAKind));
  return [];
}

function isOfAKind({ value }: ParsedDocument): boolean {
  return isObject(value) && typeof valueOf(value, 'kind') === 'string';
}

const MOST_NAMES = 10;

/** What is passed over is said, because a prune may delete what it was meant to declare. */
function checkForeign(documents: readonly ParsedDocument[]): readonly Problem[] {
  const [first] = documents;
  if (first === undefined) return [];
  const names = listSome(documents.map(nameForeign), MOST_NAMES);
  const count =
    documents.length === 1
      ? 'a document of another tool is'
      : `${documents.length} documents of other tools are`;
  return [
    makeProblem({
      code: 'foreign-document',
      message: `${count} not read: ${names}`,
      at: { file: first.ref.file, offset: first.ref.offset },
      hint: 'if one is meant for gwconf, write the apiVersion of its kind; --strict makes this an error',
    }),
  ];
}

/** Of a file of another tool, nothing is quoted that could be more than the name of a kind. */
function nameForeign({ ref, value }: ParsedDocument): string {
  const textOf = (key: string): string => {
    const text = isObject(value) ? valueOf(value, key) : undefined;
    return typeof text === 'string' &&
      /^(?:[a-z][a-z.-]{0,60}\/)?(?:v\d\w{0,9}|[A-Z][A-Za-z]{0,40})$/.test(text)
      ? ` ${text}`
      : '';
  };
  const kind = `${textOf('apiVersion')}${textOf('kind')}`.trim();
  return kind === '' ? ref.file.path : `${ref.file.path} (${kind})`;
}

const MENTIONS = /\b(?:apiVersion|kind|metadata)\b/i;

/** In a file for another command, a resource is still a resource: a prune would delete it. */
function hasForm(value: Json, catalog: Catalog): boolean {
  return isObject(value) && formNamed(valueOf(value, 'kind'), catalog) !== undefined;
}

function isProject(value: Json): boolean {
  return isObject(value) && valueOf(value, 'kind') === 'Project';
}

type Resolved = Checked<DesiredState> & {
  /** All declared resources, also invalid ones. */
  readonly declared: ReadonlyMap<Address, Declaration>;
};

type Holder = { readonly declared: Declaration; readonly at: Pointer };

/** Collects resources by address; duplicate addresses and unique values are problems. */
function resolve(candidates: readonly Declaration[], kinds: KindSet): Resolved {
  const declared = new Map<Address, Declaration>();
  const holders = new Map<string, Holder>();
  const problems: Problem[] = [];
  for (const one of candidates) {
    const kind = kinds.get(kindOf(one.address));
    if (kind === undefined) continue;
    const first = declared.get(one.address);
    if (first !== undefined) {
      problems.push(duplicate(first, one));
      continue;
    }
    declared.set(one.address, one);
    addAll(problems, reservedName(kind, one));
    addAll(problems, duplicateValues(kind, one, holders));
  }
  return { value: validAmong(declared), declared, problems };
}

/** The same map where all are valid, as there may be a million. */
function validAmong(declared: ReadonlyMap<Address, Declaration>): DesiredState {
  const invalid = [...declared.values()].filter((one) => !isValid(one));
  if (invalid.length === 0) return declared as DesiredState; // as just seen
  const state = new Map(declared);
  for (const { address } of invalid) state.delete(address);
  return state as DesiredState;
}

const NAME: Pointer = '/metadata/name';

function duplicate(first: Declaration, second: Declaration): Problem {
  return makeProblem({
    code: 'duplicate-resource',
    message: `${second.address} is declared twice`,
    at: placeOf(second, NAME),
    also: placeOf(first, NAME),
    address: second.address,
    path: NAME,
    hint: isLater(second, first)
      ? 'write overlay: true to change the first, or keep one of the two'
      : 'keep one of the two',
  });
}

function isLater({ document: one }: Declaration, { document: other }: Declaration): boolean {
  return (one.file.layer ?? 0) > (other.file.layer ?? 0);
}

function reservedName(kind: Kind, declared: Declaration): readonly Problem[] {
  const name = valueAt(declared.resource, NAME);
  if (!kind.builtIn.some((known) => known === name)) return [];
  return [
    makeProblem({
      code: 'reserved-name',
      message: `${declared.address} always exists and cannot be declared`,
      at: placeOf(declared, NAME),
      address: declared.address,
      path: NAME,
      hint: 'remove the document, or choose another name',
    }),
  ];
}

/** Values of a resource that only one resource of the kind can have, but an earlier one has. */
function duplicateValues(kind: Kind, one: Declaration, holders: Map<string, Holder>): readonly Problem[] {
  return writtenUniqueValues(kind, asWritten(one)).flatMap(
    ({ key, pointer, noun, value }): readonly Problem[] => {
      const { declared: first, at } = holders.get(key) ?? { declared: one, at: pointer };
      if (first === one) {
        holders.set(key, { declared: one, at: pointer });
        return [];
      }
      const isHidden = secretPlaces(kind, one.resource, one.templates).has(pointer);
      const shown = isHidden ? '' : ` ${describe(value)}`;
      return [
        makeProblem({
          code: 'duplicate-value',
          message: `${one.address} and ${first.address} have the same ${noun}${shown}, which must be unique`,
          at: placeOf(one, pointer),
          also: placeOf(first, at),
          address: one.address,
          path: pointer,
          hint: 'remove it from one of them',
        }),
      ];
    },
  );
}
