const UNITS: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9 };

/** Bytes of `500KB`, `256MB` or `2GB`. Undefined for other text. */
export function parseSize(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9}(?:\.\d{1,9})?) ?([KMG]B)$/i.exec(text) ?? [];
  const bytes = UNITS[unit.toUpperCase()];
  return count === undefined || bytes === undefined ? undefined : Math.floor(Number(count) * bytes);
}
