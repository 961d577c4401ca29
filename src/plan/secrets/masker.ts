import { addTo, largestOf } from '../../model/collect.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { hideSecretTexts, PUBLISHED_PASSWORD } from '../../model/secrets/secret-texts.ts';
import { PieceIndex } from './piece-index.ts';
import { decodeUri } from '../../model/text/escape.ts';

/** Hides secrets in texts of other programs, in every common encoding, also where a text is cut off within one. */
export type Masker = {
  /** Hides these from now on; a function is called when there is a text to mask. */
  readonly learn: (secrets: string | (() => Iterable<string>)) => void;
  readonly mask: (text: string) => string;
  /**
   * The same for text of our own, as the last step of all output: only long secrets that were learnt as a text, such as the
   * value of a variable. Ours has no secret, so it finds nothing unless something else went wrong.
   */
  readonly net: (text: string) => string;
};

/** From this length on a secret is hidden inside a word, too; a shorter one may be part of many, and is hidden alone. */
const LONG = 8;
/** From this length on a secret is no word that a text of our own has. */
const UNLIKE_WORDS = 12;

/** Where a secret is not filled in yet, a file has the name of a variable in its place: hints repeat it, and it is none. */
const VARIABLE = /\$\{[A-Za-z_][\w.]*\}/g;

/** A text within a text, as in JSON in JSON, and one more for the escapes of our own output. */
const MOST_LEVELS = 3;
const MAY_BE_ESCAPED = /[%\\&]/;

/** A masker that knows nothing yet. It never learns what is shorter than `shortest`: `1` is in any text. */
export function makeMasker(shortest = 4): Masker {
  const pending: (string | (() => Iterable<string>))[] = [];
  const known = new Set<string>();
  const forms = new Forms();
  const pieces = new PieceIndex();
  const net = new Forms();
  const absorb = (secret: string): void => {
    if (known.has(secret)) return;
    known.add(secret);
    const { parts, inside } = partsOf(secret);
    for (const part of new Set([...parts, ...inside])) {
      if (part.length < shortest || part === PUBLISHED_PASSWORD || part.replace(VARIABLE, '') === '')
        continue;
      // Where the secret is a part of the text, the rest of it is none: org.apache.kafka.….PlainLoginModule.
      const isSecret = inside.length === 0 || inside.includes(part);
      for (const form of listSpellings(part)) {
        forms.add(form);
        if (isSecret) for (const piece of form.split(VARIABLE)) pieces.add(piece);
      }
    }
  };
  return {
    learn: (secrets) => {
      pending.push(secrets);
      if (typeof secrets !== 'string' || secrets.trim().length < UNLIKE_WORDS) return;
      for (const form of listSpellings(secrets.trim())) net.add(form);
    },
    net: (text) => (net.isIn(text) ? net.hideIn(text) : text),
    mask(text) {
      for (const next of pending.splice(0)) {
        if (typeof next === 'string') absorb(next);
        else for (const secret of next()) absorb(secret);
      }
      const hideParts = (one: string): string =>
        hideSecretTexts(forms.hideBeginning(pieces.hideIn(one, HIDDEN)));
      let whole = forms.hideIn(text);
      let shown = hideParts(whole);
      // Of a text that has a secret only once its escapes are undone, they stay undone.
      for (let level = 0; level < MOST_LEVELS && MAY_BE_ESCAPED.test(whole); level += 1) {
        const undone = unescapeText(whole);
        if (undone === whole) break;
        whole = forms.hideIn(undone);
        const hidden = hideParts(whole);
        if (hidden !== undone) shown = hidden;
      }
      return shown;
    },
  };
}

/** The secret and each of its lines, and the tokens and passwords in it: an answer may repeat one of them alone. */
function partsOf(secret: string): { readonly parts: readonly string[]; readonly inside: readonly string[] } {
  const whole = secret.trim();
  const inside = KERNELS.flatMap((kernel) =>
    Array.from(whole.matchAll(kernel), (found) => found.slice(1).find(Boolean) ?? ''),
  );
  return { parts: [whole, ...whole.split('\n').map((line) => line.trim())], inside };
}

