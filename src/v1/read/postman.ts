import { isList, isObject, valueOf, type Json } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import { positionAt } from '../../schema/yaml/lines.ts';
import type { Tree } from '../../schema/yaml/tree.ts';
import type { ReadPart } from './read-part.ts';
import { toCall } from './request.ts';
import { fillBraces } from './variables.ts';

export function isPostman(document: Json): boolean {
  const schema = valueOf(valueOf(document, 'info'), 'schema');
  return isList(valueOf(document, 'item')) && typeof schema === 'string' && schema.includes('collection');
}

export function isPostmanEnvironment(document: Json): boolean {
  return valueOf(document, '_postman_variable_scope') !== undefined && isList(valueOf(document, 'values'));
}

/** The values of an environment, without those that are secret. */
export function readEnvironment(document: Json): ReadonlyMap<string, string> {
  return readVariables(valueOf(document, 'values') ?? valueOf(document, 'variable'));
}

function readVariables(list: Json | undefined): Map<string, string> {
  const found = new Map<string, string>();
  for (const item of isList(list) ? list : []) {
    const [key, value] = [valueOf(item, 'key') ?? valueOf(item, 'id'), valueOf(item, 'value')];
    const isUsed =
      valueOf(item, 'enabled') !== false &&
      valueOf(item, 'disabled') !== true &&
      valueOf(item, 'type') !== 'secret';
    if (isUsed && typeof key === 'string' && typeof value === 'string' && value !== '') found.set(key, value);
  }
  return found;
}

/** The calls of a collection, folder by folder. Values of an environment come before those of the collection. */
export function readPostman(
  tree: Tree,
  file: SourceFile,
  environment: ReadonlyMap<string, string>,
): ReadPart {
  const own = readEnvironment(tree.value);
  const fill = (text: string): string => fillBraces(text, (name) => environment.get(name) ?? own.get(name));
  const part: { calls: ReadPart['calls'][number][]; others: number } = { calls: [], others: 0 };
  const visit = (item: Tree): void => {
    for (const child of item.children.get('item')?.children.values() ?? []) visit(child);
    const request = item.children.get('request');
    if (request === undefined) return;
    const { line } = positionAt(file, request.offset);
    const call = toCall({ file: file.path, line, ...readRequest(request.value, fill) });
    if (call === undefined) part.others += 1;
    else part.calls.push(call);
  };
  visit(tree);
  return part;
}

type Fields = {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
  readonly fault?: string;
};

function readRequest(request: Json, fill: (text: string) => string): Fields {
  const method = valueOf(request, 'method');
  const body = valueOf(request, 'body');
  const mode = valueOf(body, 'mode');
  const raw = valueOf(body, 'raw');
  return {
    method: typeof method === 'string' ? fill(method) : 'GET',
    url: fill(readUrl(typeof request === 'string' ? request : valueOf(request, 'url'))),
    ...(mode === 'raw' && typeof raw === 'string' && { body: fill(raw) }),
    ...(mode !== undefined &&
      mode !== 'raw' &&
      isObject(body) &&
      valueOf(body, 'disabled') !== true && { fault: 'its body is not JSON' }),
  };
}

/** With the values of path variables: `/username/:name`. */
function readUrl(url: Json | undefined): string {
  if (typeof url === 'string') return url;
  const raw = valueOf(url, 'raw');
  const values = readVariables(valueOf(url, 'variable'));
  return (typeof raw === 'string' ? raw : '').replaceAll(/\/:(\w+)/g, (whole, name: string) => {
    const value = values.get(name);
    return /^\d+$/.test(name) ? whole : `/${value ?? `{{${name}}}`}`;
  });
}
