import { isScalar, visit, type Document, type Node, type YAMLError } from 'yaml';
import { makeProblem, type Problem, type SourceFile } from '../../model/problem.ts';
import type { Placeholders, Variables } from './interpolate.ts';
import type { ParsedDocument } from './document.ts';
import { positionAt } from './text-lines.ts';
import { readUsual } from './usual.ts';
import { isOurs } from './ours.ts';
import { hasTooManyValues, syntaxOf, TOO_MANY_VALUES, wordSyntax } from './syntax.ts';
import { readNode } from './values.ts';

export type { ParsedDocument } from './document.ts';

/** Reads YAML 1.2 (and JSON) with merge keys; skips empty documents. */
export function parseYaml(file: SourceFile, placeholders: Placeholders): readonly ParsedDocument[] {
  const read = (by: Placeholders): readonly ParsedDocument[] =>
    readUsual(file, by) ?? readThoroughly(file, by);
  return 'keep' in placeholders ? read(placeholders) : readOnce(file, placeholders, read);
}

/** Reads all of YAML, with the place of each error. */
export function readThoroughly(file: SourceFile, placeholders: Placeholders): readonly ParsedDocument[] {
  if (hasTooManyValues(file.text)) return [refuse(file, 0, TOO_MANY_VALUES, 'split it')];
  const alone = file.text.search(/\r(?!\n)/);
  if (alone !== -1) return [refuse(file, alone, LONE_RETURN, SAVE_AGAIN)];
  return syntaxOf(file).flatMap((document, index) => {
    const { contents, errors } = document;
    const empty =
      contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
    if (empty && errors.length === 0) return [];
    const offset = contents?.range[0] ?? errors[0]?.pos[0] ?? 0;
    const ref = { file, index, offset };
    const at = positionAt(file, offset);
    // Errors after the first are often caused by it.
    const problems = errors.slice(0, 1).map((error) => syntaxProblem(file, error, document));
    if (problems.length > 0 || contents === null)
      return [{ ref, at, value: null, templates: new Map(), problems }];
    const reading = {
      document,
      ref,
      placeholders,
      templates: new Map(),
      problems,
      told: new Set<string>(),
      aliases: { nodes: 0 },
      open: new Set<Node>(),
      levels: { deep: 0 },
    };
    return [{ ref, at, value: readNode(contents, '', reading), templates: reading.templates, problems }];
  });
}

/** To YAML a line ends there, to the parser and to most programs that show files it does not: a comment would go on over documents. */
const LONE_RETURN =
  'a carriage return without a line feed behind it, which ends a line only for some programs';
const SAVE_AGAIN = 'save the file with line ends of Unix or Windows; in a text, write "\\r" in double quotes';

function refuse(file: SourceFile, offset: number, why: string, hint: string): ParsedDocument {
  const ref = { file, index: 0, offset };
  const message = `${why}; it was not read`;
  const problem: Problem = makeProblem({ code: 'invalid-yaml', message, at: { file, offset }, hint });
  return { ref, at: positionAt(file, offset), value: null, templates: new Map(), problems: [problem] };
}

function lineFrom({ text }: SourceFile, offset: number): string {
  const end = text.indexOf('\n', offset);
  return text.slice(offset, end === -1 ? undefined : end);
}

/** The place of an error; of a quote, brace or bracket that is not closed, where it opens. */
function offsetOf({ message, pos: [end] }: YAMLError, document: Document.Parsed): number {
  let offset = end;
  if (/^Missing closing/.test(message))
    visit(document, {
      Scalar(_, { type, range }) {
        if (type === 'QUOTE_DOUBLE' || type === 'QUOTE_SINGLE') offset = range?.[0] ?? offset;
      },
    });
  if (/end with a/.test(message))
    visit(document, {
      Collection(_, { flow, range }) {
        if (flow === true && range && range[0] < end && end <= range[2]) offset = range[0];
      },
    });
  return offset;
}

function syntaxProblem(file: SourceFile, error: YAMLError, document: Document.Parsed): Problem {
  const offset = offsetOf(error, document);
  if (!isOurs(file)) {
    return makeProblem({
      code: 'invalid-yaml',
      message: 'the file is not YAML or JSON',
      at: { file, offset },
      hint: 'name files with resources; other files are not quoted',
    });
  }
  const conflict = /^<{7}(?= |$)/m.exec(file.text);
  if (conflict !== null)
    return makeProblem({
      code: 'invalid-yaml',
      message: 'the file has a merge conflict; the document was not read',
      at: { file, offset: conflict.index },
      hint: 'choose one side, and remove the lines that start with <<<<<<<, ======= and >>>>>>>',
    });
  const { message, hint } = wordSyntax(error, lineFrom(file, offset));
  const isPlaceholder = file.text.slice(offset - 1, offset + 1) === '${';
  return makeProblem({
    code: 'invalid-yaml',
    message: `${message}; the document was not read`,
    at: { file, offset },
    hint: isPlaceholder ? 'put quotes around ${…} inside braces or brackets' : hint,
  });
}

/** Documents, with what was asked of variables for them and what they answered. */
type Reading = { readonly asked: ReadonlyMap<string, Asked>; readonly documents: readonly ParsedDocument[] };
type Asked = { readonly ask: (variables: Variables) => unknown; readonly answer: string | undefined };

/** Two are enough: environments that share a file read it the same, or each in its own way. */
const MOST_READINGS = 2;

const known = new WeakMap<SourceFile, readonly Reading[]>();

/**
 * The documents of a file, read once for as long as variables answer the same. They are asked again each time: whoever has variables
 * notes what files get of them.
 */
export function readOnce(
  file: SourceFile,
  variables: Variables,
  read: (variables: Variables) => readonly ParsedDocument[],
): readonly ParsedDocument[] {
  const readings = known.get(file) ?? [];
  const same = readings.find(({ asked }) =>
    [...asked.values()].every(({ ask, answer }) => JSON.stringify(ask(variables)) === answer),
  );
  if (same !== undefined) return same.documents;
  const asked = new Map<string, Asked>();
  const documents = read(listening(variables, asked));
  known.set(file, [{ asked, documents }, ...readings].slice(0, MOST_READINGS));
  return documents;
}

/** The same variables; what is asked of them is noted. */
function listening(variables: Variables, asked: Map<string, Asked>): Variables {
  const note = <T>(name: string, ask: (one: Variables) => T): T => {
    const answer = ask(variables);
    if (!asked.has(name)) asked.set(name, { ask, answer: JSON.stringify(answer) });
    return answer;
  };
  return {
    valueOf: (name) => note(`valueOf ${name}`, (one) => one.valueOf(name)),
    isPublic: (name) => note(`isPublic ${name}`, (one) => one.isPublic(name)),
    publish: (names) => note(`publish ${names.join(',')}`, (one) => one.publish(names)),
    refuse: (name) => note(`refuse ${name}`, (one) => one.refuse(name)),
    source: (name) => note(`source ${name}`, (one) => one.source(name)),
    get typed() {
      return note('typed', (one) => one.typed);
    },
    get missing() {
      return note('missing', (one) => one.missing);
    },
    get defaults() {
      return note('defaults', (one) => one.defaults);
    },
  };
}
