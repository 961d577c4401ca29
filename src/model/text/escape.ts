// Characters that are invisible, change the direction of text or control a terminal: all of the category Other (controls,
// format characters, unpaired surrogates, unassigned and private ones), blanks other than the space, and blank letters.
const UNSAFE = /[^\P{C}\t\n]|[^\P{Z} ]|[\p{Default_Ignorable_Code_Point}\u2800\u{16fe4}\u{1d159}]/gu;

// Commands for build servers in logs: `::name::` at the start of a line, `##vso[` and `##[` anywhere.
const ORDER = /^[ \t]*:(?=:)|#(?=#\w*\[)/gm;

// A fast test: in most text there is none of these.
const SUSPECT = /[^\t\n\x20-\x7e]|::|##/;

/**
 * Makes text from files and the gateway safe for terminals and build logs: unsafe characters become escapes of JSON and
 * double-quoted YAML, so such text keeps its meaning.
 */
export function forTerminal(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .replace(UNSAFE, escapeCharacter)
    .replace(ORDER, (order) => order.slice(0, -1) + escapeCharacter(order.slice(-1)));
}

// What our own output has of these: colours, the status line, and the first colon of an annotation for GitHub.
const OURS =
  /(\u001b\[(?:[12]|22|3[1236]|39)m|\r\u001b\[K|^:(?=:(?:error|warning|notice) (?:file=[^,\n\r\u2028\u2029]*,line=\d+,col=\d+,)?title=gwconf ))/m;

/** The last step of all text that leaves: escapes what a renderer forgot. */
export function forOutput(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .split(OURS)
    .map((part, at) => (at % 2 === 1 ? part : forTerminal(part)))
    .join('');
}

function escapeCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

/** Each run of control, format (such as right-to-left) and separator characters becomes a space. */
export function toOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ').trim();
}

/** One word for a POSIX shell. */
export function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A word of a command line: quoted where it has to be. */
export function wordForShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoteForShell(text);
}

/** A text without its percent escapes; the text itself if they are not valid, or no UTF-8. */
export function decodeUri(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
