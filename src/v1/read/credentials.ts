import { addAll } from '../../model/collect.ts';
import { isList, isObject, valueOf, type Json } from '../../model/json/json.ts';
import { looksSecret, hideRandomWords } from '../../model/secrets/looks-secret.ts';
import { isSecretText, PUBLISHED_PASSWORD, isSecretKey } from '../../model/secrets/secret-texts.ts';
import type { Call, UnreadCall } from './request.ts';
import { decodeUri } from '../../model/text/escape.ts';

/** The password of `user:password`; some servers take a token as the user. */
export function credentialsInUser(text: string): readonly string[] {
  const at = text.indexOf(':');
  const password = at === -1 ? '' : text.slice(at + 1);
  if (password !== '') return knownParts(password);
  return looksSecret(text) || isSecretText(text) ? knownParts(text.replace(/:$/, '')) : [];
}

/** Those before the host of a URL. */
export function credentialsInUrl(url: string): readonly string[] {
  const user = /^\s*(?:[a-z][a-z\d+.-]*:\/\/)?([^\s?#]*)@/i.exec(url)?.[1];
  return user === undefined ? [] : credentialsInUser(user).flatMap((one) => [one, decodeUri(one)]);
}

/** Those of a header as a line. */
export function credentialsInHeader(line: string): readonly string[] {
  const [, name = '', value = ''] = /^\s*([^\s:=]+)\s*[:=](.*)$/s.exec(line) ?? [];
  return credentialsOf(name, value);
}

/** Those of a header, cookie or variable. */
export function credentialsOf(name: string, value: string): readonly string[] {
  if (/^(?:set-)?cookie2?$/i.test(name))
    return value.split(';').flatMap((pair) => knownParts(pair.slice(pair.indexOf('=') + 1)));
  if (/^(?:proxy-)?authorization$/i.test(name)) {
    const [, scheme = '', rest = value] = /^([A-Za-z][\w-]*)[ \t]([^]*)$/.exec(value.trim()) ?? [];
    if (scheme.toLowerCase() !== 'basic') return knownParts(rest);
    // REST clients of editors also take the user and the password as two words, or with a colon.
    const plain = rest.trim().split(/[\s:]+/)[1];
    return [...knownParts(rest), ...knownParts(plain ?? ''), ...credentialsInUser(decodeBase64(rest.trim()))];
  }
  return isSecretName(name) || looksSecret(value) || isSecretText(value) ? knownParts(value) : [];
}

/** Those among the arguments of a program that is not known: options with a user or a secret, headers and URLs. */
export function credentialsInArguments(args: readonly string[]): readonly string[] {
  return args.flatMap((arg, at) => {
    const [, option = '', value = args[at + 1] ?? ''] = /^--?([\w-]+)(?:=(.*))?$/s.exec(arg) ?? [];
    if (/^(?:a|u|auth|user|proxy-user)$/.test(option)) return credentialsInUser(value);
    if (option !== '') return [...credentialsOf(option, value), ...credentialsInHeader(value)];
    return [...credentialsInHeader(arg), ...credentialsInUrl(arg)];
  });
}

/** Those in recorded calls and collections: fields, headers and variables with the names of secrets, and URLs. */
export function credentialsIn(value: Json): readonly string[] {
  const found: string[] = [];
  const visit = (one: Json): void => {
    if (isList(one)) for (const item of one) visit(item);
    if (typeof one === 'string' && one.includes('@')) addAll(found, credentialsInUrl(one));
    if (!isObject(one)) return;
    const [name, text] = [valueOf(one, 'key') ?? valueOf(one, 'name'), valueOf(one, 'value')];
    if (typeof name === 'string' && typeof text === 'string')
      addAll(found, valueOf(one, 'type') === 'secret' ? knownParts(text) : credentialsOf(name, text));
    for (const [key, child] of Object.entries(one)) {
      if (typeof child === 'string' && key !== 'value' && key !== 'key')
        addAll(found, credentialsOf(key, child));
      visit(child);
    }
  };
  visit(value);
  return found;
}

/** Those of a file of curl: `user = "admin:secret"`, or `password secret` of a .netrc. */
export function credentialsInFile(text: string): readonly string[] {
  if (!/user|header|password|bearer/.test(text)) return [];
  return text.split('\n').flatMap((line) => {
    const [, name = '', value = ''] =
      /^[\s-]*(user|proxy-user|header|oauth2-bearer)\s*[=:\s]\s*"?([^"]*)/.exec(line) ?? [];
    const [, password = ''] = /\bpassword\s+(\S+)/.exec(line) ?? [];
    const found = name === 'header' ? credentialsInHeader(value) : credentialsInUser(value);
    return [...found, ...knownParts(password)];
  });
}

/** Whether the name of a variable or header says that its value is a secret, and not something about one. */
function isSecretName(name: string): boolean {
  return (
    isSecretKey(name) &&
    /(?:password|passwd|passphrase|secret|token|jaas|api[-_.]?key|private[-_.]?key|authorization|jwt)\d*$/i.test(
      name,
    )
  );
}

/** The known parts of a text, without words that are in any text. */
function knownParts(text: string): readonly string[] {
  return text
    .split(/\uE000\w*\uE001|\uE002\d*\uE003|\{\{[^{}]*\}\}/)
    .map((part) => part.trim())
    .filter((part) => isTelling(part) && !/^[a-z]+:\/\/[^@]*$/i.test(part));
}

/** Shorter ones, and short words, are no secret that could be hidden. */
function isTelling(text: string): boolean {
  return (
    text.length >= (/^[a-z]*$/.test(text) ? 8 : 4) &&
    text !== PUBLISHED_PASSWORD &&
    !/^(?:true|false|null)$/i.test(text)
  );
}

function decodeBase64(text: string): string {
  try {
    return atob(text);
  } catch {
    return '';
  }
}

/** A call without what shows a credential: no object can have the name of one. */
export function withoutCredentials(
  call: Call | UnreadCall,
  mask: (text: string) => string,
): Call | UnreadCall {
  const { file, line, path, method } = call;
  const has = (text: string): boolean => mask(text) !== text;
  const isInPath = path !== undefined && has(path);
  const isInUrl =
    isInPath ||
    ('gateway' in call && (has(call.gateway) || hideRandomWords(call.gateway, '') !== call.gateway));
  const isInMethod = method !== undefined && !/^[A-Z]{1,16}$/.test(method);
  const why = 'why' in call ? mask(call.why) : undefined;
  if (!isInUrl && !isInMethod) return why === undefined ? call : { ...(call as UnreadCall), why };
  return {
    file,
    line,
    ...(method === undefined || isInMethod ? {} : { method }),
    ...(path === undefined || isInPath ? {} : { path }),
    why: why ?? (isInUrl ? 'its URL has what looks like a secret' : 'its method is not known'),
  };
}
