import type { CodeAction, Range, TextEdit, WorkspaceEdit } from 'vscode-languageserver-types';
import { editFile } from '../declare/edit/edit-file.ts';
import { nameSecrets } from '../declare/name-secrets.ts';
import { changeAt, parsePointer, valueAt, type Json } from '../model/json/json.ts';
import { fieldOf, fieldsOf, itemOf } from '../schema/fields.ts';
import { sampleOf } from '../schema/explain/template.ts';
import { rootPlace } from '../schema/explain/explain-place.ts';
import { ACCEPTABLE, type Place, type Problem, type SourceFile } from '../model/problem.ts';
import { kindOf } from '../model/resource.ts';
import { makeRemoval } from '../schema/kinds/removal.ts';
import { asWritten } from '../schema/fmt/fmt.ts';
import { parseYaml } from '../schema/yaml/parse.ts';
import { printYaml } from '../schema/yaml/print.ts';
import { fileOf, writtenAt } from '../schema/yaml/places.ts';
import { declaredIn, type Look } from './look.ts';
import type { Marked } from './problems.ts';
import { editTo, offsetAt, overlap, rangeBetween, rangeOf, type UriOf } from './ranges.ts';
import { printValue } from './offers.ts';

/** What can be asked of one file: its problems, and where the cursor is. */
export type ActionsAsked = {
  readonly file: SourceFile;
  readonly range: Range;
  readonly marked: readonly Marked[];
  readonly uriOf: UriOf;
};

/** The cures of the problems in a range, all sure ones at once, and what can be done with a document. */
export function actionsFor(look: Look, { file, range, marked, uriOf }: ActionsAsked): readonly CodeAction[] {
  const inFile = (edits: readonly TextEdit[]): WorkspaceEdit => ({
    changes: { [uriOf(file.path)]: [...edits] },
  });
  const cures = marked
    .filter(({ diagnostic }) => overlap(diagnostic.range, range))
    .flatMap(({ problem, diagnostic }) =>
      curesOf(look, file, problem).map(({ title, edits, isSure }): CodeAction => ({
        ...{ title, kind: 'quickfix', diagnostics: [diagnostic] },
        ...(isSure ? { isPreferred: true } : {}),
        edit: inFile(edits),
      })),
    );
  const rewrites = removals(look, file, range).map(({ title, edits }): CodeAction => ({
    title,
    kind: 'refactor.rewrite',
    edit: inFile(edits),
  }));
  const all = fixAll(marked);
  const together: CodeAction = {
    title: 'Fix all problems with one likely cure',
    kind: 'source.fixAll.gwconf',
    edit: inFile(all),
  };
  return [...cures, ...rewrites, ...(all.length === 0 ? [] : [together])];
}

/** The edits of all cures that are likely to be right, none in the way of another. */
export function fixAll(marked: readonly Marked[]): readonly TextEdit[] {
  const edits: TextEdit[] = [];
  const written = new Set<string>();
  for (const { problem } of marked) {
    const edit = insteadOf(problem);
    if (edit === undefined || edits.some(({ range }) => overlap(range, edit.range))) continue;
    const field = fieldAfter(problem);
    if (field !== undefined && written.has(field)) continue; // a map has a key once
    if (field !== undefined) written.add(field);
    edits.push(edit);
  }
  return edits;
}

/** The field, in its document, that a misspelt one becomes. */
function fieldAfter({ code, at, path, instead }: Problem): string | undefined {
  if (code !== 'unknown-field' || path === undefined || at === undefined || !('document' in at))
    return undefined;
  return `${at.document.index} ${path.slice(0, path.lastIndexOf('/'))}/${instead ?? ''}`;
}

type Cure = { readonly title: string; readonly edits: readonly TextEdit[]; readonly isSure?: boolean };

function curesOf(look: Look, file: SourceFile, problem: Problem): readonly Cure[] {
  const instead = insteadOf(problem);
  return [
    ...(instead === undefined
      ? []
      : [{ title: `Write ${problem.instead ?? ''}`, edits: [instead], isSure: true }]),
    ...perhaps(problem),
    ...missingField(look, file, problem),
    ...literalSecret(problem),
    ...ignored(look, problem),
  ];
}

function insteadOf({ instead, at, path = '', code }: Problem): TextEdit | undefined {
  if (instead === undefined || at === undefined) return undefined;
  const range = rangeOf(at);
  if (range.start.line !== range.end.line) return undefined;
  const isKey = code === 'unknown-field' && 'on' in at && at.on === 'key' && path !== '';
  return { range, newText: isKey ? instead : printValue(instead) };
}

