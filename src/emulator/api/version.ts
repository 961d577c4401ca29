import { atLeast } from '../../model/text/version.ts';

/** The upsert result in the spelling of that version (gateway-api B.5). */
export function formatUpsertResult(result: 'created' | 'updated' | 'unchanged', version: string): string {
  return atLeast(version, '3.4.0') && !atLeast(version, '3.7.0') ? upperWords[result] : words[result];
}
const words = { created: 'Created', updated: 'Updated', unchanged: 'NotChanged' };
const upperWords = { created: 'CREATED', updated: 'UPDATED', unchanged: 'NOT_CHANGED' };

/** The spellings of all versions. */
export const UPSERT_RESULTS: readonly string[] = [...Object.values(words), ...Object.values(upperWords)];
