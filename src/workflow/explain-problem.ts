import type { Catalog } from '../model/own-kind.ts';
import { PROBLEM_CODES } from '../model/problem-codes.ts';
import { suggest } from '../model/text/suggest.ts';
import {
  explain as explainField,
  type Choices,
  type ExplainOptions,
  type UnknownName,
} from '../schema/explain/explain.ts';

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

/** What docs/problems.md says about a code, as text: its meaning, what to do, a wrong and a right example, other pages. */
function problemPage(page: string, code: string): string | undefined {
  const section = page.split(/^## /m).find((part) => part.startsWith(`${code}\n`));
  if (section === undefined) return undefined;
  const parts = section.trimEnd().split(/^```(.*)\n([\s\S]*?)^```$/m);
  const blocks = parts.map((part, at) => {
    if (at % 3 === 1) return part.endsWith('wrong') ? 'Wrong:' : 'Right:';
    return at % 3 === 2 ? exampleOf(part, parts[at - 1] ?? '') : proseOf(part);
  });
  const pages = pagesIn(section);
  if (pages.length > 0) blocks.push(`See also:\n\n${pages.map((one) => `  ${one}`).join('\n')}`);
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`;
}

/** The pages that a section links to, as they are in the package. */
function pagesIn(section: string): readonly string[] {
  const targets = [...section.matchAll(/\]\(([^()#]+\.md[^()]*)\)/g)].map(([, target = '']) => target);
  return [...new Set(targets)].map((target) =>
    target.startsWith('../') ? target.slice(3) : `docs/${target}`,
  );
}

function exampleOf(text: string, language: string): string {
  const prompt = language.startsWith('sh') ? '$ ' : '';
  const lines = text.trimEnd().split('\n');
  return lines.map((line) => `  ${prompt}${line}`.trimEnd()).join('\n');
}

/** Each paragraph on one line, without the targets of links. */
function proseOf(text: string): string {
  const paragraphs = text.trim().split(/\n{2,}/);
  const lines = paragraphs.map((paragraph) => paragraph.replaceAll('\n', ' '));
  return lines.join('\n\n').replaceAll(/\[([^[\]]*)\]\([^()]*\)/g, '$1');
}
