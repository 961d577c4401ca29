import type { Json } from '../../model/json/json.ts';
import { makeMasker, type Masker } from '../../plan/secrets/masker.ts';
import { HIDDEN } from '../../plan/secrets/redact.ts';

/** Within a longer text only secrets of this length are searched for: shorter ones are in words by chance. */
const SHORTEST = 8;

/** A value without any of these secrets, as whole texts or within longer ones, and without what the masker hides. */
export function hideSecrets<T extends Json>(
  value: T,
  secrets: ReadonlySet<string>,
  { mask }: Pick<Masker, 'mask'>,
): T {
  const within = makeMasker(SHORTEST);
  within.learn(() => secrets);
  const hide = (text: string): string =>
    secrets.has(text) && text !== '' ? HIDDEN : mask(within.mask(text));
  const walk = (part: Json): Json => {
    if (typeof part === 'string') return hide(part);
    if (Array.isArray(part)) return (part as readonly Json[]).map(walk);
    if (typeof part !== 'object' || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, child]) => [hide(key), walk(child)]));
  };
  return walk(value) as T; // texts stay texts
}
