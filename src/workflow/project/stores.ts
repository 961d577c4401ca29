import {
  isList,
  isObject,
  isScalar,
  keysOf,
  parsePointer,
  printPointer,
  valueOf,
  type Json,
  type Pointer,
} from '../../model/json/json.ts';
import { parseJson, readJson } from '../../model/json/json-text.ts';
import type { SourceFault } from '../../schema/yaml/interpolate.ts';

/** What a placeholder asks a store of secrets for. */
export type Wanted = {
  /** What is read, once in a run: a secret with all of its fields. */
  readonly secret: string;
  /** What of it: the keys on the way to it; all of it if there are none. */
  readonly field: readonly string[];
};

/** A store of secrets, which a program of its vendor reads. */
export type Store = {
  /** How it is asked for, in messages. */
  readonly form: string;
  /** Undefined where the text behind the name is of another form. Nothing that it returns begins with a dash. */
  readonly parse: (text: string) => Wanted | undefined;
  /** Whether the secret is a file of the project. */
  readonly isFile?: true;
  /** What else the text behind the name may be written as, or a glob for it. */
  readonly aliases?: (text: string) => readonly string[];
  /** The program that prints the secret. */
  readonly command: (secret: string) => readonly string[];
  /** The secret in what it prints. Throws where that is something else. */
  readonly read: (printed: string) => Json;
  /** The text of a value, if it is written in another form. Throws where it is not in that form. */
  readonly decode?: (text: string) => string;
};

