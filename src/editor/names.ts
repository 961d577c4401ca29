import { addTo, memoize } from '../model/collect.ts';
import { addDefaults } from '../model/defaults.ts';
import {
  isObject,
  joinPointer,
  parsePointer,
  printPointer,
  valueAt,
  valueOf,
  type Json,
  type Pointer,
} from '../model/json/json.ts';
import type { Kind, Reference } from '../model/kind.ts';
import type { Catalog } from '../model/own-kind.ts';
import type { DocumentRef, Place, SourceFile } from '../model/problem.ts';
import { kindOf, parseAddress, printAddress, type Address } from '../model/resource.ts';
import { placeOf, type Declaration } from '../model/state.ts';
import { compileGlob } from '../model/text/glob.ts';
import { NAMES } from '../schema/closed.ts';
import { fileForms, type Named } from '../schema/explain/names.ts';
import { parseYaml } from '../schema/yaml/parse.ts';
import { rangeOf } from '../schema/yaml/places.ts';
import type { Span } from '../schema/yaml/text-lines.ts';
import { documentAround, typedAt } from '../schema/yaml/typed-at.ts';
import { namedOf, namingTexts } from './field-at.ts';
import type { Look } from './look.ts';
import { referencesOf, referredBy } from './referred.ts';

/** A place of a file that names an object. */
export type Mention = {
  readonly of: Address;
  /** Whether it declares the object, changes it in a later layer, or only refers to it. */
  readonly as: 'declaration' | 'overlay' | 'reference';
  readonly document: DocumentRef;
  readonly path: Pointer;
  /** What the text is: the name of the object, a pattern of this topic alone, User: and a name, a whole address, or a glob for addresses. */
  readonly by: 'name' | 'pattern' | 'principal' | 'address' | 'glob';
  /** Whether the object need not be declared, as clients and topics are not. */
  readonly isLoose?: true;
};
type GlobMention = Omit<Mention, 'of' | 'by'> & { readonly matches: (address: string) => boolean };

export type Names = {
  /** All mentions of one object by its name or address. */
  readonly byAddress: ReadonlyMap<Address, readonly Mention[]>;
  /** Mentions by file, for what is at a place of it. */
  readonly byFile: ReadonlyMap<string, readonly Mention[]>;
  readonly globs: readonly GlobMention[];
};

/** What declares and what refers to each object, in all files of a project. */
export const namesIn = memoize((look: Look): Names => {
  const byAddress = new Map<Address, Mention[]>();
  const byFile = new Map<string, Mention[]>();
  const globs: GlobMention[] = [];
  const seen = new Set<string>();
  const loose: Mention[] = [];
  const add = (mention: Mention, isSure = mention.isLoose !== true): void => {
    if (!isSure) {
      loose.push(mention);
      return;
    }
    const { of, document, path } = mention;
    const key = `${document.file.path} ${document.offset} ${path} ${of}`;
    if (seen.has(key)) return; // several environments share it
    seen.add(key);
    addTo(byAddress, of, mention);
    addTo(byFile, document.file.path, mention);
  };
  const mentionsOf = mentionsBy(look.catalog);
  for (const { declared } of look.environments)
    for (const declaration of declared.values()) for (const mention of mentionsOf(declaration)) add(mention);
  for (const file of look.files.values())
    for (const mention of mentionsInOwn(look.catalog)(file))
      if ('of' in mention) add(mention);
      else globs.push(mention);
  for (const mention of loose)
    if (byAddress.get(mention.of)?.some(({ as }) => as === 'declaration') === true) add(mention, true);
  return { byAddress, byFile, globs };
});

const NAME: Pointer = '/metadata/name';

/** Of each declaration once, while what it declares stays as it is; what several documents make may change with any of them. */
const mentionsBy = memoize((catalog: Catalog) => {
  const known = new WeakMap<object, readonly Mention[]>();
  return (declaration: Declaration): readonly Mention[] => {
    const { resource, places } = declaration;
    const mentions = known.get(resource) ?? mentionsIn(declaration, catalog);
    if (places === undefined) known.set(resource, mentions);
    return mentions;
  };
});

