import { suggest } from '../../model/text/suggest.ts';
import { editorSchema } from '../../schema/json-schema.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { projectSchema } from '../../schema/project/project-schema.ts';
import { UsageError, type Io } from '../io.ts';
import { EXIT, type ExitCode } from '../verdict.ts';

const PROJECT = 'Project';

/** Prints the JSON Schema of all kinds, of one, or of the project file, for editors. */
export function schema(kind: string | undefined, io: Io): ExitCode {
  const found = kind === PROJECT ? projectSchema : editorSchema(catalog, kind);
  if (found === undefined) {
    const near = suggest(kind ?? '', [...catalog.kinds.keys(), ...catalog.ownKinds.keys(), PROJECT]);
    throw new UsageError(
      `there is no kind ${kind ?? ''} that a file can declare${near === undefined ? '' : `; did you mean ${near}?`}`,
    );
  }
  io.out(`${JSON.stringify(found, null, 2)}\n`);
  return EXIT.ok;
}
