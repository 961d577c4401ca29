import { valueOf, type Json } from '../../model/json/json.ts';
import type { SourceFile } from '../../model/problem.ts';
import { positionAt } from '../../schema/yaml/lines.ts';
import type { Tree } from '../../schema/yaml/tree.ts';
import { joinParts, type ReadPart } from './read-part.ts';
import { toCall } from './request.ts';

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
  if (typeof method !== 'string' || typeof url !== 'string') return { calls: [], others: 0 };
  const isRefused = typeof status === 'number' && status >= 400;
  const call = toCall({
    file: file.path,
    line: positionAt(file, offset).line,
    method,
    url,
    ...(typeof body === 'string' && { body }),
    ...(isRefused && { fault: `the gateway refused it with ${status}` }),
  });
  return call === undefined ? { calls: [], others: 1 } : { calls: [call], others: 0 };
}
