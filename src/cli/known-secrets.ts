import type { Json } from '../model/json/json.ts';
import { makeMasker, type Masker } from '../plan/secrets/masker.ts';
import { HIDDEN } from '../plan/secrets/redact.ts';

/** What a longer text is searched for: shorter ones are in words by chance. */
const SHORTEST = 8;

/** A value in which none of these texts is left, as a whole text or within a longer one, and nothing that is masked. */
export function withoutKnown<T extends Json>(
  value: T,
  known: ReadonlySet<string>,
  { mask }: Pick<Masker, 'mask'>,
): T {
  const within = makeMasker(SHORTEST);
  within.learn(() => known);
  const hide = (text: string): string => (known.has(text) && text !== '' ? HIDDEN : mask(within.mask(text)));
  const walk = (part: Json): Json => {
    if (typeof part === 'string') return hide(part);
    if (Array.isArray(part)) return (part as readonly Json[]).map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, child]) => [hide(key), walk(child)]));
  };
  return walk(value) as T; // texts stay texts
}
