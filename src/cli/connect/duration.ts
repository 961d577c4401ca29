import { UsageError } from '../io.ts';

/** Milliseconds of `30s`, `500ms` or `2m`; without a unit, of seconds. Throws a UsageError. */
export function millisecondsOf(duration: string | undefined): number | undefined {
  if (duration === undefined || duration === '') return undefined;
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(duration) ?? [];
  if (count === undefined)
    throw new UsageError(`expected a duration such as 30s, 500ms or 2m; found ${duration}`);
  return Number(count) * (unit === 'ms' ? 1 : unit === 'm' ? 60_000 : 1000);
}
