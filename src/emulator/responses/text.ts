import type { Json } from '../../model/json/json.ts';

/** A value as it may stand in a sentence; text as it is. */
export function formatValue(value: Json | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
