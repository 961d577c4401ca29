import { dirname, join, relative } from 'node:path';
import { CompletionItemKind, type CompletionItem } from 'vscode-languageserver-types';
import { parsePointer } from '../model/json/json.ts';
import type { SourceFile } from '../model/problem.ts';
import { lineStart, type Span } from '../schema/yaml/text-lines.ts';
import { tokensAround, typedAt } from '../schema/yaml/typed-at.ts';
import { followTokens, namedOf, nameablesOf } from './field-at.ts';
import type { Look } from './look.ts';
import { rangeBetween } from './ranges.ts';

/** A path that somebody writes: the folder that it has led to so far, and where the name in it is written. */
export type PathAt = { readonly folder: string; readonly span: Span };

export type Entry = { readonly name: string; readonly isFolder: boolean };

/** The path at an offset, in `${file:…}` or a field of gwconf.yaml or a test; undefined where there is none that is relative. */
export function pathAt(look: Look, file: SourceFile, offset: number): PathAt | undefined {
  const line = file.text.slice(lineStart(file.text, offset), offset);
  const [, source] = /\$\{file:([^}${]*)$/.exec(line) ?? [];
  const { folder = '.', root } = look.project;
  if (source !== undefined) return partOf({ base: folder, root }, source, { from: offset, to: offset });
  const typed = typedAt(file, offset);
  const named = typed?.on === 'value' ? namedOf(typed, look.catalog) : undefined;
  const field = typed && named && followTokens(named, typed.value, tokensAround(typed));
  if (typed === undefined || field === undefined) return undefined;
  if (!nameablesOf(field.place, typed.value, parsePointer(typed.path)).includes('path')) return undefined;
  const written = file.text.slice(typed.span.from, offset);
  return partOf({ base: dirname(file.path), root }, written, { from: offset, to: typed.span.to });
}

function partOf(
  { base, root }: { readonly base: string; readonly root: string },
  written: string,
  { from, to }: Span,
): PathAt | undefined {
  if (/^(?:[/\\]|[A-Za-z]:)/.test(written)) return undefined;
  const start = written.lastIndexOf('/') + 1;
  const folder = join(base, written.slice(0, start));
  if (relative(root, folder).startsWith('..')) return undefined;
  return { folder, span: { from: from - (written.length - start), to } };
}

/** What would need quotes, or escapes, in YAML. */
const SPECIAL = /[\p{C}"'`{}[\],#:&*!|>%$\\]/u;

/** The files and folders that can follow. */
export function completePath(
  { span }: PathAt,
  file: SourceFile,
  entries: readonly Entry[],
): readonly CompletionItem[] {
  const range = rangeBetween(file, span);
  const plain = entries.filter(({ name }) => !SPECIAL.test(name));
  return plain.map(({ name, isFolder }) => ({
    label: name,
    kind: isFolder ? CompletionItemKind.Folder : CompletionItemKind.File,
    textEdit: { range, newText: isFolder ? `${name}/` : name },
  }));
}