/** By the names that placeholders begin with, `${vault:…}`. */
export const STORES: Readonly<Record<string, Store>> = {
  sops: {
    form: '${sops:FILE#key.of.it}',
    isFile: true,
    parse: (text) => split(text, /^[^#]+$/, { isFieldNeeded: true }),
    command: (path) => ['sops', '--decrypt', '--output-type', 'json', path],
    read: parseJson,
  },
  vault: {
    form: '${vault:PATH#field}',
    parse: (text) => split(text, /^\w[\w./@-]*$/, { isFieldNeeded: true }),
    command: (path) => ['vault', 'kv', 'get', '-format=json', path],
    read: (printed) => {
      const data = valueOf(parseJson(printed), 'data');
      // Of the second version of its engine, which has metadata beside the fields.
      const isSecond = isObject(valueOf(data, 'metadata')) && isObject(valueOf(data, 'data'));
      return (isSecond ? valueOf(data, 'data') : data) ?? null;
    },
  },
  'aws-sm': {
    form: '${aws-sm:NAME} or ${aws-sm:NAME#field}',
    parse: (text) => split(text, /^[\w/+=.@:][\w/+=.@:-]*$/),
    aliases: (text) => {
      // Behind the name, AWS adds a dash and six characters.
      const [, name = '', end = '', field = ''] = /^arn:.*:secret:([^#]+?)(-\w{6})?(#.*)?$/.exec(text) ?? [];
      return name === '' ? [] : [`${name}${field}`, `${name}${end}${field}`];
    },
    command: (id) => [
      ...['aws', 'secretsmanager', 'get-secret-value', '--output', 'json', '--secret-id', id],
    ],
    read: (printed) => {
      const text = valueOf(parseJson(printed), 'SecretString');
      if (typeof text !== 'string') throw new TypeError('no text');
      return text;
    },
  },
  k8s: {
    form: '${k8s:SECRET/key} or ${k8s:NAMESPACE/SECRET/key}',
    parse: (text) => {
      const [, secret, key] = /^((?:[a-z\d][a-z\d.-]*\/)?[a-z\d][a-z\d.-]*)\/([\w.-]+)$/.exec(text) ?? [];
      return secret === undefined || key === undefined ? undefined : { secret, field: [key] };
    },
    // The namespace that is left out may be any.
    aliases: (text) => /^[^/]+\/([^/]+\/[^/]+)$/.exec(text)?.slice(1) ?? [],
    command: (secret) => {
      const [name = '', namespace] = secret.split('/').reverse();
      const where = namespace === undefined ? [] : ['--namespace', namespace];
      return ['kubectl', 'get', 'secret', name, ...where, '--output', 'json'];
    },
    read: (printed) => valueOf(parseJson(printed), 'data') ?? null,
    decode: (text) =>
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(text, 'base64')),
  },
};

/** Whether a source is in a store, `vault:…`, rather than a file or a program. */
export function isInStore(name: string): boolean {
  return Object.hasOwn(STORES, name.split(':', 1)[0] ?? '');
}

/** What a source in a store asks for, or what is wrong with it. */
export function storeOf(
  name: string,
): (Wanted & { readonly store: Store }) | { readonly fault: SourceFault } {
  const [scheme = ''] = name.split(':', 1);
  const store = STORES[scheme];
  const wanted = store?.parse(name.slice(scheme.length + 1));
  if (store !== undefined && wanted !== undefined) return { store, ...wanted };
  const form = store?.form ?? 'a store';
  return { fault: { message: `expected ${form}; found \${${name}}`, hint: `write it as ${form}` } };
}

/** The names by which a job may have excluded what a placeholder asks for. */
export function spellingsOf(
  name: string,
  { store, secret, field }: Wanted & { readonly store: Store },
): readonly string[] {
  const [scheme = ''] = name.split(':', 1);
  const plain = secret.replace(/\/(?:\.?\/)+/g, '/').replace(/^(?:\.\/)+|\/\.?$/g, '');
  const fields =
    field.length === 0 ? [ALL] : [`#${field.join('.')}`, `#${printPointer(field)}`, `/${field.join('/')}`];
  const texts = [secret, plain].flatMap((one) => ['', ...fields].map((which) => `${one}${which}`));
  const aliases = texts.flatMap((text) => store.aliases?.(text) ?? []);
  return [...texts, ...aliases].map((text) => `${scheme}:${text}`);
}

/** Globs for names with what exclusions mean besides: that of a field, also all of the secret; and other names of it. */
export function withMeant(globs: readonly string[]): readonly string[] {
  return globs.flatMap((glob) => {
    const [, scheme = '', text = ''] = /^!([^:]*):(.*)$/.exec(glob) ?? [];
    if (text === '') return [glob];
    const meant = [text, text.replace(/#.*/, ALL)];
    const aliases = meant.flatMap((one) => STORES[scheme]?.aliases?.(one) ?? []);
    return [...meant, ...aliases].map((one) => `!${scheme}:${one}`);
  });
}

/** Ends the name of a secret that is read with all of its fields. */
const ALL = '#';

/** The text at a field, or why there is none, as a predicate. */
export function fieldOf(
  value: Json,
  field: readonly string[],
): { readonly text: string } | { readonly why: string } {
  // A secret of AWS is a text, which may be JSON.
  const whole = typeof value === 'string' && field.length > 0 ? (readJson(value) ?? null) : value;
  let found: Json | undefined = whole;
  for (const key of field) {
    const isThere: boolean = isList(found)
      ? /^\d+$/.test(key)
      : isObject(found) && keysOf(found).includes(key);
    if (!isThere) return { why: `has no ${field.join('.')}` };
    found = valueOf(found, key);
  }
  if (found === undefined || found === null || found === '') return { why: 'is empty' };
  return isScalar(found) ? { text: String(found) } : { why: 'is a map or a list; name one of its values' };
}

/** `WHAT#field`: keys with dots between them, or a JSON pointer. */
function split(
  text: string,
  form: RegExp,
  { isFieldNeeded = false }: { readonly isFieldNeeded?: boolean } = {},
): Wanted | undefined {
  const at = text.indexOf('#');
  const [secret, field] = at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  if (!form.test(secret) || leadsBack(secret) || (field === '' && (isFieldNeeded || at !== -1)))
    return undefined;
  const keys = field.startsWith('/') ? parsePointer(field as Pointer) : field.split('.');
  return { secret, field: field === '' ? [] : keys };
}

/** Whether a path leaves a folder that it names, so that a glob of what a job allows would match another place. */
function leadsBack(path: string): boolean {
  const parts = path.split('/');
  return parts.slice(0, Math.max(0, parts.lastIndexOf('..'))).some((part) => /[^.]/.test(part));
}
