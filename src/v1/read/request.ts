import { makePlaceholder } from '../../declare/declared.ts';
import { excess } from '../../model/json/extent.ts';
import { parseJson } from '../../model/json/json-text.ts';
import type { Json } from '../../model/json/json.ts';
import { hasReserved, hasUnknown, showUnknown, type Fault, type Reasons } from './unknown.ts';
import type { Address } from '../../model/resource.ts';

/** A request as a file writes it. Its texts can have placeholders and, with `reasons`, unknown parts. */
export type Request = {
  readonly file: string;
  readonly line: number;
  readonly method: string;
  readonly url: string;
  /** Added to those of the URL. */
  readonly query?: string;
  readonly body?: string;
  /** Why the request cannot be read, although its URL can. */
  readonly fault?: Fault;
};

/** The call of a request, or why it cannot be read; undefined if it does not go to the admin API of a gateway. */
export function toCall(request: Request, reasons?: Reasons): Call | UnreadCall | undefined {
  const target = readUrl(request.url);
  if (target === undefined) return undefined;
  const { file, line } = request;
  const method = request.method.toUpperCase();
  const unread = ({ why, needsRecording }: Fault): UnreadCall => ({
    file,
    line,
    ...(hasUnknown(method) ? {} : { method }),
    path: showUnknown(target.path),
    why,
    ...(needsRecording === true && { needsRecording }),
  });
  if (request.fault !== undefined) return unread(request.fault);
  const query = [target.query, request.query ?? ''].filter((one) => one !== '').join('&');
  for (const [name, text] of [
    ['path', target.path],
    ['method', method],
    ['query', query],
  ] as const) {
    const reason = reasons?.find(text);
    if (reason !== undefined) return unread({ ...reason, why: `its ${name} has ${reason.why}` });
  }
  if (/[{}[\]<>]/.test(target.path))
    return unread({ why: 'its path has brackets: a template, or several URLs in one' });
  const body = readBody(request.body ?? '', reasons);
  if ('why' in body) return unread(body);
  return {
    file,
    line,
    gateway: showUnknown(target.gateway),
    method,
    path: target.path,
    query: Object.fromEntries(new URLSearchParams(query)),
    body: body.value,
  };
}

/** All of a URL, or all behind its host, is not known, or in a variable that is not set here. */
export const ANY_URL = /^(?:[a-z]+:\/\/)?[^/\uE000-\uE003]*\/?(?:\uE000\w+\uE001|\uE002\d+\uE003)+$/i;

/** A change at a URL of which nothing is known; that of a POST is often one of a chat. */
export function openCall({ file, line, method, url }: Request): UnreadCall | undefined {
  if (!/^(?:DELETE|PATCH|PUT)$/i.test(method) || !ANY_URL.test(url)) return undefined;
  return { file, line, method: method.toUpperCase(), why: 'its URL is not known', needsRecording: true };
}