function mentionsIn(declaration: Declaration, catalog: Catalog): readonly Mention[] {
  const { address, resource, document, overlays = [], places } = declaration;
  const kind = catalog.kinds.get(kindOf(address));
  const documents = [document, ...overlays.map((one) => one.document)];
  const found = documents.map((one): Mention => {
    const as = one === document ? 'declaration' : 'overlay';
    return { of: address, as, document: one, path: NAME, by: 'name' };
  });
  const note = (of: Address, place: Place, about: Pick<Mention, 'by' | 'isLoose'> = { by: 'name' }): void => {
    if ('document' in place)
      found.push({ of, as: 'reference', document: place.document, path: place.path, ...about });
  };
  if (kind === undefined) return found;
  // Documents of other kinds add members to this object, by its name.
  const isElsewhere = (place: Place): place is Place & Pick<Mention, 'document' | 'path'> =>
    'document' in place && !documents.includes(place.document);
  for (const { to, path } of namedIn(resource, kind, catalog)) {
    const place = placeOf(declaration, path);
    if (!isElsewhere(place)) note(to, place);
  }
  for (const { to, path, by } of [
    ...topicsIn(resource, kind, catalog),
    ...clientsIn(resource, kind, catalog),
  ]) {
    note(to, placeOf(declaration, path), { by, isLoose: true });
  }
  for (const place of places?.values() ?? [])
    if (isElsewhere(place) && textOf(place).text === parseAddress(address)?.name) note(address, place);
  // A layer can name again what another one names.
  for (const one of overlays.length === 0 ? [] : documents) {
    const value = valueOfDocument(one);
    if (kind.name !== valueOf(value, 'kind')) continue;
    for (const { to, path } of namedIn(value, kind, catalog)) note(to, { document: one, path, on: 'value' });
  }
  return found;
}

type LooseReference = Reference & Pick<Mention, 'by'>;

/** The topics of its virtual cluster that the config of a resource is for, each by its name. */
function topicsIn(
  resource: Json,
  { variants, axes, defaultTree }: Kind,
  { kinds }: Catalog,
): readonly LooseReference[] {
  const variant = variants?.known.find(({ name }) => name === valueAt(resource, variants.by));
  const cluster = axes.find(({ name }) => name === CLUSTER);
  const scope =
    cluster && valueAt(addDefaults(resource, defaultTree), printPointer(['metadata', ...cluster.tokens]));
  if (variants === undefined || variant === undefined || typeof scope !== 'string') return [];
  return variant.narrowings.flatMap(({ at, it: { axis, by } }): readonly LooseReference[] => {
    const path = printPointer([...parsePointer(variants.part), ...at]);
    const value =
      axis === 'topic' && (by === 'name' || by === 'pattern') ? valueAt(resource, path) : undefined;
    const name = typeof value === 'string' ? value.replaceAll('\\.', '.') : '';
    if (!/^[\w.-]+$/.test(name)) return [];
    return [...kinds.values()]
      .filter(({ topics, removal }) => topics?.by === 'name' && removal !== undefined)
      .map((kind) => ({
        to: printAddress({ kind: kind.name, name, scope: { [CLUSTER]: scope } }),
        path,
        by: 'pattern' as const,
      }));
  });
}

/** The clients that a resource names, by its schema: as in ACLs. */
function clientsIn(resource: Json, kind: Kind, catalog: Catalog): readonly LooseReference[] {
  if (!namingKinds(catalog).has(kind.name)) return [];
  const named: Named = { form: kind, variant: undefined, name: kind.name, rest: '' };
  return [...namingTexts(named, resource)].flatMap(({ path, text, what }): readonly LooseReference[] => {
    const by = what.includes('principal') ? 'principal' : 'name';
    const [, name] = by === 'name' ? [text, text] : (/^User:(.+)$/.exec(text) ?? []);
    const referred = what.flatMap((one) => referredBy(one, resource, path, catalog) ?? [])[0];
    if (referred === undefined || name === undefined || name.includes('*')) return [];
    return [{ to: printAddress({ ...referred, name }), path: printPointer(path), by }];
  });
}

const CLUSTER = 'vCluster';

/** What a resource names itself, not by a default. */
function namedIn(resource: Json, kind: Kind, catalog: Catalog): readonly Reference[] {
  return referencesOf(kind, resource).flatMap(({ to, path }): readonly Reference[] => {
    const value = valueAt(resource, path);
    if (!isObject(value)) return value === undefined ? [] : [{ to, path }];
    // A map names its object, and what that is in.
    return Object.entries(value).flatMap(([key, name]): readonly Reference[] => {
      const field = joinPointer(path, key);
      if (key === 'name') return [{ to, path: field }];
      const around = referredBy(key, resource, parsePointer(field), catalog);
      return around === undefined || typeof name !== 'string'
        ? []
        : [{ to: printAddress({ ...around, name }), path: field }];
    });
  });
}

