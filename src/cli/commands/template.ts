import { templateNames, template as templateOf } from '../../schema/explain/template.ts';
import { findCatalog } from '../../workflow/project/find-project.ts';
import type { Run } from '../given.ts';
import { tableOf, textOfFound, wrapLines } from '../present/plain-table.ts';

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
  const sorts = 'kind that a file can declare, no plugin class and no field';
  io.out(textOfFound(templateOf(name, catalog), 'template', sorts));
  return undefined;
};
