import { isAlias, isScalar, parseAllDocuments, visit, type Document, type Node, type Pair } from 'yaml';
import { memoize } from '../../model/collect.ts';
import type { SourceFile } from '../../model/problem.ts';

/** The limit does not depend on the size of the stack. */
export const MOST_LEVELS = 200;
export const TOO_DEEP = `the nesting is deeper than ${MOST_LEVELS} levels`;

type Documents = readonly Document.Parsed[];
let last: { readonly file: SourceFile; readonly documents: Documents } | undefined;

/** The syntax of a file. Only that of the last file is kept, because it needs 50 times the memory of the text. */
export function syntaxOf(file: SourceFile): Documents {
  if (last?.file === file) return last.documents;
  // readMap finds duplicate keys; the check of the package is quadratic.
  const found = parseAllDocuments(file.text, {
    merge: true,
    prettyErrors: false,
    uniqueKeys: false,
    logLevel: 'silent',
  });
  const documents = 'empty' in found ? [] : found;
  last = { file, documents };
  return documents;
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
