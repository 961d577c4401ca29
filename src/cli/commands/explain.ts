import type { Catalog } from '../../model/own-kind.ts';
import { PROBLEM_CODES } from '../../model/problem-codes.ts';
import { allNamed, type Named } from '../../schema/explain/names.ts';
import { explain } from '../../workflow/explain-problem.ts';
import { findCatalog } from '../../workflow/project/find-project.ts';
import type { Run } from '../given.ts';
import { tableOf, textOfFound, wrapLines } from '../present/plain-table.ts';

/** Prints what is known of a kind, a plugin class, a field or a problem code; without a name, what there is. */
export const run: Run<'explain'> = async ({ operand: question, args, io }) => {
  const catalog = await findCatalog(io);
  const print = (text: string): void => io.out(wrapLines(text, io.columns.out));
  if (question === undefined) print(overview(catalog));
  else {
    const found = await explain(catalog, question, io.readPage, { isRecursive: args.recursive === true });
    print(textOfFound(found, 'explain', 'kind, plugin class, field or problem code'));
  }
  return undefined;
};

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
