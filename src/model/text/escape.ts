// Control characters, and what turns the direction of text or hides in it: harmless letters to a parser, not to an eye.
const UNSAFE =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

// What the log readers of build servers take for an order: `::name::` at the start of a line, `##vso[` and `##[` anywhere.
const ORDER = /(?<=^[ \t]*):(?=:)|#(?=#\w*\[)/gm;

// Printable ASCII without what begins an order: nearly all that is told, and known several times as fast.
const HARMLESS = /^[\x20-\x22\x24-\x39\x3b-\x7e]*$/;

/**
 * Text from files and from the gateway as a terminal and a build log may have it: what could move the cursor or give an
 * order is spelled out, as JSON and quoted YAML spell it, so that a text of theirs says the same as before.
 */
export function forTerminal(text: string): string {
  return HARMLESS.test(text) ? text : text.replace(UNSAFE, spellOut).replace(ORDER, spellOut);
}

function spellOut(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
