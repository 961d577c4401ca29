import { posix } from 'node:path';
import { isList, isObject, valueOf, type Json } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import { positionAt } from '../../schema/yaml/text-lines.ts';
import { textsIn, type Tree } from '../../schema/yaml/tree.ts';
import {
  fillBraces,
  joinParts,
  mayBe,
  NO_CALLS,
  openCall,
  partOf,
  placeholderFor,
  readUrl,
  toCall,
  type ReadPart,
  type Request,
  type UnreadCall,
} from './request.ts';
import { usesBeside } from './uses.ts';
import { credentialsInHeader, credentialsInUrl, credentialsOf } from './credentials.ts';
import { readShell } from './shell/read-shell.ts';
import { scriptOf } from './shell/shell-files.ts';
import type { FilesBeside } from './shell/shell-state.ts';

const REQUEST = /^(?:(GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)\s+)?(\S+)(?:\s+HTTP\/[\d.]+)?\s*$/i;

/** The requests of a file of the REST clients of editors: `.http`, `.rest`. */
export function readHttpFile(file: SourceFile, files: FilesBeside): ReadPart {
  const lines = file.text.split(/\r?\n/);
  const variables = new Map<string, string>();
  const set = setByScripts(file.text);
  const parts: HttpPart[] = [];
  for (const line of lines) {
    const [, name, value] = /^@([\w.-]+)\s*=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    // Nothing tells which of two values a request has.
    const isOpen = mayBe(set, name) || (variables.has(name) && variables.get(name) !== value.trim());
    variables.set(name, isOpen ? placeholderFor(name) : value.trim());
    parts.push({ ...NO_CALLS, credentials: credentialsOf(name, value) });
  }
  let start = 0;
  for (let at = 0; at <= lines.length; at += 1) {
    if (at < lines.length && lines[at]?.startsWith('###') !== true) continue;
    parts.push(readBlock(lines.slice(start, at), start + 1, variables, file, files));
    start = at + 1;
  }
  return joinCalls(parts);
}

type HttpPart = ReadPart & { readonly open?: UnreadCall | undefined };

/** Calls to a URL of which nothing is known are told where there are others. */
function joinCalls(parts: readonly HttpPart[]): ReadPart {
  const read = joinParts(parts);
  const open = parts.flatMap((part) => part.open ?? []);
  return read.calls.length === 0 ? read : { ...read, calls: [...read.calls, ...open] };
}

function readBlock(
  lines: readonly string[],
  firstLine: number,
  variables: ReadonlyMap<string, string>,
  file: SourceFile,
  files: FilesBeside,
): HttpPart {
  const fill = (text: string): string => fillBraces(text, (name) => variables.get(name));
  const isSkipped = linesBefore(lines);
  const at = lines.findIndex((line, index) => !isSkipped(index) && line.trim() !== '');
  const first = fill(lines[at] ?? '');
  if (/^curl\s/.test(first)) {
    const text = `${'\n'.repeat(firstLine + at - 1)}${fill(lines.slice(at).join('\n'))}`;
    return readShell(scriptOf({ path: file.path, text }), files);
  }
  const [, method, target] = REQUEST.exec(first) ?? [];
  if (target === undefined) return nameRequest(lines, firstLine, file);
  const rest = lines.slice(at + 1);
  const blank = rest.findIndex((line) => line.trim() === '');
  const head = blank === -1 ? rest : rest.slice(0, blank);
  const more = head.filter((line) => /^\s+[?&/]/.test(line)).map((line) => line.trim());
  const host = head.map((line) => /^host:(.*)$/i.exec(line)?.[1]?.trim()).find((one) => one !== undefined);
  const url = `${target.startsWith('/') ? (host ?? '') : ''}${target}${more.join('')}`;
  const body = blank === -1 ? '' : bodyOf(rest.slice(blank + 1), file, files);
  const request = { file: file.path, line: firstLine + at, method: method ?? 'GET', url: fill(url) };
  const call = toCall(
    body === undefined
      ? { ...request, fault: { why: 'its body is in a file that is not among the files' } }
      : { ...request, body: fill(body) },
  );
  const credentials = head.flatMap((line) => credentialsInHeader(fill(line)));
  return { ...partOf(call, [...credentials, ...credentialsInUrl(fill(url))]), open: openCall(request) };
}

