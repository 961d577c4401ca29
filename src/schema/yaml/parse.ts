import { isScalar, type Node } from 'yaml';
import type { Problem, SourceFile } from '../../model/problem.ts';
import type { Variables } from './interpolate.ts';
import type { ParsedDocument } from './document.ts';
import { positionAt } from './lines.ts';
import { readUsual } from './usual.ts';
import { syntaxOf, TOO_DEEP } from './syntax.ts';
import { readNode } from './values.ts';

export type { ParsedDocument } from './document.ts';

/** Reads YAML 1.2 (and so JSON) with merge keys; documents with nothing in them are passed over. */
export function parseYaml(file: SourceFile, variables: Variables): readonly ParsedDocument[] {
  return readUsual(file, variables) ?? readThoroughly(file, variables);
}

/** Knows all of YAML, and the place of every mistake. */
export function readThoroughly(file: SourceFile, variables: Variables): readonly ParsedDocument[] {
  return syntaxOf(file).flatMap((document, index) => {
    const { contents, errors } = document;
    const empty =
      contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
    if (empty && errors.length === 0) return [];
    const offset = contents?.range[0] ?? errors[0]?.pos[0] ?? 0;
    const ref = { file, index, offset };
    const at = positionAt(file, offset);
    // After the first broken place the rest of a document is guesswork.
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
  return {
    code: 'invalid-yaml',
    severity: 'error',
    message: firstSentence(message),
    at: { file, offset },
    hint:
      file.text.slice(offset - 1, offset + 1) === '${'
        ? 'put quotes around ${…} where it stands between braces or brackets'
        : 'mend the syntax; nothing of this document was read',
  };
}

function firstSentence(message: string): string {
  if (message.includes('call stack')) return TOO_DEEP;
  const [line = message] = message.split('\n');
  return line.replace(/\.$/, '').replace(/^./, (letter) => letter.toLowerCase());
}
