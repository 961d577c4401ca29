// Control characters, and what turns the direction of text or hides in it: harmless letters to a parser, not to an eye.

const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;

/** Text from files and from the gateway as a terminal may have it: what could move the cursor is spelled out. */
export function forTerminal(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same on one line. */
export function onOneLine(text: string): string {
  return forTerminal(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}
