import { formatCount } from './list.ts';

/** Milliseconds of `30s`, `500ms`, `2m`, `8h` or `7d`; without a unit, of seconds. Undefined for other text, and for over 100 years. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|[smhd])?$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  const ms = Number(count) * (UNIT_MS[unit ?? 's'] ?? 1000);
  return ms > MOST_MS ? undefined : ms;
}

const MOST_MS = 100 * 365 * 24 * 60 * 60 * 1000;

/** The same, for a timer: Node.js fires one of more than 25 days at once. */
export function parseTimeout(text: string): number | undefined {
  const ms = parseDuration(text);
  return ms === undefined ? undefined : Math.min(ms, 2 ** 31 - 1);
}

const UNITS = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
  ['second', 1],
] as const;

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `3 hours`: uses the largest unit with a count of at least two. */
export function formatDuration(seconds: number): string {
  const [name, length] = UNITS.find(([, size]) => seconds >= 2 * size) ?? ['second', 1];
  const count = Math.floor(seconds / length);
  return formatCount(count, name);
}

const SIZES: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9 };

/** Bytes of `500KB`, `256MB` or `2GB`. Undefined for other text. */
export function parseSize(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9}(?:\.\d{1,9})?) ?([KMG]B)$/i.exec(text) ?? [];
  const bytes = SIZES[unit.toUpperCase()];
  return count === undefined || bytes === undefined ? undefined : Math.floor(Number(count) * bytes);
}
