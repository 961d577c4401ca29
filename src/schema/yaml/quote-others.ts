import { isScalar, parseDocument, Scalar, visit, type Document } from 'yaml';
import type { SourceFile } from '../../model/problem.ts';
import { isOtherIn11 } from './print.ts';
import { syntaxOf } from './syntax.ts';

/**
 * The text of a file with quotes, in documents given by their numbers, around what is text for us and, without them, something else
 * for readers of YAML 1.1.
 */
export function quoteOthers(file: SourceFile, inDocuments: ReadonlySet<number>): string {
  const { text } = file;
  let quoted = '';
  let at = 0;
  for (const [index, document] of syntaxOf(file).entries())
    for (const { from, to, value } of inDocuments.has(index) ? othersIn(document) : []) {
      quoted += text.slice(at, from) + JSON.stringify(value);
      at = to;
    }
  return quoted + text.slice(at);
}

type Written = { readonly from: number; readonly to: number; readonly value: string };

/** In the order of the text: keys come before their values. */
function othersIn(document: Document.Parsed): readonly Written[] {
  const found: Written[] = [];
  visit(document, {
    Scalar(_, { type, tag, value, range }) {
      if (type !== Scalar.PLAIN || tag !== undefined || typeof value !== 'string' || !range) return;
      if (isOtherIn11(value) && isOther(value)) found.push({ from: range[0], to: range[1], value });
    },
  });
  return found;
}

/** Whether a plain text is no text in YAML 1.1. `=` and `<<` are types of their own there. */
function isOther(text: string): boolean {
  if (text === '=' || text === '<<') return true;
  const { contents } = parseDocument(text, { version: '1.1', prettyErrors: false, logLevel: 'silent' });
  return !isScalar(contents) || typeof contents.value !== 'string';
}
