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
export function unescapeText(text: string): string {
  const bytes = text.replace(/(?:%[c-f][0-9a-f](?:%[89ab][0-9a-f])+)+/gi, decodeBytes);
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

function decodeBytes(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // no UTF-8
  }
}
