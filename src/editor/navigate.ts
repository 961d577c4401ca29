import { SymbolKind, type Location, type WorkspaceSymbol } from 'vscode-languageserver-types';
import { memoize } from '../model/collect.ts';
import type { SourceFile } from '../model/problem.ts';
import { printPointer } from '../model/json/json.ts';
import { kindOf, type Address } from '../model/resource.ts';
import { lineEnd, lineStart } from '../schema/yaml/text-lines.ts';
import type { Look } from './look.ts';
import { mentionsAt, mentionsOf, namesIn, textOf, type Mention } from './names.ts';
import { rangeBetween, rangeOf, type UriOf } from './ranges.ts';

/** A list of more is of no use. */
const MOST_FOUND = 1000;

/** Where what is named at an offset is declared, and the documents of later layers that change it. */
export function definitionsAt(
  look: Look,
  file: SourceFile,
  offset: number,
  uriOf: UriOf,
): readonly Location[] {
  const declared = mentionsAt(look, file, offset).flatMap(({ of }) =>
    mentionsOf(look, of).filter(({ as }) => as !== 'reference'),
  );
  return [...variableAt(look, file, offset, uriOf), ...located(declared, uriOf)];
}

/** Everything that names the object at an offset. */
export function referencesAt(
  look: Look,
  file: SourceFile,
  offset: number,
  uriOf: UriOf,
  { withDeclaration }: { readonly withDeclaration: boolean },
): readonly Location[] {
  const all = mentionsAt(look, file, offset).flatMap(({ of }) => mentionsOf(look, of));
  return located(withDeclaration ? all : all.filter(({ as }) => as === 'reference'), uriOf);
}

/** The places in this file of the object at an offset. */
export function highlightsAt(look: Look, file: SourceFile, offset: number): readonly Location[] {
  return referencesAt(look, file, offset, (path) => path, { withDeclaration: true }).filter(
    ({ uri }) => uri === file.path,
  );
}

function located(mentions: readonly Mention[], uriOf: UriOf): readonly Location[] {
  return mentions.slice(0, MOST_FOUND).map((mention) => ({
    uri: uriOf(mention.document.file.path),
    range: rangeBetween(mention.document.file, textOf(mention).span),
  }));
}

/** Where gwconf.yaml says the value of the variable at an offset, in each environment. */
function variableAt(
  { project }: Look,
  { text }: SourceFile,
  offset: number,
  uriOf: UriOf,
): readonly Location[] {
  const start = lineStart(text, offset);
  const all = text.slice(start, lineEnd(text, offset)).matchAll(/\$\{var\.([^}]*)\}/g);
  const [, name] =
    [...all].find(
      ({ 0: { length }, index }) => start + index <= offset && offset <= start + index + length,
    ) ?? [];
  const { written, environments } = project;
  if (name === undefined || written === undefined) return [];
  return [...environments].flatMap(([environment, { variables = {} }]): readonly Location[] => {
    if (!Object.hasOwn(variables, name)) return [];
    const place = written.placeOf(printPointer(['environments', environment, 'variables', name]));
    if (!('document' in place)) return [];
    return [{ uri: uriOf(place.document.file.path), range: rangeOf({ ...place, on: 'key' }) }];
  });
}

/** The declared objects whose addresses have all words of a query in them. */
export function findSymbols(look: Look, query: string, uriOf: UriOf): readonly WorkspaceSymbol[] {
  const words = query.toLowerCase().split(/\s+/);
  const found: WorkspaceSymbol[] = [];
  for (const { address, lower, mention } of declaredIn(look)) {
    if (!words.every((word) => lower.includes(word))) continue;
    const { file, offset } = mention.document;
    found.push({
      name: address,
      kind: SymbolKind.Object,
      containerName: kindOf(address),
      location: { uri: uriOf(file.path), range: rangeBetween(file, { from: offset, to: offset }) },
    });
    if (found.length >= MOST_FOUND) break;
  }
  return found;
}

type DeclaredObject = { readonly address: Address; readonly lower: string; readonly mention: Mention };

const declaredIn = memoize((look: Look): readonly DeclaredObject[] =>
  [...namesIn(look).byAddress].flatMap(([address, mentions]) =>
    mentions
      .filter(({ as }) => as === 'declaration')
      .map((mention) => ({ address, lower: address.toLowerCase(), mention })),
  ),
);
