/** The newest gateway whose fields and configs gwconf knows. */
export const NEWEST_KNOWN = '3.21.1';
/** The oldest gateway with the v2 API, without which gwconf can only migrate. */
export const FIRST_WITH_V2 = '3.3.0';
/** The newest gateway whose API description (OpenAPI) the kinds were made from; later fields are those of the vendor's changelogs. */
export const NEWEST_DESCRIBED = '3.9.0';

/** Whether a version such as `3.21.0` is equal to or later than another. Missing numbers count as 0. */
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
