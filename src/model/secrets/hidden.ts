import { canonicalText, type Json } from '../json/json.ts';

/** What stands where a secret stood. */
export const HIDDEN = '(hidden)';

const [HIDDEN_BEGIN, HIDDEN_END] = ['${hidden ', '}'];

/** What stands for a hidden value where it matters only whether it is the same: a placeholder, so nothing takes it for a value. */
export function hiddenPlaceholder(number: number): string {
  return `${HIDDEN_BEGIN}${number}${HIDDEN_END}`;
}

/** Stands for an unknown secret of a snapshot. A file cannot contain it by accident, unlike the placeholder in reports. */
export function sealedMark(digest: string): string {
  return `(hidden ${digest})`;
}

export function isSealedMark(value: Json): boolean {
  return typeof value === 'string' && value.startsWith('(hidden ');
}

export function hasHidden(value: Json | undefined): boolean {
  return value !== undefined && canonicalText(value).includes(HIDDEN_BEGIN);
}
