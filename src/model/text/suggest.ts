import { distance } from 'fastest-levenshtein';

/** No one mistypes a longer name, and the search takes the product of both lengths. */
const LONGEST = 300;

/** The most similar known name; undefined if none is similar enough. */
export function suggest(written: string, known: Iterable<string>): string | undefined {
  if (written.length > LONGEST) return undefined;
  const wanted = written.toLowerCase();
  const most = mostEdits(wanted);
  const named = nameIn(wanted);
  let best: { readonly name: string; readonly far: number } | undefined;
  for (const name of known) {
    if (name.length > LONGEST) continue;
    const candidate = name.toLowerCase();
    const edits = editsOf(wanted, candidate);
    if (edits > most && !isPart(wanted, candidate)) continue;
    const other = nameIn(candidate);
    if (named !== other && editsOf(named, other) > mostEdits(named) && !isPart(named, other)) continue;
    const far = edits > most ? LONGEST + edits : edits; // a name that contains it is less likely than a typo
    if (best === undefined || far < best.far) best = { name, far };
  }
  return best?.name;
}

function mostEdits({ length }: string): number {
  return Math.max(1, Math.floor(length / 3));
}

function editsOf(wanted: string, candidate: string): number {
  return lettersOf(candidate) === lettersOf(wanted) ? 1 : distance(wanted, candidate);
}

function isPart(wanted: string, candidate: string): boolean {
  return (
    Math.min(candidate.length, wanted.length) > 2 &&
    (candidate.includes(wanted) || wanted.includes(candidate))
  );
}

/** The name in an address, which its kind and its scope must not outweigh; all of another text. */
function nameIn(text: string): string {
  return /^[^/]+\/([^@]+)/.exec(text)?.[1] ?? text;
}

/** Whether a name is a known one with a typo. */
export function isMisspelt(written: string, known: readonly string[]): boolean {
  if (written.length > LONGEST) return false;
  const wanted = written.toLowerCase();
  return known.some((name) => distance(wanted, name.toLowerCase()) <= (name.length < 7 ? 1 : 2));
}

/** Equal for names whose letters are in another order. */
function lettersOf(name: string): string {
  return name.split('').sort().join('');
}
