import { explain as explainField } from '../../schema/explain/explain.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { EXIT, UsageError, type ExitCode, type Io } from '../io.ts';

/** Prints what is known of a kind, a plugin class, or a field of either. */
export function explain(question: string, io: Io): ExitCode {
  const found = explainField(question, catalog);
  if (!('text' in found)) {
    const what =
      found.within === undefined
        ? `there is no kind or plugin class ${found.unknown}`
        : `${found.within} has no field ${found.unknown}`;
    throw new UsageError(`${what}${found.near === undefined ? '' : `; did you mean ${found.near}?`}`);
  }
  io.out(found.text);
  return EXIT.ok;
}
