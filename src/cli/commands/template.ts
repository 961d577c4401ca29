import { nearName } from '../../schema/explain/names.ts';
import { template as templateOf } from '../../schema/explain/template.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { EXIT, UsageError, type ExitCode, type Io } from '../io.ts';

/** Prints a document to start from: of a kind, or of an interceptor with a plugin class. */
export function template(name: string, io: Io): ExitCode {
  const text = templateOf(name, catalog);
  if (text === undefined) {
    const near = nearName(name, catalog);
    const hint = near === undefined || near === name ? '' : `; did you mean ${near}?`;
    throw new UsageError(`there is no kind that a file can declare and no plugin class ${name}${hint}`);
  }
  io.out(text);
  return EXIT.ok;
}
