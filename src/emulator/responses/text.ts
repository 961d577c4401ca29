import type { Json } from '../../model/json/json.ts';

/** A value in a sentence: a string as it is, others as JSON. */
export function formatValue(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
