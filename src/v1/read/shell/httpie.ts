import { addAll } from '../../../model/collect.ts';
import { textOfFile } from './files.ts';
import { credentialsInHeader, credentialsInUser } from '../credentials.ts';
import type { Sent } from './send.ts';
import type { State } from './state.ts';

const WITH_VALUE = /^(?:-[aAop]|--(?:auth|auth-type|output|print|session|timeout|verify|cert|cert-key|raw))$/;

/** `http POST :8888/admin/… name=text count:=1 to==failover`. */
export function httpieRequests(args: readonly string[], state: State): Sent {
  const words: string[] = [];
  const credentials: string[] = [];
  let raw: string | undefined;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg.startsWith('--auth=')) addAll(credentials, credentialsInUser(arg.slice('--auth='.length)));
    if (arg.startsWith('--raw=')) raw = arg.slice('--raw='.length);
    else if (WITH_VALUE.test(arg)) {
      at += 1;
      if (/^-a$|auth$/.test(arg)) addAll(credentials, credentialsInUser(args[at] ?? ''));
      if (arg === '--raw') raw = args[at];
    } else if (!arg.startsWith('-')) words.push(arg);
  }
  const hasMethod = /^[A-Z]+$/.test(words[0] ?? '');
  const [target = '', ...items] = hasMethod ? words.slice(1) : words;
  const url = target.startsWith(':')
    ? `localhost${/^:\d/.test(target) ? '' : ':'}${target}`.replace('::', '')
    : target;
  addAll(credentials, items.flatMap(credentialsInHeader));
  const fields = items.flatMap((item) => readItem(item, state));
  const body = raw ?? bodyOf(fields) ?? (state.stdin === undefined ? undefined : textOfFile('-', state));
  const query = fields
    .flatMap(({ kind, name, value }) => (kind === 'query' ? [`${encodeURIComponent(name)}=${value}`] : []))
    .join('&');
  const method = hasMethod ? (words[0] ?? '') : body === undefined ? 'GET' : 'POST';
  return { requests: [{ method, url, query, ...(body !== undefined && { body }) }], credentials };
}

type Item = { readonly kind: 'query' | 'field' | 'json'; readonly name: string; readonly value: string };

function readItem(item: string, state: State): readonly Item[] {
  const found = /^([\w.-]+)(==|:=@|:=|=@|=)(.*)$/s.exec(item);
  if (found === null) return [];
  const [, name = '', operator = '', text = ''] = found;
  const value = operator.endsWith('@') ? textOfFile(text, state) : text;
  return [{ kind: operator === '==' ? 'query' : operator.startsWith(':') ? 'json' : 'field', name, value }];
}

function bodyOf(items: readonly Item[]): string | undefined {
  const fields = items.filter(({ kind }) => kind !== 'query');
  if (fields.length === 0) return undefined;
  return `{${fields.map(({ kind, name, value }) => `${JSON.stringify(name)}:${kind === 'json' ? value : JSON.stringify(value)}`).join(',')}}`;
}
