import { catalog } from '../../schema/kinds/index.ts';
import { suggest } from '../../model/text/suggest.ts';
import { editorSchema } from '../../schema/json-schema.ts';
import { fileForms } from '../../schema/explain/names.ts';
import type { Run } from '../given.ts';
import { UsageError } from '../io.ts';

/** Prints the JSON Schema of all kinds, of one, or of a file without resources, for editors. */
export const run: Run<'schema'> = ({ operand: kind, io }) => {
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
  io.out(`${JSON.stringify(found, null, 2)}\n`);
  return undefined;
};