/** Whether a line is a comment, a variable or of a script that runs before the request. */
function linesBefore(lines: readonly string[]): (at: number) => boolean {
  const start = lines.findIndex((line) => line.startsWith('< {%'));
  const end = start === -1 ? -1 : lines.findIndex((line, at) => at >= start && line.includes('%}'));
  return (at) => (at >= start && at <= end) || /^\s*(?:#|\/\/|@|< )/.test(lines[at] ?? '');
}

/** A request whose first line is not read is named if it has the URL of a call. */
function nameRequest(lines: readonly string[], firstLine: number, file: SourceFile): ReadPart {
  const calls = lines.flatMap((line, at) => {
    const path = /^\s*(?:#|\/\/|@)/.test(line)
      ? undefined
      : line
          .split(/[\s"'(),]+/)
          .map((word) => readUrl(word)?.path)
          .find((one) => one !== undefined);
    const place = { file: file.path, line: firstLine + at };
    return path === undefined ? [] : [{ ...place, path, why: 'its request line is not read' }];
  });
  return { calls, others: 0 };
}

/** The body, up to a script for the answer. `< FILE` is the text of a file; undefined if it is not there. */
function bodyOf(lines: readonly string[], file: SourceFile, files: FilesBeside): string | undefined {
  const end = lines.findIndex((line) => /^(?:>|<>)/.test(line));
  const text = (end === -1 ? lines : lines.slice(0, end))
    .filter((line) => !/^(?:#|\/\/)/.test(line))
    .join('\n')
    .trim();
  const path = /^<@?\s+(\S+)$/.exec(text)?.[1];
  return path === undefined ? text : files.read(posix.join(posix.dirname(file.path), path));
}

const SETS =
  /(?:[vV]ariables|[eE]nvironment|[gG]lobals?)\.set\(\s*(?:["'`]([^"'`]*)["'`])?|set(?:Environment|Global)Variable\(\s*(?:["'`]([^"'`]*)["'`])?/g;

/** The variables that scripts beside requests set; undefined for one whose name is calculated. */
function setByScripts(text: string): ReadonlySet<string | undefined> {
  return new Set(Array.from(text.matchAll(SETS), ([, one, other]) => one ?? other));
}

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
  const set = setByScripts([...textsIn(tree.value)].join('\n'));
  const fill = (text: string): string =>
    fillBraces(text, (name) => (mayBe(set, name) ? undefined : (environment.get(name) ?? own.get(name))));
  const parts = Array.from(requestsIn(tree), ({ value, offset }) => {
    const { line } = positionAt(file, offset);
    const request = { file: file.path, line, ...readRequest(value, fill) };
    return { ...partOf(toCall(request)), open: openCall(request) };
  });
  return joinCalls([
    ...parts,
    ...Array.from(scriptsIn(tree), (script) => ({ ...NO_CALLS, uses: usesBeside(script, file, new Set()) })),
  ]);
}

/** Scripts that make calls of their own, before a request or after it. */
function* scriptsIn(item: Tree): Generator<Tree> {
  for (const child of item.children.get('item')?.children.values() ?? []) yield* scriptsIn(child);
  const events = item.children.get('event');
  if (events !== undefined && JSON.stringify(events.value).includes('sendRequest')) yield events;
}

function* requestsIn(item: Tree): Generator<Tree> {
  for (const child of item.children.get('item')?.children.values() ?? []) yield* requestsIn(child);
  const request = item.children.get('request');
  if (request !== undefined) yield request;
}

function readRequest(request: Json, fill: (text: string) => string): Omit<Request, 'file' | 'line'> {
  const method = valueOf(request, 'method');
  const body = valueOf(request, 'body');
  const mode = valueOf(body, 'mode');
  const raw = valueOf(body, 'raw');
  return {
    method: typeof method === 'string' ? fill(method) : 'GET',
    url: fill(urlOf(typeof request === 'string' ? request : valueOf(request, 'url'), fill)),
    ...(mode === 'raw' && typeof raw === 'string' && { body: fill(raw) }),
    ...(mode !== undefined &&
      mode !== 'raw' &&
      isObject(body) &&
      valueOf(body, 'disabled') !== true && { fault: { why: 'its body is not JSON' } }),
  };
}

/** With the values of path variables: `/username/:name`. */
function urlOf(url: Json | undefined, fill: (text: string) => string): string {
  if (typeof url === 'string') return url;
  const raw = valueOf(url, 'raw');
  const values = readVariables(valueOf(url, 'variable'));
  const parts = partsOfUrl(url);
  // Postman sends the parts, also where the text that it shows is another URL.
  const isShown =
    typeof raw === 'string' &&
    (valueOf(url, 'path') === undefined || readUrl(fill(raw))?.path === readUrl(fill(parts))?.path);
  return (isShown ? raw : parts).replaceAll(/\/:(\w+)/g, (whole, name: string) => {
    const value = values.get(name);
    return /^\d+$/.test(name) ? whole : `/${value ?? `{{${name}}}`}`;
  });
}

/** A URL of which only the parts are written. */
function partsOfUrl(url: Json | undefined): string {
  const textAt = (key: string, separator: string): string => {
    const found = valueOf(url, key);
    return (isList(found) ? found : [found ?? '']).map(String).join(separator);
  };
  const [protocol, host, port] = [textAt('protocol', ''), textAt('host', '.'), textAt('port', '')];
  return `${protocol || 'http'}://${host}${port === '' ? '' : `:${port}`}/${textAt('path', '/')}`;
}

export function isHar(document: Json): boolean {
  return valueOf(valueOf(document, 'log'), 'entries') !== undefined;
}

/** The calls that a browser or proxy has recorded. */
export function readHar(tree: Tree, file: SourceFile): ReadPart {
  const entries = tree.children.get('log')?.children.get('entries')?.children.values() ?? [];
  return joinParts([...entries].map((entry) => readEntry(entry, file)));
}

function readEntry({ value, offset }: Tree, file: SourceFile): ReadPart {
  const request = valueOf(value, 'request');
  const [method, url] = [valueOf(request, 'method'), valueOf(request, 'url')];
  const body = valueOf(valueOf(request, 'postData'), 'text');
  const status = valueOf(valueOf(value, 'response'), 'status');
  if (typeof method !== 'string' || typeof url !== 'string') return NO_CALLS;
  const isRefused = typeof status === 'number' && status >= 400;
  const call = toCall({
    file: file.path,
    line: positionAt(file, offset).line,
    method,
    url,
    ...(typeof body === 'string' && { body }),
    ...(isRefused && { fault: { why: `the gateway refused it with ${status}` } }),
  });
  return partOf(call);
}
