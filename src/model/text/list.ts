/** `1 object`, `2 objects`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A text of at most so many characters; a longer one ends with …. */
export function cutOff(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** The same in no more characters, … included. Half a character would come back as another one. */
export function cutWithin(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** A text that is cut, and how long it is. */
export function cutWithLength(text: string, most: number): string {
  return text.length > most ? `${cutOff(text, most)} (${text.length} characters)` : text;
}

/** `a, b and 9 more` */
export function listSome(names: readonly string[], most = 5): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ');
}

/** Joins names for a sentence; at most five. */
export function list(names: readonly string[]): string {
  const shown = names.length > 5 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1) ?? ''}`;
}
