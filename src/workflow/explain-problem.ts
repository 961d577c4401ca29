import type { Catalog } from '../model/own-kind.ts';
import { PROBLEM_CODES } from '../model/problem-codes.ts';
import { suggest } from '../model/text/suggest.ts';
import {
  explain as explainField,
  type Choices,
  type ExplainOptions,
  type UnknownName,
} from '../schema/explain/explain.ts';
import { problemPage } from '../schema/explain/problem-page.ts';

/** What is known of a name; or the fields that it may mean; or what of it is unknown. */
export type Explanation = { readonly text: string } | Choices | UnknownName;

/**
 * The documentation of a kind, a plugin class, a field or a problem code: `Interceptor.spec.priority`, `vault`, `unknown-field`.
 * `readPage` reads a page of the documentation.
 */
export async function explain(
  catalog: Catalog,
  question: string,
  readPage: (name: string) => string | Promise<string>,
  options: ExplainOptions = {},
): Promise<Explanation> {
  const page = Object.hasOwn(PROBLEM_CODES, question)
    ? problemPage(await readPage('problems.md'), question)
    : undefined;
  if (page !== undefined) return { text: page };
  const found = explainField(question, catalog, options);
  if (!('unknown' in found) || found.within !== undefined) return found;
  return { ...found, near: found.near ?? suggest(found.unknown, Object.keys(PROBLEM_CODES)) };
}
