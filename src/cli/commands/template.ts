import { templateNames, template as templateOf } from '../../schema/explain/template.ts';
import { findCatalog } from '../../workflow/project/find-project.ts';
import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';
import { tableOf, wrapLines } from '../present/plain-table.ts';

/** Prints a document to start from: of a kind, of an interceptor with a plugin class, or a field; without a name, what there is. */
export const run: Run<'template'> = async ({ operand: name, io }) => {
  const catalog = await findCatalog(io);
  if (name === undefined) {
    const rows = templateNames(catalog).map(({ name: known, form, variant }): [string, string] => [
      known,
      (variant ?? form).summary,
    ]);
    const examples = '  gwconf template AliasTopic > topics.yaml\n  gwconf template vault\n';
    io.out(wrapLines(`Templates:\n${tableOf(rows)}\nExamples:\n${examples}`, io.columns.out));
    return undefined;
  }
  const found = templateOf(name, catalog);
  if ('choices' in found) {
    const lines = found.choices.map((label) => `  gwconf template ${label}\n`);
    io.out(`Different fields have this name:\n${lines.join('')}`);
    return undefined;
  }
  if ('text' in found) {
    io.out(found.text);
    return undefined;
  }
  const { unknown, within, near } = found;
  const what =
    within === undefined
      ? `there is no kind that a file can declare, no plugin class and no field ${unknown}`
      : `${within} has no field ${unknown}`;
  throw new UsageError(
    `${what}${near === undefined ? '; gwconf template lists all names' : `; did you mean ${near}?`}`,
  );
};
