import { addTo, memoize } from '../model/collect.ts';
import {
  isObject,
  joinPointer,
  parsePointer,
  printPointer,
  valueAt,
  type Pointer,
} from '../model/json/json.ts';
import type { Catalog } from '../model/own-kind.ts';
import type { DocumentRef, Place, SourceFile } from '../model/problem.ts';
import { kindOf, parseAddress, printAddress, type Address } from '../model/resource.ts';
import { placeOf, type Declaration } from '../model/state.ts';
import { compileGlob } from '../model/text/glob.ts';
import { NAMES } from '../schema/closed.ts';
import { fileForms } from '../schema/explain/names.ts';
import { parseYaml } from '../schema/yaml/parse.ts';
import { writtenAt } from '../schema/yaml/places.ts';
import { typedAt } from '../schema/yaml/typed-at.ts';
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
  /** What the text is: the name of the object, its whole address, or a glob for addresses. */
  readonly by: 'name' | 'address' | 'glob';
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
  const add = (mention: Mention): void => {
    const { of, document, path } = mention;
    const key = `${document.file.path} ${document.offset} ${path} ${of}`;
    if (seen.has(key)) return; // several environments share it
    seen.add(key);
    addTo(byAddress, of, mention);
    addTo(byFile, document.file.path, mention);
  };
  const mentionsOf = mentionsBy(look.catalog);
  for (const { input } of look.environments)
    for (const declaration of input.declared.values()) mentionsOf(declaration).forEach(add);
  for (const file of look.files.values()) {
    for (const mention of mentionsInOwn(file, look.catalog)) {
      if ('of' in mention) add(mention);
      else globs.push(mention);
    }
  }
  return { byAddress, byFile, globs };
});

const NAME: Pointer = '/metadata/name';

/** Of each declaration once, while it stays as it is. */
const mentionsBy = memoize(({ kinds }: Catalog) =>
  memoize((declaration: Declaration): readonly Mention[] => {
    const { address, resource, document, overlays = [], places } = declaration;
    const kind = kinds.get(kindOf(address));
    const found: Mention[] = [];
    const note = (of: Address, as: Mention['as'], place: Place): void => {
      if ('document' in place) found.push({ of, as, document: place.document, path: place.path, by: 'name' });
    };
    note(address, 'declaration', { document, path: NAME, on: 'value' });
    for (const over of overlays)
      note(address, 'overlay', { document: over.document, path: NAME, on: 'value' });
    if (kind === undefined) return found;
    for (const { to, path } of referencesOf(kind, resource)) {
      const field = isObject(valueAt(resource, path)) ? joinPointer(path, 'name') : path;
      if (valueAt(resource, field) !== undefined) note(to, 'reference', placeOf(declaration, field));
    }
    // A member that a document of another kind adds stands there by the name of this object.
    for (const place of places?.values() ?? []) {
      const isElsewhere = 'document' in place && place.document.offset !== document.offset;
      if (isElsewhere && bare(place) === parseAddress(address)?.name) note(address, 'reference', place);
    }
    return found;
  }),
);

/** The text at a place without its quotes. */
function bare(place: Place): string {
  return writtenAt(place).replace(/^(["'])(.*)\1$/s, '$2');
}

/** What the documents of gwconf itself name: the project file, tests, policies, removals. */
function mentionsInOwn(file: SourceFile, catalog: Catalog): readonly (Mention | GlobMention)[] {
  const names = [...fileForms.map(({ name }) => name), ...namingKinds(catalog)];
  return names.some((name) => file.text.includes(name)) ? readOwn(catalog)(file) : [];
}

/** The kinds of gwconf of which a field names others. */
const namingKinds = memoize(({ ownKinds }: Catalog): readonly string[] =>
  [...ownKinds.values()]
    .filter(({ schema }) => JSON.stringify(schema).includes(NAMES))
    .map(({ name }) => name),
);

const readOwn = memoize((catalog: Catalog) =>
  memoize((file: SourceFile): readonly (Mention | GlobMention)[] => {
    const keep = { keep: () => undefined };
    return parseYaml(file, keep).flatMap(({ ref, value }) => {
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
          return [{ ...at, of: printAddress({ ...referred, name: text }), by: 'name' }];
        },
      );
    });
  }),
);

/** What is named at an offset of a file. */
export function mentionAt(look: Look, file: SourceFile, offset: number): Mention | undefined {
  const typed = typedAt(file, offset);
  if (typed?.on !== 'value') return undefined;
  const { document, path } = typed;
  const isHere = (one: Mention): boolean =>
    one.path === path && document.from <= one.document.offset && one.document.offset < document.to;
  return namesIn(look).byFile.get(file.path)?.find(isHere);
}

/** All mentions of an object, also those by globs that match it. */
export function mentionsOf(look: Look, address: Address): readonly Mention[] {
  const { byAddress, globs } = namesIn(look);
  const matching = globs.filter(({ matches }) => matches(address));
  return [
    ...(byAddress.get(address) ?? []),
    ...matching.map(({ matches: _, ...mention }): Mention => ({ ...mention, of: address, by: 'glob' })),
  ];
}
