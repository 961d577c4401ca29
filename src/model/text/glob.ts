import { addTo } from '../collect.ts';

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

/**
 * Finds the rules whose glob matches a text, in their order. Rules with one text, or with a `*` only at the end, are looked up, so
 * any number of them takes no longer.
 */
export function compileRules<T>(
  rules: readonly T[],
  globOf: (rule: T) => string,
): (text: string) => readonly T[] {
  const exact = new Map<string, number[]>();
  const prefixes = new Map<string, number[]>();
  const others: { readonly at: number; readonly matches: GlobMatcher }[] = [];
  for (const [at, rule] of rules.entries()) {
    const glob = globOf(rule);
    const prefix = withoutLastStars(glob);
    if (prefix.includes('*')) others.push({ at, matches: compileGlob(glob) });
    else addTo(prefix === glob ? exact : prefixes, prefix, at);
  }
  const lengths = [...new Set([...prefixes.keys()].map(({ length }) => length))];
  return (text) => {
    const found = [
      ...(exact.get(text) ?? []),
      ...lengths.flatMap((length) =>
        length > text.length ? [] : (prefixes.get(text.slice(0, length)) ?? []),
      ),
      ...others.filter(({ matches }) => matches(text)).map(({ at }) => at),
    ];
    return found.sort((one, other) => one - other).flatMap((at) => rules.slice(at, at + 1));
  };
}

function withoutLastStars(glob: string): string {
  let end = glob.length;
  while (glob[end - 1] === '*') end -= 1;
  return glob.slice(0, end);
}

/** Whether one of the globs matches a text. */
export function compileGlobs(globs: readonly string[]): GlobMatcher {
  const find = compileRules([...new Set(globs)], (glob) => glob);
  return (text) => find(text).length > 0;
}

/**
 * Whether one of the globs matches a text, and none that begins with `!` matches it or another spelling of it. What is excluded has no
 * case: where names have none, another case is the same name.
 */
export function compileAllowed(
  globs: readonly string[],
): (text: string, otherSpellings?: readonly string[]) => boolean {
  const isListed = compileGlobs(globs.filter((glob) => !glob.startsWith('!')));
  const isExcluded = compileGlobs(excludedBy(globs).map((glob) => glob.toLowerCase()));
  return (text, others = []) =>
    isListed(text) && ![text, ...others].some((one) => isExcluded(one.toLowerCase()));
}

/** The globs behind a `!`. */
export function excludedBy(globs: readonly string[]): readonly string[] {
  return globs.flatMap((glob) => (glob.startsWith('!') ? [glob.slice(1)] : []));
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
