import { isList, isObject, valueOf, type Json } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import { positionAt } from '../../schema/yaml/text-lines.ts';
import { readTrees, textsIn, type Tree } from '../../schema/yaml/tree.ts';
import type { Call, ReadCalls, UnreadCall } from './v1-call.ts';
import { resemblesPlaceholder } from '../../declare/declared.ts';

/**
 * Reads calls that are kept as data: `baseUrl` and a list `calls`, or a document with a `request` for each. Where calls name
 * their gateway, that name tells gateways apart.
 */
export function readRecorded(file: SourceFile): ReadCalls {
  const trees = readTrees(file);
  if (!('fault' in trees)) return { calls: trees.flatMap((tree) => readDocument(tree, file)), problems: [] };
  const message = `${file.path} ${trees.fault}`;
  const at = { file, offset: trees.offset };
  return {
    calls: [],
    problems: [
      {
        code: 'invalid-yaml',
        severity: 'error',
        message,
        at,
        confidential: true,
        hint: 'correct it, or leave it out',
      },
    ],
  };
}

/** Whether a document has recorded calls. */
export function isRecorded(document: Json): boolean {
  const calls = valueOf(document, 'calls');
  return isList(calls) ? calls.some(isRequest) : isRequest(valueOf(document, 'request'));
}

function isRequest(value: Json | undefined): boolean {
  return typeof valueOf(value, 'method') === 'string' && typeof valueOf(value, 'path') === 'string';
}

function readDocument(tree: Tree, file: SourceFile): readonly (Call | UnreadCall)[] {
  if (!isRecorded(tree.value)) return [];
  const base = textOf(valueOf(tree.value, 'baseUrl'));
  const calls = tree.children.get('calls');
  const requests =
    calls === undefined ? [tree.children.get('request') ?? tree] : [...calls.children.values()];
  return requests.map((request) => readRequest(request, base, file));
}

function readRequest({ value, offset }: Tree, base: string, file: SourceFile): Call | UnreadCall {
  const { line } = positionAt(file, offset);
  const place = { file: file.path, line };
  if (!isRequest(value)) return { ...place, why: 'expected a method and a path' };
  const method = textOf(valueOf(value, 'method')).toUpperCase();
  const path = textOf(valueOf(value, 'path'));
  const body = valueOf(value, 'body');
  const query = valueOf(value, 'query');
  for (const text of textsIn(value)) {
    if (resemblesPlaceholder(text))
      return { ...place, why: 'it has characters that are reserved for placeholders' };
  }
  return {
    ...place,
    gateway: textOf(valueOf(value, 'gateway')) || base,
    method,
    path,
    query: isObject(query)
      ? Object.fromEntries(Object.entries(query).map(([key, one]) => [key, textOf(one)]))
      : {},
    body,
  };
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}