const documentsOf = memoize((file: SourceFile) => parseYaml(file, { keep: () => undefined }));

function valueOfDocument({ file, offset }: DocumentRef): Json {
  return documentsOf(file).find(({ ref }) => ref.offset === offset)?.value ?? null;
}

/** The kinds of which the schema says that a field names others. */
const namingKinds = memoize(({ kinds, ownKinds }: Catalog): ReadonlySet<string> => {
  const all = [...kinds.values(), ...ownKinds.values()];
  return new Set(all.filter(({ schema }) => JSON.stringify(schema).includes(NAMES)).map(({ name }) => name));
});

/** What the documents of gwconf itself name: the project file, tests, policies, removals. */
const mentionsInOwn = memoize((catalog: Catalog) =>
  memoize((file: SourceFile): readonly (Mention | GlobMention)[] => {
    const own = [...namingKinds(catalog)].filter((name) => catalog.ownKinds.has(name));
    const names = [...fileForms.map(({ name }) => name), ...own];
    if (!names.some((name) => file.text.includes(name))) return [];
    return documentsOf(file).flatMap(({ ref, value }) => {
      const named = isObject(value) ? namedOf({ value, file }, catalog) : undefined;
      if (named === undefined || 'aliases' in named.form) return [];
      return [...namingTexts(named, value)].flatMap(
        ({ path, text, what }): readonly (Mention | GlobMention)[] => {
          const at = { as: 'reference', document: ref, path: printPointer(path) } as const;
          if (what.includes('address') && text.includes('/')) {
            if (/[*!]/.test(text)) return [{ ...at, matches: compileGlob(text.replace(/^!/, '')) }];
            return parseAddress(text) === undefined ? [] : [{ ...at, of: text as Address, by: 'address' }];
          }
          const referred = what.flatMap((one) => referredBy(one, value, path, catalog) ?? [])[0];
          if (referred === undefined || text.includes('*')) return [];
          const isLoose = what.includes('topic') ? ({ isLoose: true } as const) : {};
          return [{ ...at, of: printAddress({ ...referred, name: text }), by: 'name', ...isLoose }];
        },
      );
    });
  }),
);

/** The objects that are named at an offset of a file: one by its name or address, or all that a glob matches. */
export function mentionsAt(look: Look, file: SourceFile, offset: number): readonly Mention[] {
  const typed = typedAt(file, offset);
  if (typed?.on !== 'value') return [];
  const { document, path } = typed;
  const isHere = (one: Pick<Mention, 'document' | 'path'>): boolean =>
    one.path === path && document.from <= one.document.offset && one.document.offset < document.to;
  const { byAddress, byFile, globs } = namesIn(look);
  const found = byFile.get(file.path)?.find(isHere);
  if (found !== undefined) return [found];
  const glob = globs.find((one) => one.document.file.path === file.path && isHere(one));
  if (glob === undefined) return [];
  return [...byAddress.keys()].filter(glob.matches).map((of) => byGlob(glob, of));
}

/** All mentions of an object, also those by globs that match it. */
export function mentionsOf(look: Look, address: Address): readonly Mention[] {
  const { byAddress, globs } = namesIn(look);
  const matching = globs.filter(({ matches }) => matches(address)).map((glob) => byGlob(glob, address));
  return [...(byAddress.get(address) ?? []), ...matching];
}

function byGlob({ as, document, path }: GlobMention, of: Address): Mention {
  return { of, as, document, path, by: 'glob' };
}

/** Where the text of a mention is, without quotes, and that text. */
export function textOf({ document, path }: Pick<Mention, 'document' | 'path'>): {
  readonly text: string;
  readonly span: Span;
} {
  const { from, piece } = pieceOf(document);
  const place = {
    document: { file: piece, index: 0, offset: document.offset - from },
    path,
    on: 'value',
  } as const;
  const { start, end } = rangeOf(place);
  const text = piece.text.slice(start.offset, end.offset);
  const quotes = /^(["']).*\1$/s.test(text) ? 1 : 0;
  return {
    text: text.slice(quotes, text.length - quotes),
    span: { from: from + start.offset + quotes, to: from + end.offset - quotes },
  };
}

/** One document of a file: to read the syntax of all takes long where there are many. */
const pieceOf = memoize(({ file, offset }: DocumentRef) => {
  const { from, to } = documentAround(file, offset);
  return { from, piece: { path: file.path, text: file.text.slice(from, to) } };
});
