import { addAll } from '../../../model/collect.ts';
import { textOfFile } from './files.ts';
import { credentialsInHeader, credentialsOf } from '../credentials.ts';
import type { Sent } from './send.ts';
import type { State } from './state.ts';

/** The options of wget whose value is the next word. */
const WITH_VALUE =
  /^(?:-[OoaePtTUQw]|--(?:header|user|password|http-user|http-password|method|post-data|post-file|body-data|body-file|output-document|timeout|tries|ca-certificate|certificate|private-key|user-agent))$/;

export function wgetRequests(args: readonly string[], state: State): Sent {
  const options = new Map<string, string>();
  const urls: string[] = [];
  const credentials: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    const long = /^--([\w-]+)=(.*)$/s.exec(arg);
    if (long !== null) options.set(long[1] ?? '', long[2] ?? '');
    else if (WITH_VALUE.test(arg)) options.set(arg.replace(/^-+/, ''), args[(at += 1)] ?? '');
    else if (!arg.startsWith('-')) urls.push(arg);
    if (/^--header/.test(arg)) addAll(credentials, credentialsInHeader(long?.[2] ?? args[at] ?? ''));
  }
  for (const [name, value] of options)
    if (name.endsWith('password')) addAll(credentials, credentialsOf('password', value));
  const file = options.get('post-file') ?? options.get('body-file');
  const body =
    file === undefined ? (options.get('post-data') ?? options.get('body-data')) : textOfFile(file, state);
  const isPost = options.has('post-data') || options.has('post-file');
  const method = options.get('method') ?? (isPost ? 'POST' : 'GET');
  return {
    credentials,
    requests: urls.map((url) => ({ method, url, ...(body !== undefined && { body }) })),
  };
}
