import { canonicalText } from '../../model/json/json.ts';
import type { Catalog } from '../../model/own-kind.ts';
import type { Checked, Problem, SourceFile } from '../../model/problem.ts';
import { formOf, moveDocuments } from './document-order.ts';
import { keyMoves } from './key-order.ts';
import { rearrange } from './rearrange.ts';
import { parseYaml, type ParsedDocument } from '../yaml/parse.ts';

/**
 * A file with its resources and their keys in canonical order; undefined where nothing changes. Lines, and parts of
 * lines, change places, comments with what they stand above or behind; all is otherwise as it was written. What cannot
 * be read is left alone, with its problems; so is JSON, and so are the resources of others.
 */
export function formatFile(file: SourceFile, catalog: Catalog): Checked<string | undefined> {
  const unchanged = { value: undefined, problems: [] };
  const passedOver = file.named !== true && !/\b(apiVersion|kind)\b/.test(file.text);
  if (passedOver || /\.json$/i.test(file.path)) return unchanged;
  const before = parseYaml(file, asWritten);
  const problems = before.flatMap((document) => document.problems.filter(isOfSyntax));
  if (problems.length > 0) return { value: undefined, problems };

  const text = inOrder(file.text, before, catalog);
  if (text === file.text) return unchanged;
  const after = parseYaml({ ...file, text }, asWritten);
  return haveSameMeaning(before, after)
    ? { value: text, problems: [] }
    : { value: undefined, problems: [notFormatted(file)] };
}

// What variables hold has no say in where a line stands.
function asWritten(name: string): string {
  return `\${${name}}`;
}

function isOfSyntax({ code }: Problem): boolean {
  return code === 'invalid-yaml';
}

function inOrder(text: string, documents: readonly ParsedDocument[], catalog: Catalog): string {
  const movesOf = keyMoves(text);
  const described = documents.map(({ ref, value }) => {
    const form = formOf(value, catalog);
    const moves = form === undefined ? [] : movesOf(ref.index, form, value);
    return { offset: ref.offset, value, form, moves };
  });
  return rearrange(text, { from: 0, to: text.length }, moveDocuments(text, described, catalog));
}

/** Whether they say the same, in whatever order. */
function haveSameMeaning(before: readonly ParsedDocument[], after: readonly ParsedDocument[]): boolean {
  const meaning = (documents: readonly ParsedDocument[]): string =>
    documents.map(meaningOf).sort().join('\n');
  return meaning(before) === meaning(after);
}

function meaningOf({ value, templates, problems }: ParsedDocument): string {
  const written = [...templates].map(([path, { text, plain }]) => [path, text, String(plain)].join(' '));
  return JSON.stringify([canonicalText(value), written.sort(), problems.some(isOfSyntax)]);
}

function notFormatted(file: SourceFile): Problem {
  return {
    code: 'not-formatted',
    severity: 'warning',
    message: 'in canonical order the file would mean something else, so it stays as it is',
    at: { file, offset: 0 },
    hint: 'write it in a simpler way: give each anchor a name of its own',
  };
}
