import { isScalar, type Node } from 'yaml';
import type { Problem, SourceFile } from '../../model/problem.ts';
import type { Variables } from './interpolate.ts';
import type { ParsedDocument } from './document.ts';
import { positionAt } from './lines.ts';
import { readUsual } from './usual.ts';
import { isOurs } from './ours.ts';
import { syntaxOf, TOO_DEEP } from './syntax.ts';
import { readNode } from './values.ts';

export type { ParsedDocument } from './document.ts';

/** Reads YAML 1.2 (and JSON) with merge keys; skips empty documents. */
export function parseYaml(file: SourceFile, variables: Variables): readonly ParsedDocument[] {
  return readUsual(file, variables) ?? readThoroughly(file, variables);
}

/** Reads all of YAML, with the place of each error. */
export function readThoroughly(file: SourceFile, variables: Variables): readonly ParsedDocument[] {
  return syntaxOf(file).flatMap((document, index) => {
    const { contents, errors } = document;
    const empty =
      contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
    if (empty && errors.length === 0) return [];
    const offset = contents?.range[0] ?? errors[0]?.pos[0] ?? 0;
    const ref = { file, index, offset };
    const at = positionAt(file, offset);
    // Errors after the first are often caused by it.
    const problems = errors.slice(0, 1).map(({ message, pos }) => syntaxProblem(file, message, pos[0]));
    if (problems.length > 0 || contents === null)
      return [{ ref, at, value: null, templates: new Map(), problems }];
    const reading = {
      document,
      ref,
      variables,
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

function syntaxProblem(file: SourceFile, message: string, offset: number): Problem {
  if (!isOurs(file)) {
    return {
      code: 'invalid-yaml',
      severity: 'error',
      message: 'the file is not YAML or JSON',
      at: { file, offset },
      hint: 'name files with resources; other files are not quoted',
    };
  }
  return {
    code: 'invalid-yaml',
    severity: 'error',
    message: firstSentence(message),
    at: { file, offset },
    hint:
      file.text.slice(offset - 1, offset + 1) === '${'
        ? 'put quotes around ${…} inside braces or brackets'
        : 'fix the syntax; the document was not read',
  };
}

function firstSentence(message: string): string {
  if (message.includes('call stack')) return TOO_DEEP;
  const [line = message] = message.split('\n');
  return line
    .replace(QUOTED, '')
    .replace(/\.$/, '')
    .replace(/^./, (letter) => letter.toLowerCase());
}

/** What the parser repeats of a file, which may be a part of a secret. */
const QUOTED =
  /(?<=\w): .*|(?<=^(?:Invalid escape sequence|Unknown directive|Unsupported YAML version|Verbatim tags aren't resolved))\W.*|(?<=^The) \S+(?= tag has no suffix)/;
