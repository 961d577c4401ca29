import {
  isCollection,
  isMap,
  isPair,
  isScalar,
  visit,
  type Document,
  type Node,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { printEntry, type ScalarStyle } from '../../schema/yaml/print.ts';
import { forTerminal } from '../../model/text/escape.ts';
import { entriesOf, isList, type Json } from '../../model/json/json.ts';
import { lineStart } from '../../schema/yaml/text-lines.ts';
import { printJson } from '../../model/json/json-text.ts';

/** How a file is written, so that what is added looks like it. */
export type FileStyle = {
  /** Columns of a level. */
  readonly indent: number;
  /** Whether a list below a key is indented. */
  readonly indentSeq: boolean;
  /** Whether there is a blank inside braces, and inside brackets. */
  readonly isPaddedMap: boolean;
  readonly isPaddedList: boolean;
  readonly lineBreak: string;
  /** Whether it is JSON, or YAML in its syntax. */
  readonly isJson: boolean;
};

/** The style of the first map in a map, of the first list below a key, and of the first braces. */
export function styleOf(text: string, document: Document): FileStyle {
  let indent: number | undefined;
  let indentSeq: boolean | undefined;
  let isPaddedMap: boolean | undefined;
  let isPaddedList: boolean | undefined;
  const columnOf = (node: Node): number => {
    const from = node.range?.[0] ?? 0;
    return from - lineStart(text, from);
  };
  const paddingOf = ({ items, range }: YAMLMap | YAMLSeq): boolean | undefined =>
    items.length === 0 ? undefined : text[(range?.[0] ?? 0) + 1] === ' ';
  visit(document, {
    Map(_, node, path) {
      const parent = path.findLast(isCollection);
      if (node.flow === true) isPaddedMap ??= paddingOf(node);
      else if (isMap(parent) && parent.flow !== true) indent ??= columnOf(node) - columnOf(parent);
    },
    Seq(_, node, path) {
      if (node.flow === true) isPaddedList ??= paddingOf(node);
      const parent = path.findLast(isMap);
      if (node.flow !== true && isPair(path.at(-1)) && parent?.flow !== true && parent !== undefined)
        indentSeq ??= columnOf(node) > columnOf(parent);
    },
  });
  const { contents } = document;
  return {
    indent: indent ?? jsonIndent(text, contents) ?? 2,
    indentSeq: indentSeq ?? true,
    isPaddedMap: isPaddedMap ?? true,
    isPaddedList: isPaddedList ?? false,
    lineBreak: /\r\n/.test(text) ? '\r\n' : '\n',
    isJson: isMap(contents) && isJsonMap(contents),
  };
}

/** Whether a collection is written in the syntax of JSON. */
function isJsonMap({ flow, items }: YAMLMap | YAMLSeq): boolean {
  return (
    flow === true &&
    items.every((item) => isPair(item) && isScalar(item.key) && item.key.type === 'QUOTE_DOUBLE')
  );
}

function jsonIndent(text: string, contents: unknown): number | undefined {
  if (!isMap(contents) || contents.flow !== true) return undefined;
  return /^\{\r?\n( +)/.exec(text.slice(contents.range?.[0]))?.[1]?.length;
}

/** An entry in block style: its lines, each but the first with these columns before it. */
export function printBlock(
  key: string | undefined,
  value: Json,
  style: FileStyle,
  column: number,
  scalar?: ScalarStyle,
): string {
  return indentLines(linesOf(key, value, style, scalar), column).join(style.lineBreak);
}

function linesOf(
  key: string | undefined,
  value: Json,
  style: FileStyle,
  scalar?: ScalarStyle,
): readonly string[] {
  const { indent, indentSeq } = style;
  const children = entriesOf(value);
  if (children.length === 0) return printEntry(key, value, { indent, isFlow: false, scalar }).split('\n');
  const below = children.flatMap(([name, child]) => linesOf(isList(value) ? undefined : name, child, style));
  if (key === undefined) return indentLines([`- ${below[0] ?? ''}`, ...below.slice(1)], 2);
  const column = isList(value) && !indentSeq ? 0 : indent;
  return indentLines([`${printKey(key)}:`, ...below], column);
}

function printKey(key: string, isFlow = false): string {
  return printEntry(key, 0, { indent: 2, isFlow }).slice(0, -': 0'.length);
}

/** An entry in braces or brackets, on one line; in JSON that has several lines, on as many as it needs. */
export function printFlow(
  key: string | undefined,
  value: Json,
  style: FileStyle,
  column?: number,
  scalar?: ScalarStyle,
): string {
  const { isJson, indent, lineBreak } = style;
  if (!isJson) {
    const text = printFlowValue(value, style, scalar);
    return key === undefined ? text : `${printKey(key, true)}: ${text}`;
  }
  const text = column === undefined ? spaced(value) : printJson(value, indent);
  const entry = forTerminal(key === undefined ? text : `${JSON.stringify(key)}: ${text}`);
  return indentLines(entry.split('\n'), column ?? 0).join(lineBreak);
}

function printFlowValue(value: Json, style: FileStyle, scalar?: ScalarStyle): string {
  const children = entriesOf(value);
  if (children.length === 0) return printEntry(undefined, value, { indent: 2, isFlow: true, scalar });
  const isPadded = isList(value) ? style.isPaddedList : style.isPaddedMap;
  const entries = children.map(([name, child]) => printFlow(isList(value) ? undefined : name, child, style));
  const blank = isPadded ? ' ' : '';
  const inside = `${blank}${entries.join(', ')}${blank}`;
  return isList(value) ? `[${inside}]` : `{${inside}}`;
}

/** JSON on one line. */
function spaced(value: Json): string {
  return printJson(value, 1).replace(/\n\s*/g, ' ');
}

function indentLines(lines: readonly string[], column: number): readonly string[] {
  const indent = ' '.repeat(column);
  return lines.map((line, at) => (at === 0 || line === '' ? line : indent + line));
}
