import { memoize } from '../../model/collect.ts';
import type { Json, Pointer } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import { list } from '../../model/text/list.ts';
import { describe } from '../wording.ts';
import { placeIn, type ParsedDocument } from '../yaml/document.ts';
import { writtenAt } from '../yaml/places.ts';

/** A found value in words, and how to correct it if a variable is the cause. */
export type Found = { readonly shown: string; readonly hint?: string };

/** The value at a place for use in a sentence; of a hidden one, where it comes from. */
export function describeFound(
  document: ParsedDocument,
  path: Pointer,
  value: Json | undefined,
  isHidden: boolean,
): Found {
  const names = document.templates.get(path)?.variables ?? [];
  const source = names.length > 0 ? list([...new Set(names)]) : placeholderAt(document, path);
  if (source === undefined) return { shown: isHidden ? 'a hidden value' : describe(value) };
  if (value === null || value === '')
    return { shown: `nothing, because ${source} is empty`, hint: `set ${source} to a value` };
  return {
    shown: isHidden ? `the hidden value of ${source}` : `${describe(value)}, the value of ${source}`,
    hint: `set ${source} to a value that fits`,
  };
}

/** Searched once for all problems of a file. */
const searched = memoize(({ text }: SourceFile) => ({ hasPlaceholder: text.includes('${') }));

/** The placeholder that is the value at a place in a file, as it is written. */
function placeholderAt(document: ParsedDocument, path: Pointer): string | undefined {
  const { places, ref } = document;
  if (places === undefined && !searched(ref.file).hasPlaceholder) return undefined;
  return /^["']?(\$\{[^}:]*\})["']?$/.exec(writtenAt(placeIn(document, path)))?.[1];
}
