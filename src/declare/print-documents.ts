import type { Catalog } from '../model/own-kind.ts';
import { forTerminal } from '../model/text/escape.ts';
import { byRank, formOf, rankOf, type Rank } from '../schema/fmt/document-order.ts';
import { printYaml } from '../schema/yaml/print.ts';
import type { Document } from './declared.ts';

/** The text of a file: these documents in the order of `fmt`, which does not change it, below lines of comment. */
export function printDocuments(
  documents: readonly Document[],
  head: readonly string[],
  catalog: Catalog,
): string {
  const comments = head.map((line) => `# ${forTerminal(line.replace(/\s+/g, ' ').trim())}\n`).join('');
  const ranked = documents.map((document) => ({ document, rank: rankIn(document, catalog) }));
  const values = ranked
    .sort((one, other) => byRank(one.rank, other.rank))
    .map(({ document }) => document.value);
  const plain = new Set(documents.flatMap((document) => [...(document.plain ?? [])]));
  const text = printYaml(values, (one) => one.includes('${') && !plain.has(one));
  return `${comments}${comments === '' ? '' : '\n'}${text}`;
}

function rankIn({ address, value }: Document, catalog: Catalog): Rank {
  const form = formOf(value, catalog);
  if (form === undefined) throw new Error(`${address} has a document of no kind`);
  const rank = rankOf(value, form, catalog);
  return 'expand' in form ? rank : { ...rank, address };
}
