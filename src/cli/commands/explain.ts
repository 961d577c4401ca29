import type { Catalog } from '../../model/own-kind.ts';
import { PROBLEM_CODES } from '../../model/problem-codes.ts';
import { allNamed, type Named } from '../../schema/explain/names.ts';
import { explain, type Explanation } from '../../workflow/explain-problem.ts';
import { findCatalog } from '../../workflow/project/find-project.ts';
import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';
import { tableOf, wrapLines } from '../present/plain-table.ts';

/** Prints what is known of a kind, a plugin class, a field or a problem code; without a name, what there is. */
export const run: Run<'explain'> = async ({ operand: question, args, io }) => {
  const catalog = await findCatalog(io);
  const isRecursive = args.recursive === true;
  if (question === undefined) {
    io.out(wrapLines(overview(catalog), io.columns.out));
    return undefined;
  }
  io.out(wrapLines(textOf(await explain(catalog, question, io.readPage, { isRecursive })), io.columns.out));
  return undefined;
};

function textOf(found: Explanation): string {
  if ('text' in found) return found.text;
  if ('choices' in found)
    return `Different fields have this name:\n${found.choices.map((label) => `  gwconf explain ${label}\n`).join('')}`;
  const { unknown, within, near } = found;
  const what =
    within === undefined
      ? `there is no kind, plugin class, field or problem code ${unknown}`
      : `${within} has no field ${unknown}`;
  throw new UsageError(
    `${what}${near === undefined ? '; gwconf explain lists all names' : `; did you mean ${near}?`}`,
  );
}

function overview(catalog: Catalog): string {
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
