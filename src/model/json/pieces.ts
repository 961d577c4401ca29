import { canonicalText, type Json } from './json.ts';
import { inPieces } from './in-pieces.ts';

/**
 * What `JSON.stringify` makes of an object, indented and with a line break at its end, in pieces: without a text as long
 * as the whole. Its lists are written item by item.
 */
export function jsonPieces(object: object): Iterable<string> {
  return inPieces(indentedParts(object));
}

/** Its `canonicalText` in pieces, in the same way. */
export function canonicalPieces(object: object): Iterable<string> {
  return inPieces(canonicalParts(object));
}

function* indentedParts(object: object): Generator<string> {
  const fields = fieldsOf(object);
  yield '{';
  for (const [at, [key, value]] of fields.entries()) {
    yield `${at === 0 ? '' : ','}\n  ${JSON.stringify(key)}: `;
    if (isList(value) && value.length > 0) {
      let before = '[';
      for (const item of value) {
        yield `${before}\n    ${indented(item, '    ')}`;
        before = ',';
      }
      yield '\n  ]';
    } else yield indented(value, '  ');
  }
  yield fields.length === 0 ? '}\n' : '\n}\n';
}

/** An array, or a list that makes its items while it is read. */
function isList(value: unknown): value is Iterable<unknown> & { readonly length: number } {
  return typeof value === 'object' && value !== null && Symbol.iterator in value && 'length' in value;
}

function indented(value: unknown, by: string): string {
  // A text in JSON has no line break of its own.
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${by}`);
}

function* canonicalParts(object: object): Generator<string> {
  const fields = fieldsOf(object).sort(([one], [other]) => (one < other ? -1 : 1));
  yield '{';
  for (const [at, [key, value]] of fields.entries()) {
    yield `${at === 0 ? '' : ','}${JSON.stringify(key)}:`;
    if (Array.isArray(value)) {
      yield '[';
      for (const [at, item] of value.entries()) yield `${at === 0 ? '' : ','}${canonicalText(item as Json)}`;
      yield ']';
    } else yield canonicalText(value as Json);
  }
  yield '}';
}

/** As JSON has it, without what has no value. */
function fieldsOf(object: object): [string, unknown][] {
  return (Object.entries(object) as [string, unknown][]).filter(([, value]) => value !== undefined);
}
