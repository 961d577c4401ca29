import { distance } from 'fastest-levenshtein';

/** No one mistypes a longer name, and the search takes the product of both lengths. */
const LONGEST = 300;

/** The most similar known name; undefined if none is similar enough. */
export function suggest(written: string, known: Iterable<string>): string | undefined {
  if (written.length > LONGEST) return undefined;
  const wanted = written.toLowerCase();
  let best: { readonly name: string; readonly far: number } | undefined;
  for (const name of known) {
    if (name.length > LONGEST) continue;
    const candidate = name.toLowerCase();
    const far = candidate.includes(wanted) || wanted.includes(candidate) ? 1 : distance(wanted, candidate);
    if (far <= Math.max(1, Math.floor(wanted.length / 3)) && (best === undefined || far < best.far))
      best = { name, far };
  }
  return best?.name;
}
