import { forTerminal } from './escape.ts';
import { inPieces } from './pieces.ts';

/**
 * A report as indented JSON with a line break at its end, in pieces: what `JSON.stringify` makes of it, as a terminal may
 * have it, without a text as long as the whole. The lists of the report are written item by item.
 */
export function jsonText(report: object): Iterable<string> {
  return inPieces(partsOf(report));
}

function* partsOf(report: object): Generator<string> {
  const fields = (Object.entries(report) as [string, unknown][]).filter(([, value]) => value !== undefined);
  yield '{';
  for (const [at, [key, value]] of fields.entries()) {
    yield `${at === 0 ? '' : ','}\n  ${JSON.stringify(key)}: `;
    if (Array.isArray(value) && value.length > 0) yield* itemsOf(value);
    else yield indented(value, '  ');
  }
  yield fields.length === 0 ? '}\n' : '\n}\n';
}

function* itemsOf(list: readonly unknown[]): Generator<string> {
  for (const [at, item] of list.entries()) yield `${at === 0 ? '[' : ','}\n    ${indented(item, '    ')}`;
  yield '\n  ]';
}

function indented(value: unknown, by: string): string {
  // A text in JSON has no line break of its own.
  return forTerminal(JSON.stringify(value, null, 2)).replaceAll('\n', `\n${by}`);
}
