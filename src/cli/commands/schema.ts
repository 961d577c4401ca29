import { suggest } from '../../model/text/suggest.ts';
import { fileForms } from '../../schema/explain/names.ts';
import { editorSchema } from '../../schema/json-schema.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { findCatalog } from '../../workflow/project/find-project.ts';
import { KnownKinds } from '../../workflow/project/known-kinds.ts';
import { writeFile } from '../../workflow/write-file.ts';
import type { Given, Run } from '../given.ts';
import { ProblemsError, UsageError } from '../io.ts';
import type { Ending } from '../present/finish.ts';

/** Prints the JSON Schema of all kinds, of one, or of a file without resources, for editors; or what a gateway says of further kinds. */
export const run: Run<'schema'> = async (given) => {
  const { operand: kind, args, io } = given;
  const { out } = args;
  if (args.gateway === true && out !== undefined)
    throw new UsageError('--out is for the JSON Schema: leave it out');
  if (args.gateway === true) return printDescription(given);
  const catalog = await findCatalog(io);
  const form = fileForms.find(({ name }) => name === kind);
  const found = form?.whole ?? editorSchema(catalog, kind);
  if (found === undefined) {
    const near = suggest(kind ?? '', [
      ...catalog.kinds.keys(),
      ...catalog.ownKinds.keys(),
      ...fileForms.map(({ name }) => name),
    ]);
    throw new UsageError(
      `there is no kind ${kind ?? ''} that a file can declare${near === undefined ? '' : `; did you mean ${near}?`}`,
    );
  }
  if (out === undefined) {
    io.out(`${JSON.stringify(found, null, 2)}\n`);
    return undefined;
  }
  const unwritten = await writeFile(out, `${JSON.stringify(found)}\n`, io, { isShared: true });
  if (unwritten.length > 0) throw new ProblemsError(unwritten);
  return undefined;
};

/** What the gateway says of kinds that gwconf does not know, for `kinds` in gwconf.yaml. */
async function printDescription({
  operand: kind,
  args,
  io,
  openWorkspace,
  connect,
}: Given<'schema'>): Promise<Ending<never>> {
  if (kind !== undefined) throw new UsageError('--gateway is about all kinds: leave out the kind');
  // A copy that gwconf.yaml names is what is to be written again.
  const workspace = { ...(await openWorkspace(args)), catalog: new KnownKinds() };
  const opened = await connect(args, workspace);
  if ('problems' in opened) return { result: opened.result, problems: locateProblems(opened.problems) };
  await workspace.catalog.ask();
  const { described, problems } = workspace.catalog;
  if (described !== undefined) io.out(`${JSON.stringify(described.description, null, 2)}\n`);
  return {
    result: described === undefined ? 'error' : 'ok',
    problems: locateProblems([...opened.warnings, ...problems]),
  };
}
