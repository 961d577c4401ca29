import { PROBLEM_CODES } from '../../model/problem-codes.ts';
import { problemPage } from '../../report/text/problem-page.ts';
import { explain as explainPlace } from '../../schema/explain/explain.ts';
import { allNamed, type Named } from '../../schema/explain/names.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { suggest } from '../../model/text/suggest.ts';
import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';
import { tableOf, wrapLines } from '../present/table.ts';

/** Prints what is known of a kind, a plugin class, a field or a problem code; without a name, what there is. */
export const run: Run<'explain'> = async ({ operand: question, io }) => {
  if (question === undefined) {
    io.out(wrapLines(overview(), io.columns.out));
    return undefined;
  }
  const page = Object.hasOwn(PROBLEM_CODES, question)
    ? problemPage(await io.readPage('problems.md'), question)
    : undefined;
  io.out(wrapLines(page ?? explanation(question), io.columns.out));
  return undefined;
};

function explanation(question: string): string {
  const found = explainPlace(question, catalog);
  if ('text' in found) return found.text;
  if ('choices' in found)
    return `Different fields have this name:\n${found.choices.map((label) => `  gwconf explain ${label}\n`).join('')}`;
  const { unknown, within } = found;
  const near =
    found.near ?? (within === undefined ? suggest(unknown, Object.keys(PROBLEM_CODES)) : undefined);
  const what =
    within === undefined
      ? `there is no kind, plugin class, field or problem code ${unknown}`
      : `${within} has no field ${unknown}`;
  throw new UsageError(
    `${what}${near === undefined ? '; gwconf explain lists all names' : `; did you mean ${near}?`}`,
  );
}

function overview(): string {
  const named = allNamed(catalog);
  const rows = (names: readonly Named[]): string =>
    tableOf(names.map(({ name, form, variant }) => [name, (variant ?? form).summary]));
  return [
    'Kinds:\n',
    rows(named.filter(({ variant }) => variant === undefined)),
    '\nPlugin classes of Interceptor:\n',
    rows(named.filter(({ variant }) => variant !== undefined)),
    '\nProblem codes:\n',
    tableOf(Object.entries(PROBLEM_CODES).map(([code, { meaning }]) => [code, meaning])),
    '\nExamples:\n',
    '  gwconf explain Interceptor.spec.priority\n',
    '  gwconf explain vault\n',
    '  gwconf explain Project.environments\n',
    '  gwconf explain unknown-field\n',
  ].join('');
}
