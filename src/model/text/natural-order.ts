/**
 * Compares texts as people sort them: `many2` before `many10`. Else by their characters; of equal numbers, that with more leading zeros
 * comes first.
 */
export function compareNaturally(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let at = 0;
  while (at < shorter && one.charCodeAt(at) === other.charCodeAt(at)) at += 1;
  let start = at;
  while (start > 0 && isDigit(one, start - 1)) start -= 1;
  if (isDigit(one, start) && isDigit(other, start)) {
    const [a, b] = [numberAt(one, start), numberAt(other, start)];
    if (a.length !== b.length) return a.length - b.length;
    if (a !== b) return a < b ? -1 : 1;
  }
  return one === other ? 0 : one < other ? -1 : 1;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

/** The digits from here on, without leading zeros. */
function numberAt(text: string, start: number): string {
  let end = start;
  while (isDigit(text, end)) end += 1;
  while (start < end - 1 && text.charCodeAt(start) === 0x30) start += 1;
  return text.slice(start, end);
}
