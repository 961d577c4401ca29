import { canonicalText, isList } from '../../model/json/json.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { makeProblem, type Checked, type Problem, type SourceFile } from '../../model/problem.ts';
import { looksOurs } from '../load/recognise.ts';
import { variablesFrom } from '../yaml/interpolate.ts';
import { parseYaml, type ParsedDocument } from '../yaml/parse.ts';
import { printYaml } from '../yaml/print.ts';
import { quoteOthers } from '../yaml/quote-others.ts';
import { hasTooManyValues, TOO_MANY_VALUES } from '../yaml/syntax.ts';
import { formOf, moveDocuments, rearrange } from './document-order.ts';
import { keyMoves } from './key-order.ts';
import { readJson } from '../../model/json/json-text.ts';

/**
 * Sorts the resources of a file and their keys into canonical order, and quotes text that readers of YAML 1.1 take for something
 * else; undefined if nothing changes. Only lines and parts of lines move, with their comments. Unreadable files (with problems), JSON and other documents are unchanged.
 */
export function formatFile(file: SourceFile, catalog: Catalog): Checked<string | undefined> {
  const unchanged = { value: undefined, problems: [] };
  const passedOver = file.named !== true && !/\b(?:apiVersion|kind)\b/.test(file.text);
  if (passedOver || /\.json$/i.test(file.path)) return unchanged;
  const before = parseYaml(file, asWritten);
  const problems = before.flatMap((document) => document.problems.filter(isOfSyntax));
  if (problems.length > 0) return { value: undefined, problems };
  if (hasTooManyValues(file.text))
    return {
      value: undefined,
      problems: [notFormatted(file, `${TOO_MANY_VALUES}; it stays as it is`, 'split it')],
    };

  const ours = before.filter(({ value }) => formOf(value, catalog) !== undefined);
  const quoted = quoteOthers(file, new Set(ours.map(({ ref }) => ref.index)));
  const written = quoted === file.text ? before : parseYaml({ ...file, text: quoted }, asWritten);
  const text = inOrder(quoted, written, catalog);
  if (text === file.text) return unchanged;
  const after = parseYaml({ ...file, text }, asWritten);
  return haveSameMeaning(before, after)
    ? { value: text, problems: [] }
    : {
        value: undefined,
        problems: [notFormatted(file, REORDERED, 'simplify the file: give each anchor a unique name')],
      };
}

/** The values of variables do not matter. */
export const asWritten = variablesFrom((name) => `\${${name}}`);

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

/** Whether documents are equal in any order. */
function haveSameMeaning(before: readonly ParsedDocument[], after: readonly ParsedDocument[]): boolean {
  const meaning = (documents: readonly ParsedDocument[]): string =>
    documents.map(meaningOf).sort().join('\n');
  return meaning(before) === meaning(after);
}

/** The value of a document and its placeholders as written, as text. */
export function meaningOf({ value, templates, problems }: ParsedDocument): string {
  const written = [...templates].map(([path, { text, plain }]) => [path, text, String(plain)].join(' '));
  return JSON.stringify([canonicalText(value), written.sort(), problems.some(isOfSyntax)]);
}

const REORDERED = 'canonical order would change the meaning of the file, so it is not formatted';

/** A warning that a file stays as it is. */
function notFormatted(file: SourceFile, message: string, hint: string): Problem {
  return makeProblem({ code: 'not-formatted', message, at: { file, offset: 0 }, hint });
}

/**
 * The resources of a JSON file as YAML in canonical order, each item of a list as a document; undefined for other files, and
 * with problems for what cannot be read.
 */
export function toYaml(file: SourceFile, catalog: Catalog): Checked<string | undefined> {
  const [document] = parseYaml(file, asWritten);
  if (document === undefined) return { value: undefined, problems: [] };
  const problems = document.problems.filter(({ code }) => ['invalid-yaml', 'inexact-number'].includes(code));
  if (problems.length > 0 || !looksOurs(document.value, catalog)) return { value: undefined, problems };
  const value = readJson(file.text.replace(/^\uFEFF/, ''));
  if (value === undefined)
    return {
      value: undefined,
      problems: [
        notFormatted(file, 'the file is YAML already, so it is not turned into YAML', 'rename it to .yaml'),
      ],
    };
  // In quotes, ${…} stays text, as it is in JSON.
  const text = printYaml(isList(value) ? value : [value], (one) => one.includes('${'));
  const made = { ...file, path: yamlPath(file.path), text };
  const read = parseYaml(made, asWritten).map((one) => one.value);
  if (canonicalText(isList(value) ? read : (read[0] ?? null)) !== canonicalText(document.value))
    throw new Error('JSON and YAML differ');
  return { value: formatFile(made, catalog).value ?? text, problems: [] };
}

/** The name of the YAML file that takes the place of a JSON file. */
export function yamlPath(path: string): string {
  return path.replace(/\.json$/i, '.yaml');
}
