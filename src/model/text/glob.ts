/** Whether a text matches. */
export type GlobMatcher = (text: string) => boolean;

/**
 * What a glob for addresses or host names means: `*` is any text. The time is linear in the text and the glob, since both can
 * come from a pull request.
 */
export function compileGlob(glob: string): GlobMatcher {
  const [first = '', ...rest] = glob.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === glob;
  const between = rest.filter((part) => part !== '').map(compileSearch);
  return (text) => {
    const end = text.length - last.length;
    if (first.length > end || !text.startsWith(first) || !text.endsWith(last)) return false;
    let at = first.length;
    // The earliest place of each part leaves the most text to the others.
    for (const search of between) {
      at = search(text, at);
      if (at > end) return false;
    }
    return true;
  };
}

/** Finds where a part first ends in a text, from an offset on; Infinity if it is not there (Knuth, Morris and Pratt). */
function compileSearch(part: string): (text: string, from: number) => number {
  // For each number of matched characters: how many are still matched when the next one differs.
  const shorter = new Int32Array(part.length);
  const extend = (matched: number, char: number): number => {
    let length = matched;
    while (length > 0 && part.charCodeAt(length) !== char) length = shorter[length - 1] ?? 0;
    return part.charCodeAt(length) === char ? length + 1 : 0;
  };
  for (let at = 1; at < part.length; at += 1) shorter[at] = extend(shorter[at - 1] ?? 0, part.charCodeAt(at));
  return (text, from) => {
    let matched = 0;
    for (let at = from; at < text.length; at += 1) {
      matched = extend(matched, text.charCodeAt(at));
      if (matched === part.length) return at + 1;
    }
    return Infinity;
  };
}
