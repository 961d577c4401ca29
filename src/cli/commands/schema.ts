import { suggest } from '../../model/text/suggest.ts';
import { editorSchema } from '../../schema/json-schema.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { fileForms } from '../../schema/explain/file-forms.ts';
import { UsageError, type Io } from '../io.ts';
import { EXIT, type ExitCode } from '../../outcome/verdict.ts';

/** Prints the JSON Schema of all kinds, of one, or of a file without resources, for editors. */
export function schema(kind: string | undefined, io: Io): ExitCode {
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
  return EXIT.ok;
}
