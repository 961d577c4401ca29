/** Milliseconds of `30s`, `500ms`, `2m`, `8h` or `7d`; without a unit, of seconds. Undefined for other text. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|[smhd])?$/.exec(text) ?? [];
  if (count === undefined) return undefined;
  return Number(count) * (UNIT_MS[unit ?? 's'] ?? 1000);
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
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