/** The areas of v1, the paths of v2, and health. A part can be a variable. */
const ADMIN_API =
  /\/(?:admin\/(?:username\/|[^/?#.]+\/v1(?=\/|$)|(?:userMappings|interceptors|vclusters)\/[\uE000\uE002])|admin\/[\uE000\uE002]|internal\/alias-topic\/|gateway\/v2(?=\/|$)|health(?:\/live|\/ready)?$)/;

/** What follows where a variable has the beginning of such a path. */
const WITHIN =
  /^(?:\/vcluster\/[^/]+\/(?:topics\/|concentration-rules$|username\/[^/]+$)|(?:\/vcluster\/[^/]+|\/global)?(?:\/(?:group|username)\/[^/]+)?\/interceptor\/)/;

/** The parts of a URL of the admin API, without credentials; undefined for other URLs. */
export function readUrl(
  text: string,
): { readonly gateway: string; readonly path: string; readonly query: string } | undefined {
  const url = text.trim();
  const scheme = /^[a-z][a-z\d+.-]*:\/\//i.exec(url)?.[0] ?? '';
  const rest = url.slice(scheme.length).split('#', 1)[0] ?? '';
  const end = rest.search(/[/?]/);
  const authority = (end === -1 ? rest : rest.slice(0, end)).replace(/^.*@/s, '');
  const [written = '', ...query] = end === -1 ? [] : rest.slice(end).split('?');
  const path = ADMIN_API.test(written) ? written : normalPath(written);
  const found = path.search(ADMIN_API);
  const at = found === -1 && /[\uE001\uE003]$/.test(authority) ? path.search(WITHIN) : found;
  if (at === -1) return undefined;
  // Without a scheme, curl and others use http. A variable can have one.
  const missing = scheme === '' && authority !== '' && !/^[\uE000\uE002]/.test(authority);
  // A password with a slash ends behind it.
  const host = `${authority}${path.slice(0, at)}`.replace(/^.*@/s, '');
  const gateway = `${missing ? 'http://' : scheme.toLowerCase()}${host}`;
  return { gateway, path: path.slice(at), query: query.join('?') };
}

/** Escapes of letters, digits, `-`, `.`, `_` and `~` mean the same as these, and servers take several slashes for one. */
function normalPath(path: string): string {
  return path
    .replaceAll(/%(?:2[DE]|3\d|[46][1-9A-F]|[57][\dA]|5F|7E)/gi, decodeURIComponent)
    .replaceAll(/\/{2,}/g, '/');
}

/** The value of a body, or why it cannot be read. A variable outside of a string becomes a string. */
function readBody(text: string, reasons?: Reasons): { readonly value: Json | undefined } | Fault {
  if (text.trim() === '') return { value: undefined };
  const reason = reasons?.find(text);
  if (reason !== undefined) return { ...reason, why: `its body has ${reason.why}` };
  const much = excess(text);
  if (much !== undefined) return { why: `its body ${much}` };
  // The escape of a reserved character becomes one in the value.
  if (/\\ue00[0-4]/i.test(text)) return { why: RESERVED };
  const template = text.match(TEMPLATE)?.[0];
  if (template !== undefined) {
    // Others have texts of their own, such as a default for a password.
    const name = /^\{\{\s?[\w.]{1,40}\s?\}\}$/.test(template) ? `: ${template}` : '';
    return { why: `its body has a template${name}`, needsRecording: true };
  }
  try {
    return { value: parseJson(quotePlaceholders(text)) };
  } catch {
    return { why: 'its body is not JSON' };
  }
}

/** What Ansible, Helm or the like fills in; `{{record.key}}` and `{{userIp}}` are for the gateway itself. */
const TEMPLATE =
  /\{\{(?!-?\s*record\.)(?:[-\s.][^{}]{1,100}|[^{}]{1,100}[|("'.][^{}]{0,100}|item\b[^{}]{0,100})\}\}|\{%[^{}]{1,100}%\}/;

export const RESERVED = 'it has characters from U+E000 to U+E004, which gwconf reserves';

/** Puts quotes around placeholders outside of strings: `{"priority": ${P}}`. */
function quotePlaceholders(text: string): string {
  if (!hasReserved(text)) return text;
  const parts = text.match(/"(?:[^"\\]|\\.)*"|\uE000\w+\uE001|[^"\uE000]+|./gs) ?? [];
  return parts.map((part) => (part.startsWith('\uE000') ? JSON.stringify(part) : part)).join('');
}

/** Values may name other variables; these may not go on without end. */
const MOST_ROUNDS = 5;
const MOST_TEXT = 1_000_000;

/** Fills in `{{name}}`, as Postman and HTTP files have it. A name without a value becomes a placeholder. */
export function fillBraces(text: string, valueOf: (name: string) => string | undefined): string {
  let filled = text;
  for (let round = 0; round < MOST_ROUNDS && filled.includes('{{') && filled.length < MOST_TEXT; round += 1) {
    filled = filled.replaceAll(
      /\{\{([^{}]{1,200})\}\}/g,
      (_, name: string) => valueOf(name.trim()) ?? placeholderFor(name),
    );
  }
  return filled;
}

/** Whether a variable is among some that are set; one whose name is calculated may be any. */
export function mayBe(set: ReadonlySet<string | undefined>, name: string): boolean {
  return set.has(name) || set.has(undefined);
}

/** The placeholder of a variable of another tool, whose name may not be one of a shell: `{{$processEnv API_KEY}}`. */
export function placeholderFor(written: string): string {
  const name = (written.trim().split(/\s+/).at(-1) ?? '').replaceAll(/\W/g, '_').replace(/^_+/, '');
  return makePlaceholder(/^[A-Za-z]/.test(name) ? name : `V_${name}`);
}

/** One HTTP call that a file makes to a gateway. */
export type Call = {
  readonly file: string;
  /** Line in `file`, from 1. */
  readonly line: number;
  /** The script, target or job that makes it, if that is not the file. */
  readonly part?: string;
  /** Scheme, host and port as written, without credentials: calls of different gateways build different states. */
  readonly gateway: string;
  /** Upper case. */
  readonly method: string;
  /** From the first slash, without query, percent-encoded. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Json | undefined;
  /** What decides whether it is made, or another one instead. */
  readonly choice?: string;
  /** The object on the gateway that it was read from, where the path does not tell. */
  readonly object?: Address;
};

/** A call whose URL, method or body could not be read. */
export type UnreadCall = Pick<Call, 'file' | 'line' | 'part'> &
  Fault & {
    readonly method?: string;
    readonly path?: string;
  };

/** The uses of v1 in files, by their places, and the places of those that became calls or that call nothing. */
export type Uses = {
  readonly found: ReadonlyMap<string, UnreadCall>;
  readonly read: ReadonlySet<string>;
};

/** The calls of a file or a part of one. */
export type ReadPart = {
  readonly calls: readonly (Call | UnreadCall)[];
  /** How many requests go elsewhere. */
  readonly others: number;
  /** Credentials of the calls, which must not be shown anywhere. */
  readonly credentials?: Iterable<string>;
  /** Other scripts that a script runs: their calls are read there, with its arguments. */
  readonly included?: ReadonlySet<string>;
  readonly uses?: Uses | undefined;
};

export const NO_CALLS: ReadPart = { calls: [], others: 0 };

/** One request; `call` is undefined if it goes elsewhere. */
export function partOf(call: Call | UnreadCall | undefined, credentials: readonly string[] = []): ReadPart {
  return call === undefined
    ? { calls: [], others: 1, credentials }
    : { calls: [call], others: 0, credentials };
}

/** Calls of a part of a file, of which nothing tells when it runs. */
export function inPart(read: ReadPart, partAt: (line: number) => string): ReadPart {
  return {
    ...read,
    calls: read.calls.map((call) => ({ ...call, part: `${call.part ?? ''} ${partAt(call.line)}` })),
  };
}

export function joinParts(parts: readonly ReadPart[]): ReadPart {
  return {
    credentials: parts.flatMap(({ credentials = [] }) => [...credentials]),
    calls: parts.flatMap(({ calls }) => calls),
    others: parts.reduce((sum, { others }) => sum + others, 0),
    uses: joinUses(parts.map(({ uses }) => uses)),
  };
}

function joinUses(all: readonly (Uses | undefined)[]): Uses {
  const known = all.filter((one) => one !== undefined);
  return {
    found: new Map(known.flatMap(({ found }) => [...found])),
    read: new Set(known.flatMap(({ read }) => [...read])),
  };
}
