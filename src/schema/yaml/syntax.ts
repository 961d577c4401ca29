import { isAlias, isScalar, parseAllDocuments, visit, type Document, type Node, type Pair } from 'yaml';
import { memoize } from '../../model/collect.ts';
import type { SourceFile } from '../../model/problem.ts';

/** The limit does not depend on the size of the stack. */
export const MOST_LEVELS = 200;
export const TOO_DEEP = `the nesting is deeper than ${MOST_LEVELS} levels`;

/** The syntax of so many values, in lines or between commas, needs 1.5 GB of memory. */
const MOST_VALUES = 1_500_000;
export const TOO_MANY_VALUES = `the file has more than ${MOST_VALUES / 1e6} million values and lines`;

/** Whether a text has more values than memory could hold the syntax of. */
export function hasTooManyValues(text: string): boolean {
  if (text.length <= MOST_VALUES) return false;
  let values = 0;
  for (let at = 0; at < text.length; at += 1) if (STARTS_VALUE.has(text.charCodeAt(at))) values += 1;
  return values > MOST_VALUES;
}

/** A line break, a comma, and the brackets that open. */
const STARTS_VALUE = new Set([0x0a, 0x0d, 0x2c, 0x5b, 0x7b]);

type Documents = readonly Document.Parsed[];
let last: { readonly file: SourceFile; readonly documents: Documents } | undefined;

/** The syntax of a file; nothing for one with too many values. Only that of the last file is kept, because it needs 50 times the memory of the text. */
export function syntaxOf(file: SourceFile): Documents {
  if (last?.file === file) return last.documents;
  const documents = hasTooManyValues(file.text) ? [] : readDocuments(file.text);
  last = { file, documents };
  return documents;
}

function readDocuments(text: string): Documents {
  // readMap finds duplicate keys; the check of the package is quadratic.
  const options = { merge: true, prettyErrors: false, uniqueKeys: false, logLevel: 'silent' } as const;
  const found = parseAllDocuments(text, options);
  return 'empty' in found ? [] : found;
}

/** The target of each alias: the last anchor of its name before it. One walk for all aliases. */
export const targetsOf = memoize((document: Document.Parsed): ReadonlyMap<Node, Node> => {
  const anchored = new Map<string, Node>();
  const found = new Map<Node, Node>();
  visit(document, {
    Node(_, node) {
      if (isAlias(node)) {
        const target = anchored.get(node.source);
        if (target !== undefined) found.set(node, target);
      } else if (node.anchor !== undefined) {
        anchored.set(node.anchor, node);
      }
    },
  });
  return found;
});

export function isMergeKey({ key }: Pair): boolean {
  return isScalar(key) && typeof key.value === 'symbol';
}
