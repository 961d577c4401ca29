import { catalog, editorSchema, suggest } from '../../index.ts';
import { EXIT, UsageError, type ExitCode, type Io } from '../io.ts';

/** Prints the JSON Schema of all kinds, or of one, for editors. */
export function schema(kind: string | undefined, io: Io): ExitCode {
  const found = editorSchema(catalog, kind);
  if (found === undefined) {
    const near = suggest(kind ?? '', [...catalog.kinds.keys(), ...catalog.ownKinds.keys()]);
    throw new UsageError(
      `there is no kind ${kind ?? ''} that a file can declare${near === undefined ? '' : `; did you mean ${near}?`}`,
    );
  }
  io.out(`${JSON.stringify(found, null, 2)}\n`);
  return EXIT.ok;
}
