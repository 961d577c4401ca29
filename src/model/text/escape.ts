// Control characters, and characters that are invisible or change the direction of text.
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

// Commands for build servers in logs: `::name::` at the start of a line, `##vso[` and `##[` anywhere.
const ORDER = /(?<=^[ \t]*):(?=:)|#(?=#\w*\[)/gm;

// Printable ASCII that cannot start a command: a fast test for most text.
const HARMLESS = /^[\x20-\x22\x24-\x39\x3b-\x7e]*$/;

/**
 * Makes text from files and the gateway safe for terminals and build logs: unsafe characters become escapes of JSON and
 * double-quoted YAML, so such text keeps its meaning.
 */
export function forTerminal(text: string): string {
  return HARMLESS.test(text) ? text : text.replace(UNSAFE, escapeCharacter).replace(ORDER, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
