/** Whether a version such as `3.21.0` is another one or a later one. Missing numbers count as 0. */
export function atLeast(version: string, other: string): boolean {
  const [one, two] = [numbersOf(version), numbersOf(other)];
  for (let at = 0; at < Math.max(one.length, two.length); at += 1) {
    const difference = (one[at] ?? 0) - (two[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function numbersOf(version: string): readonly number[] {
  const [release = ''] = version.replace(/^v/, '').split(/[-+]/);
  return release.split('.').map((part) => Number.parseInt(part, 10) || 0);
}

/** The word for what a PUT did, as that version writes it (gateway-api B.5). */
export function upsertWord(result: 'created' | 'updated' | 'unchanged', version: string): string {
  return atLeast(version, '3.4.0') && !atLeast(version, '3.7.0') ? upperWords[result] : words[result];
}
const words = { created: 'Created', updated: 'Updated', unchanged: 'NotChanged' };
const upperWords = { created: 'CREATED', updated: 'UPDATED', unchanged: 'NOT_CHANGED' };

/** Every word that some version has for what a PUT did. */
export const upsertWords: readonly string[] = [...Object.values(words), ...Object.values(upperWords)];