/** Behind `password=` or Bearer, or before the host of a URL. */
const KERNELS = [
  /(?:password|secret|token)\s*=\s*(?:["']([^"'\n]+)["']|([^\s"';]+))|:\/\/[^\s/?#@:]*:([^\s/?#@]+)@/gi,
  /\b(?:Bearer|Basic)\s+(\S+)/gi,
];

/** All encodings in which a text may appear in another, and combinations of two. */
function listSpellings(secret: string): readonly string[] {
  const json = escapeJson(secret);
  const ascii = [escapeNonAscii(json), escapeNonAscii(json).replace(/\\u.{4}/g, toUpperEscape)];
  const readable = new Set([
    secret,
    secret.replace(/\s+/g, ' '),
    json,
    escapeJson(json),
    ...ascii,
    escapeXml(secret),
  ]);
  return [...readable].flatMap((text) => [
    text,
    ...encodeForUrl(text),
    ...(secret.length < LONG ? [] : encodeBytes(text)),
  ]);
}

function encodeForUrl(text: string): readonly string[] {
  const encoded = encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));
  const lower = encoded.replace(/%../g, (code) => code.toLowerCase());
  return [encoded, lower, encoded.replaceAll('%20', '+')];
}

/** In hex and in base64. */
function encodeBytes(text: string): readonly string[] {
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
  const hex = bytes.replace(/[^]/g, (byte) => byte.charCodeAt(0).toString(16).padStart(2, '0'));
  return [hex, hex.toUpperCase(), ...[0, 1, 2].flatMap((before) => encodeBase64(bytes, before))];
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** As some servers print JSON. */
function escapeNonAscii(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function toUpperEscape(escape: string): string {
  return `\\u${escape.slice(2).toUpperCase()}`;
}

/** As in an error page. */
function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': 'amp',
    '<': 'lt',
    '>': 'gt',
    '"': 'quot',
    "'": '#39',
  };
  return text.replace(/[&<>"']/g, (char) => `&${entities[char] ?? ''};`);
}

/** The base64 of bytes with so many others before them, as in `user:password`, as far as it depends on no neighbour. */
function encodeBase64(bytes: string, before: number): readonly string[] {
  const text = btoa('\0'.repeat(before) + bytes);
  const from = Math.ceil((before * 8) / 6);
  const certain = text.slice(from, Math.floor(((before + bytes.length) * 8) / 6));
  return [certain, certain.replaceAll('+', '-').replaceAll('/', '_')];
}

/** A text is looked up by so many of its first characters, or as many as it has. */
const SIZES = [8, 4, 3, 2, 1];
/** A shorter beginning of a secret, where a text is cut off, may be anything. */
const SHORTEST_BEGINNING = 4;

/** Texts to look for, found in one walk over a text however many there are. */
class Forms {
  readonly #all = new Set<string>();
  readonly #bySize = SIZES.map((size) => ({ size, filed: new Map<string, string[]>() }));
  readonly #byBeginning = new Map<string, string[]>();
  #longest = 0;

  add(form: string): void {
    if (form === '' || this.#all.has(form)) return;
    this.#all.add(form);
    this.#longest = Math.max(this.#longest, form.length);
    addTo(this.#byBeginning, form.slice(0, SHORTEST_BEGINNING), form);
    const place = this.#bySize.find(({ size }) => form.length >= size);
    if (place !== undefined) addTo(place.filed, form.slice(0, place.size), form);
  }

  /** Whether one of the texts may be in a text; fast where there are few. */
  isIn(text: string): boolean {
    if (this.#all.size > 1000) return true;
    for (const form of this.#all) if (text.includes(form)) return true;
    return false;
  }

  hideIn(text: string): string {
    if (this.#all.size === 0) return text;
    let shown = '';
    let from = 0;
    for (let at = 0; at < text.length;) {
      const length = this.#lengthAt(text, at);
      if (length > 0) {
        shown += text.slice(from, at) + HIDDEN;
        from = at + length;
      }
      at += Math.max(1, length);
    }
    return shown + text.slice(from);
  }

  /** The length of the longest form that stands here; 0 for none. */
  #lengthAt(text: string, at: number): number {
    for (const { size, filed } of this.#bySize) {
      const candidates = filed.size === 0 ? undefined : filed.get(text.slice(at, at + size));
      const found = candidates?.filter((form) => text.startsWith(form, at) && mayStandHere(form, text, at));
      if (found !== undefined && found.length > 0) return largestOf(found.map(({ length }) => length));
    }
    return 0;
  }

  /** Hides a short beginning of a secret, too, where the text is cut off with … */
  hideBeginning(text: string): string {
    if (!text.endsWith('…')) return text;
    const end = text.length - 1;
    for (let at = Math.max(0, end - this.#longest); at <= end - SHORTEST_BEGINNING; at += 1) {
      const candidates = this.#byBeginning.get(text.slice(at, at + SHORTEST_BEGINNING));
      const tail = text.slice(at, end);
      if (candidates?.some((form) => form.startsWith(tail)) === true) return `${text.slice(0, at)}${HIDDEN}…`;
    }
    return text;
  }
}

function mayStandHere(form: string, text: string, at: number): boolean {
  if (form.length >= LONG) return true;
  return !WORD.test(text.charAt(at - 1)) && !WORD.test(text.charAt(at + form.length));
}

const WORD = /[\p{L}\p{N}_]/u;

/** Characters that cannot be seen stay escaped: they may act on a terminal. */
const UNSEEN = /[\p{C}\p{Z}]/u;

const ESCAPES =
  /%([0-9a-f]{2})|\\u([0-9a-f]{4})|\\u\{0*([0-9a-f]{1,6})\}|\\x([0-9a-f]{2})|&#x0*([0-9a-f]{1,6});|&#0*(\d{1,7});|&(amp|lt|gt|quot|apos|sol);|\\([^\w\s])/gi;
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  sol: '/',
};

/** A text in which some characters may be escaped, as another program writes them in URLs, JSON, programs and HTML. */
function unescapeText(text: string): string {
  const bytes = text.replace(/(?:%[c-f][0-9a-f](?:%[89ab][0-9a-f])+)+/gi, decodeUri);
  return bytes.replace(ESCAPES, (escape: string, ...groups: readonly (string | undefined)[]) => {
    const [percent, short, long, byte, hex, decimal, named, char] = groups;
    if (char !== undefined) return char;
    if (named !== undefined) return NAMED[named.toLowerCase()] ?? escape;
    const digits = percent ?? short ?? long ?? byte ?? hex;
    const code = digits === undefined ? Number(decimal) : Number.parseInt(digits, 16);
    if (code > 0x10ffff) return escape;
    const meant = String.fromCodePoint(code);
    return UNSEEN.test(meant) && meant !== ' ' ? escape : meant;
  });
}
