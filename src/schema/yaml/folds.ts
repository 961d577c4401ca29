import { isCollection, isScalar, visit, type Node } from 'yaml';
import type { SourceFile } from '../../model/problem.ts';
import { endOf, startOf } from './extent.ts';
import { syntaxOf } from './syntax.ts';
import type { Span } from './text-lines.ts';

/** The documents of a file, and the maps, lists and texts of several lines in them, each from its key on. */
export function foldsOf(file: SourceFile): readonly Span[] {
  const found: Span[] = [];
  for (const document of syntaxOf(file)) {
    const { contents } = document;
    if (contents !== null) found.push({ from: contents.range[0], to: endOf(contents) });
    visit(document, {
      Pair(_, pair) {
        const value = pair.value as Node | null;
        const isBlock = isScalar(value) && value.type?.startsWith('BLOCK_') === true;
        if (isCollection(value) || isBlock) found.push({ from: startOf(pair), to: endOf(value) });
      },
      Seq(_, list) {
        for (const item of list.items)
          if (isCollection(item)) found.push({ from: item.range?.[0] ?? 0, to: endOf(item) });
      },
    });
  }
  return found;
}
