import { addAll } from '../../model/collect.ts';
import { isObject, valueOf, type Json } from '../../model/json/json.ts';
import type { Catalog } from '../../model/own-kind.ts';
import { makeProblem, type Problem, type SourceFile } from '../../model/problem.ts';
import { listSome } from '../../model/text/list.ts';
import type { Variables } from '../yaml/interpolate.ts';
import { isOurs } from '../yaml/ours.ts';
import { parseYaml, type ParsedDocument } from '../yaml/parse.ts';
import { isEncrypted } from './pointer.ts';
import { looksOurs, isOtherFile, formNamed } from './recognise.ts';

/**
 * Of a file that was found in a folder, the documents if one of them looks like a resource, or if it cannot be read and
 * its text looks like one. Other files belong to other tools. Project files and tests are read elsewhere.
 */
export function documentsOf(
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
  if ((documents.some(isBroken) && isOurs(file)) || documents.some(({ value }) => looksOurs(value, catalog)))
    return documents;
  const [broken] = documents.filter(isBroken);
  addAll(foreign, broken === undefined ? documents.filter(isOfAKind) : [broken]);
  return [];
}

function isBroken({ problems }: ParsedDocument): boolean {
  return problems.some(({ code }) => code === 'invalid-yaml');
}

function isOfAKind({ value }: ParsedDocument): boolean {
  return isObject(value) && typeof valueOf(value, 'kind') === 'string';
}

const MOST_NAMES = 10;

/** What is passed over is said, because a prune may delete what it was meant to declare. */
export function checkForeign(documents: readonly ParsedDocument[]): readonly Problem[] {
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
