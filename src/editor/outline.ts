import {
  SymbolKind,
  type CodeLens,
  type DocumentSymbol,
  type FoldingRange,
} from 'vscode-languageserver-types';
import {
  isList,
  isObject,
  joinPointer,
  valueAt,
  valueOf,
  type Json,
  type Pointer,
} from '../model/json/json.ts';
import { groupBy } from '../model/collect.ts';
import type { SourceFile } from '../model/problem.ts';
import { HIDDEN } from '../model/secrets/hidden.ts';
import { isSecretText } from '../model/secrets/secret-texts.ts';
import type { Declaration } from '../model/state.ts';
import { foldsOf } from '../schema/yaml/extent.ts';
import { parseYaml, type ParsedDocument } from '../schema/yaml/parse.ts';
import { declaredAt, declaredIn, type EnvironmentLook, type Look } from './look.ts';
import { rangeBetween, rangeOf, wholeRangeOf } from './ranges.ts';
import { countPrincipals, countTopics, effectIn } from './reach.ts';

/** The documents of a file, each with the fields of its body. */
export function outlineOf(file: SourceFile): readonly DocumentSymbol[] {
  const documents = parseYaml(file, { keep: () => undefined });
  return documents.flatMap((document): readonly DocumentSymbol[] => {
    const { value, ref } = document;
    if (!isObject(value)) return [];
    const kind = textOr(valueOf(value, 'kind'), 'document');
    const name = textOr(valueAt(value, '/metadata/name'), '');
    const range = wholeRangeOf({ document: ref, path: '', on: 'value' });
    return [
      {
        name: name === '' ? kind : name,
        ...(name === '' ? {} : { detail: kind }),
        kind: SymbolKind.Object,
        range,
        selectionRange: { start: range.start, end: range.start },
        children: BODIES.flatMap((path) => fieldsBelow(document, path)),
      },
    ];
  });
}

/** Where documents have what they are about. */
const BODIES: readonly Pointer[] = ['/spec', '/environments', '/cases'];

function fieldsBelow({ value, ref }: ParsedDocument, path: Pointer): DocumentSymbol[] {
  const body = valueAt(value, path);
  if (!isObject(body) && !isList(body)) return [];
  return Object.entries(body).map(([key, child]): DocumentSymbol => {
    const at = joinPointer(path, key);
    const whole = wholeRangeOf({ document: ref, path: at, on: 'value' });
    const selectionRange = rangeOf({ document: ref, path: at, on: 'key' });
    const name = isList(body) ? textOr(valueOf(child, 'name'), key) : textOr(key, key);
    return {
      name,
      kind: SymbolKind.Field,
      range: { start: selectionRange.start, end: whole.end },
      selectionRange: isList(body)
        ? { start: selectionRange.start, end: selectionRange.start }
        : selectionRange,
    };
  });
}

/** A text that may be shown; an outline has no empty names. */
function textOr(value: Json | undefined, other: string): string {
  if (typeof value !== 'string' || value === '') return other;
  return isSecretText(value) ? HIDDEN : value;
}

/** Above each interceptor for whom it runs and what it does to topics; above each topic what protects it. */
export function lensesOf(look: Look, file: SourceFile): readonly CodeLens[] {
  const own = declaredIn(look, file.path).filter(({ document }) => document.file.path === file.path);
  return own.flatMap(({ document: { offset }, address }): readonly CodeLens[] => {
    const here = declaredAt(look, file, { from: offset, to: offset + 1 });
    const found = here.flatMap(({ environment, declaration }) => {
      const title = declaration.address === address ? titleOf(look, environment, declaration) : undefined;
      return title === undefined ? [] : [{ name: environment.name, title }];
    });
    const groups = [...groupBy(found, ({ title }) => title)];
    const isSame = groups.length === 1 && found.length === look.environments.length;
    return groups.map(([title, same]): CodeLens => {
      const names = same.flatMap(({ name }) => name ?? []).join(', ');
      return {
        range: rangeBetween(file, { from: offset, to: offset }),
        command: { title: isSame || names === '' ? title : `${names}: ${title}`, command: '' },
      };
    });
  });
}

function titleOf(look: Look, environment: EnvironmentLook, declaration: Declaration): string | undefined {
  const effect = effectIn(look, environment, declaration);
  if (effect === undefined) return undefined;
  if ('reach' in effect) {
    const { reach } = effect;
    return [countPrincipals(reach.principals), countTopics(reach)].filter((one) => one !== '').join(' · ');
  }
  const { protectors } = effect;
  const sortsOf = (are: boolean): ReadonlySet<string> =>
    new Set(protectors.flatMap(({ protections, isSure }) => (isSure === are ? protections : [])));
  const [sure, unsure] = [sortsOf(true), sortsOf(false)];
  const perhaps = [...unsure].flatMap((one) => (sure.has(one) ? [] : [`perhaps ${one}`]));
  return [...sure, ...perhaps].sort().join(' · ') || 'no protection';
}

/** What of a file can be folded: documents, maps, lists and texts of several lines. */
export function foldingOf(file: SourceFile): readonly FoldingRange[] {
  const found = new Map<string, FoldingRange>();
  for (const { from, to } of foldsOf(file)) {
    const { start, end } = rangeBetween(file, { from, to: file.text[to - 1] === '\n' ? to - 1 : to });
    const [startLine, endLine] = [start.line, end.line];
    if (endLine > startLine) found.set(`${startLine} ${endLine}`, { startLine, endLine });
  }
  return [...found.values()];
}
