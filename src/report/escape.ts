import { forTerminal } from '../model/text/escape.ts';

export { forTerminal };

/** Text that a terminal may have, on one line. */
export function onOneLine(text: string): string {
  return forTerminal(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}
