import { posix } from 'node:path';
import { addAll, present } from '../../../model/collect.ts';
import {
  credentialsInFile,
  credentialsInHeader,
  credentialsInUser,
  credentialsOf,
  credentialsInUrl,
} from '../credentials.ts';
import { textOfFile, writeFile } from './shell-files.ts';
import { hasUnknown, type Fault } from '../unknown.ts';
import { notRead, type State, unknown, write } from './shell-state.ts';
import { ANY_URL, openCall, toCall, type Request } from '../request.ts';

/** The options of curl that take a value. */
const WITH_VALUE = new Set(
  'abstract-unix-socket alt-svc aws-sigv4 cacert capath cert cert-type ciphers config connect-timeout connect-to continue-at cookie cookie-jar create-file-mode crlfile data data-ascii data-binary data-raw data-urlencode delegation dns-interface dns-servers doh-url dump-header engine etag-compare etag-save expect100-timeout form form-string happy-eyeballs-timeout-ms header hostpubmd5 interface ip-tos json keepalive-cnt keepalive-time key key-type limit-rate local-port login-options mail-from max-filesize max-redirs max-time netrc-file noproxy oauth2-bearer output output-dir pass pinnedpubkey preproxy proto proto-default proto-redir proxy proxy-cacert proxy-cert proxy-header proxy-key proxy-pass proxy-user pubkey quote random-file range rate referer request request-target resolve retry retry-delay retry-max-time service-name socks5 socks5-hostname speed-limit speed-time stderr telnet-option tftp-blksize time-cond tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace trace-ascii unix-socket upload-file url url-query user user-agent variable write-out'.split(
    ' ',
  ),
);
/** Its short options that have a meaning here, and others that take a value. */
const SHORT = new Map(
  'b=cookie d=data E=cert F=form G=get H=header I=head K=config o=output T=upload-file u=user U=proxy-user w=write-out X=request'
    .split(' ')
    .map((one) => one.split('=') as [letter: string, name: string]),
);
const OTHER_SHORT = 'AcCDemPQrtxyYz';

type Options = {
  readonly urls: readonly string[];
  readonly set: ReadonlyMap<string, readonly string[]>;
  readonly data: readonly (readonly [string, string])[];
};

/** The requests of a curl command. Credentials are among the options that are dropped here. */
export function curlRequests(args: readonly string[], state: State): Sent {
  const groups: string[][] = [[]];
  for (const arg of args) {
    if (arg === '--next' || arg === '-:') groups.push([]);
    else groups.at(-1)?.push(arg);
  }
  const sent = groups.map((group) => requestsOf(readOptions(group, state), state));
  return {
    requests: sent.flatMap(({ requests }) => requests),
    credentials: sent.flatMap(({ credentials }) => credentials ?? []),
    ...present({ output: sent.find(({ output }) => output !== undefined)?.output }),
  };
}

/** A file of options can name others. */
const MOST_CONFIGS = 5;

/** The options of a file of curl, as arguments: `request = "DELETE"`. */
function optionsIn(file: string): readonly string[] {
  return file.split('\n').flatMap((line) => {
    const text = line.trim().replace(/^-{1,2}/, '');
    const [name] = /^[A-Za-z][\w-]*/.exec(text) ?? [];
    if (name === undefined) return [];
    const written = text.slice(name.length).trim().replace(/^[=:]/, '').trim();
    const value = /^"((?:[^"\\]|\\.)*)"/.exec(written)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? written;
    return [`${name.length === 1 ? '-' : '--'}${name}`, ...(value === '' ? [] : [value])];
  });
}

function readOptions(args: readonly string[], state: State, level = 0): Options {
  const urls: string[] = [];
  const set = new Map<string, string[]>();
  const data: (readonly [string, string])[] = [];
  const take = (name: string, value: string): void => {
    const text = name === 'config' ? textOfFile(value, state) : '';
    if (name === 'url') urls.push(value);
    else if (name.startsWith('expand-'))
      take(name.slice(7), value.includes('{{') ? notRead(state, 'a variable of curl') : value);
    else if (text !== '' && !hasUnknown(text) && level < MOST_CONFIGS) {
      const more = readOptions(optionsIn(text), state, level + 1);
      addAll(urls, more.urls);
      addAll(data, more.data);
      for (const [key, values] of more.set) for (const one of values) take(key, one);
    } else if (name === 'json' || name.startsWith('data')) data.push([name, value]);
    else set.set(name, [...(set.get(name) ?? []).slice(0, 20), value]);
  };
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === '--') continue;
    if (arg.startsWith('--')) {
      const [name = '', ...value] = arg.slice(2).split('=');
      if (value.length > 0) take(name, value.join('='));
      else if (WITH_VALUE.has(name.replace(/^expand-/, ''))) take(name, args[(at += 1)] ?? '');
      else take(name, '');
    } else if (/^-./.test(arg)) {
      at += readShort(arg, args[at + 1] ?? '', take);
    } else if (arg !== '') urls.push(arg);
  }
  return { urls, set, data };
}

/** `-sSXPOST`, `-sd @file`: returns how many of the next words are taken. */
function readShort(arg: string, next: string, take: (name: string, value: string) => void): number {
  for (let at = 1; at < arg.length; at += 1) {
    const letter = arg[at] ?? '';
    const name = SHORT.get(letter) ?? (OTHER_SHORT.includes(letter) ? '' : undefined);
    if (name === undefined) continue;
    if (name === 'get' || name === 'head') {
      take(name, '');
      continue;
    }
    const rest = arg.slice(at + 1);
    take(name, rest === '' ? next : rest.replace(/^=/, ''));
    return rest === '' ? 1 : 0;
  }
  return 0;
}

