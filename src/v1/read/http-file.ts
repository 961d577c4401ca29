import { addAll } from '../../model/collect.ts';
import { posix } from 'node:path';
import type { SourceFile } from '../../model/problem.ts';
import { credentialsInHeader, credentialsInUrl, credentialsOf } from './credentials.ts';
import { joinParts, type ReadPart } from './read-part.ts';
import { toCall } from './request.ts';
import type { FilesBeside } from './shell/state.ts';
import { fillBraces } from './variables.ts';

const REQUEST = /^(?:(GET|POST|PUT|DELETE|PATCH|HEAD|OPTIONS)\s+)?(\S+)(?:\s+HTTP\/[\d.]+)?\s*$/;

/** The requests of a file of the REST clients of editors: `.http`, `.rest`. */
export function readHttpFile(file: SourceFile, files: FilesBeside): ReadPart {
  const lines = file.text.split(/\r?\n/);
  const variables = new Map<string, string>();
  const parts: ReadPart[] = [];
  for (const line of lines) {
    const [, name, value] = /^@([\w.-]+)\s*=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    variables.set(name, value.trim());
    parts.push({ calls: [], others: 0, credentials: credentialsOf(name, value) });
  }
  let start = 0;
  for (let at = 0; at <= lines.length; at += 1) {
    if (at < lines.length && lines[at]?.startsWith('###') !== true) continue;
    parts.push(readBlock(lines.slice(start, at), start + 1, { file, files, variables }));
    start = at + 1;
  }
  return joinParts(parts);
}

type Context = {
  readonly file: SourceFile;
  readonly files: FilesBeside;
  readonly variables: ReadonlyMap<string, string>;
};

function readBlock(
  lines: readonly string[],
  firstLine: number,
  { file, files, variables }: Context,
): ReadPart {
  const at = lines.findIndex((line) => line.trim() !== '' && !/^(?:#|\/\/|@)/.test(line.trim()));
  const [, method, target] = REQUEST.exec(lines[at] ?? '') ?? [];
  if (target === undefined) return { calls: [], others: 0 };
  const rest = lines.slice(at + 1);
  const blank = rest.findIndex((line) => line.trim() === '');
  const head = blank === -1 ? rest : rest.slice(0, blank);
  const more = head.filter((line) => /^\s+[?&/]/.test(line)).map((line) => line.trim());
  const host = head.map((line) => /^host:(.*)$/i.exec(line)?.[1]?.trim()).find((one) => one !== undefined);
  const fill = (text: string): string => fillBraces(text, (name) => variables.get(name));
  const credentials = head.flatMap((line) => credentialsInHeader(fill(line)));
  const url = `${target.startsWith('/') ? (host ?? '') : ''}${target}${more.join('')}`;
  const body = blank === -1 ? '' : bodyOf(rest.slice(blank + 1), file, files);
  const request = { file: file.path, line: firstLine + at, method: method ?? 'GET', url: fill(url) };
  const call = toCall(
    body === undefined
      ? { ...request, fault: 'its body is in a file that is not among the files' }
      : { ...request, body: fill(body) },
  );
  addAll(credentials, credentialsInUrl(fill(url)));
  return call === undefined
    ? { calls: [], others: 1, credentials }
    : { calls: [call], others: 0, credentials };
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
