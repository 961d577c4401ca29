import type { Json } from '../../model/json/json.ts';

/** NaN for other values, which compares with nothing. */
export function numberIn(value: Json | undefined): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
}