function requestsOf({ urls, set, data }: Options, state: State): Sent {
  const last = (name: string): string | undefined => set.get(name)?.at(-1);
  const upload = last('upload-file');
  const parts = data.map(([name, value]) => partOf(name, value, state));
  const isQuery = set.has('get');
  const text = data.some(([name]) => name === 'json') ? parts.join('') : parts.join('&');
  const isPost = (data.length > 0 && !isQuery) || set.has('form');
  const usual = set.has('head') ? 'HEAD' : upload !== undefined ? 'PUT' : isPost ? 'POST' : 'GET';
  const method = last('request') ?? usual;
  const query = [...(set.get('url-query') ?? []), ...(isQuery ? parts : [])].join('&');
  const body = isQuery ? undefined : upload === undefined ? text : textOfFile(upload, state);
  const unknownWord = urls.find((one) => /^\uE002\d+\uE003$/.test(one));
  const isUsual = !isQuery && data.length === 0 && !set.has('request');
  const isOpen = set.has('config') && isUsual;
  const fault = set.has('form')
    ? { why: 'it sends a form, not JSON' }
    : isOpen
      ? { why: 'it has options in a file that is not among the files', needsRecording: true }
      : unknownWord !== undefined && isUsual && urls.length > 1
        ? optionsOf(unknownWord, state)
        : undefined;
  // `-w '%{http_code}'` tells of the answer, wherever that goes.
  const output = set.has('write-out') ? undefined : last('output');
  return {
    requests: urls.map((url) => ({ method, url, query, ...present({ body, fault }) })),
    ...present({ output }),
    credentials: credentialsIn(set, state),
  };
}

/** A word that is not known can be any option: `curl "${@:2}" URL`. */
function optionsOf(word: string, { run: { reasons } }: State): Fault | undefined {
  const reason = reasons.find(word);
  return reason && { ...reason, why: `its options have ${reason.why}` };
}

const CREDENTIALS: readonly (readonly [RegExp, (text: string, state: State) => readonly string[]])[] = [
  [/^(?:proxy-)?user$|^cert$/, credentialsInUser],
  [/header$/, credentialsInHeader],
  [/^cookie$/, (text) => credentialsOf('cookie', text)],
  [/^oauth2-bearer$|pass$|password$/, (text) => credentialsOf('password', text)],
  [/^(?:config|netrc-file)$/, (path, state) => credentialsInFile(textOfFile(path, state))],
];

function credentialsIn(set: Options['set'], state: State): readonly string[] {
  return [...set].flatMap(([option, values]) =>
    CREDENTIALS.filter(([name]) => name.test(option)).flatMap(([, find]) =>
      values.flatMap((value) => find(value, state)),
    ),
  );
}

/** The text that an option with data sends. */
function partOf(name: string, value: string, state: State): string {
  if (name === 'data-urlencode') {
    const [, key = '', text = ''] = /^([^=@]*=)?(.*)$/s.exec(value) ?? [];
    return `${key}${/[\uE000-\uE003]/.test(text) ? text : encodeURIComponent(state.run.tracer.take(text))}`;
  }
  return value.startsWith('@') && name !== 'data-raw' ? textOfFile(value.slice(1), state) : value;
}

/** What a client would send, and the file that it writes the answer to. */
type Sent = {
  readonly credentials?: readonly string[];
  readonly requests: readonly Omit<Request, 'file' | 'line'>[];
  readonly output?: string;
};

const CLIENTS = /^(?:curl|curlie|https?|wget|xhs?)$/;
const CHANGES = /^(?:-X|--(?:method|request)=)?(DELETE|PATCH|PUT)$/i;

/** The change that the words of a program make, if nothing is known of its URL: `ssh host "curl -X DELETE $URL"`. */
export function openRequest(words: readonly string[]): Pick<Request, 'method' | 'url'> | undefined {
  if (!words.some((word) => CLIENTS.test(posix.basename(word)))) return undefined;
  // A word such as $AUTH beside a URL that is known is none.
  const isKnown = words.some((word) =>
    /^(?:https?:\/\/[\w.:-]+|[\w-]+[.:][\w.:-]*)\/[^/\uE000\uE002]/i.test(word),
  );
  const url = words.find((word) => ANY_URL.test(word));
  const method = words.map((word) => CHANGES.exec(word)?.[1]).find((one) => one !== undefined);
  return isKnown || url === undefined || method === undefined ? undefined : { method, url };
}

/** Records the calls of a client to a gateway; the answer is not known. */
export function sendAll({ requests, output, credentials = [] }: Sent, state: State, line: number): void {
  const { run, script, doubt, choice } = state;
  const { take } = run.tracer;
  let isGateway = false;
  for (const one of credentials) run.credentials.add(one);
  for (const sent of requests) {
    const request = {
      ...sent,
      method: take(sent.method),
      url: take(sent.url),
      ...present({ query: sent.query && take(sent.query), body: sent.body && take(sent.body) }),
    };
    for (const one of credentialsInUrl(request.url)) run.credentials.add(one);
    const call = toCall(
      {
        ...request,
        file: script.path,
        line,
        ...(doubt !== undefined && request.fault === undefined && { fault: doubt }),
      },
      run.reasons,
    );
    if (call === undefined) {
      run.others += 1;
      const open = openCall({ ...request, file: script.path, line });
      if (open !== undefined) run.missing.set(`${script.path}:${line}`, open);
    } else run.calls.push('gateway' in call && choice !== undefined ? { ...call, choice } : call);
    isGateway ||= call !== undefined;
  }
  const answer = unknown(state, `the answer of a call in line ${line}`, { isAnswer: isGateway });
  if (output === undefined) write(state, answer);
  else writeFile(output, answer, false, state);
  state.status = { why: `the answer of a call in line ${line}`, isAnswer: isGateway, of: 'command' };
}