/** Not a sure cure: what is referred to may be about to be declared. */
function perhaps({ maybe, ...problem }: Problem): readonly Cure[] {
  const edit = insteadOf({ ...problem, instead: maybe });
  return maybe === undefined || edit === undefined ? [] : [{ title: `Write ${maybe}`, edits: [edit] }];
}

/** Adds a field that must be there, with a value to start from. */
function missingField(look: Look, file: SourceFile, { code, at, path }: Problem): readonly Cure[] {
  if (code !== 'missing-field' || at === undefined || path === undefined || !('document' in at)) return [];
  const { index } = at.document;
  const value = parseYaml(file, asWritten)[index]?.value;
  const declared = declaredIn(look, file.path).find(({ document }) => document.index === index);
  const kind = declared && look.catalog.kinds.get(kindOf(declared.address));
  if (value === undefined || declared === undefined || kind === undefined) return [];
  const tokens = parsePointer(path);
  const part = kind.part(declared.resource);
  const schema =
    part !== undefined && path.startsWith(`${part.path}/`)
      ? schemaAt(part.schema, tokens.slice(parsePointer(part.path).length))
      : schemaAt(rootPlace({ form: kind, variant: undefined, name: kind.name, rest: '' }).schema, tokens);
  if (schema === undefined || valueAt(value, path) !== undefined) return [];
  const wanted = changeAt(value, tokens, () => (fieldsOf(schema).size > 0 ? {} : sampleOf(schema)));
  const { text, refused } = editFile(file, { changed: new Map([[index, wanted]]), added: [] }, look.catalog);
  const field = tokens.at(-1) ?? '';
  return text === undefined || refused.length > 0
    ? []
    : [{ title: `Add ${field}`, edits: editTo(file, text), isSure: false }];
}

function schemaAt(schema: Json, tokens: readonly string[]): Json | undefined {
  return tokens.reduce<Json | undefined>(
    (found, token) => (/^\d+$/.test(token) ? itemOf(found) : undefined) ?? fieldOf(found, token),
    schema,
  );
}

/** Puts a variable in the place of a secret; its value is left to the user, who has to set it. */
function literalSecret({ code, at, path, address }: Problem): readonly Cure[] {
  if (code !== 'literal-secret' && code !== 'looks-like-secret') return [];
  if (at === undefined || path === undefined || address === undefined || !('document' in at)) return [];
  const value: Place = { ...at, path, on: 'value' };
  const written = writtenAt(value);
  if (/[\n]/.test(written) || written.trim() === '') return [];
  const secret = { path, value: undefined, isText: true, id: path, address };
  const name = nameSecrets([secret]).names.get(path) ?? '';
  return name === ''
    ? []
    : [{ title: `Write \${${name}}`, edits: [{ range: rangeOf(value), newText: `"\${${name}}"` }] }];
}

/** A comment that ignores a problem; why is left to the user. */
function ignored(look: Look, { code, at, severity, path = '' }: Problem): readonly Cure[] {
  if (at === undefined || (severity === 'error' && !ACCEPTABLE.has(code))) return [];
  const file = fileOf(at);
  // No comment makes up for a field that the object itself must have.
  const own = declaredIn(look, file.path).find(
    ({ document }) => 'document' in at && document.index === at.document.index,
  );
  if (code === 'missing-field' && own?.faults?.includes(path) === true) return [];
  const { start } = rangeOf(at);
  const top = { line: start.line, character: 0 };
  const indent = /^ */.exec(file.text.slice(offsetAt(file, top)))?.[0] ?? '';
  const newText = `${indent}# gwconf-ignore ${code}: \n`;
  return [{ title: `Ignore ${code} here`, edits: [{ range: { start: top, end: top }, newText }] }];
}

/** A document in place of which its object is removed from the gateway. */
function removals(look: Look, file: SourceFile, range: Range): readonly Cure[] {
  const documents = declaredIn(look, file.path).filter(({ document }) => document.file.path === file.path);
  return documents.flatMap(({ address, document, overlays = [] }, at): readonly Cure[] => {
    const end = documents[at + 1]?.document.offset ?? file.text.length;
    const inside = rangeBetween(file, { from: document.offset, to: end });
    const isHere = range.start.line >= inside.start.line && range.end.line <= inside.end.line;
    if (!isHere || overlays.length > 0) return [];
    const removal = makeRemoval(
      `remove-${address.slice(address.indexOf('/') + 1).replace(/[^\w.-]+/g, '-')}`,
      {
        remove: [address],
        reason: 'say why',
      },
    );
    const { text, refused } = editFile(
      file,
      {
        changed: new Map([[document.index, undefined]]),
        added: [{ text: printYaml([removal]), value: removal }],
      },
      look.catalog,
    );
    return text === undefined || refused.length > 0
      ? []
      : [{ title: `Remove ${address} from the gateway`, edits: editTo(file, text) }];
  });
}
