import type { JsonObject } from '../model/json/json.ts';

/** What a run says about where and when it is made. */
export type PolicyEnvironment = {
  /** The name of the environment; empty without one. */
  readonly name: string;
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  readonly version?: string | undefined;
  readonly security?: string | undefined;
  /** The longest lifetime of tokens in seconds, if there is one. */
  readonly maxTokenSeconds?: number | undefined;
};

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** The variable `environment` of expressions. */
export function environmentValue(environment: PolicyEnvironment): JsonObject {
  const { name, day, version = '', security = '', maxTokenSeconds = null } = environment;
  return { name, day, weekday: weekdayOf(day), version, security, maxTokenSeconds };
}

function weekdayOf(day: string): string {
  const at = Date.parse(`${day}T00:00:00Z`);
  // 1970-01-01 was a Thursday.
  return WEEKDAYS[(Math.floor(at / 86_400_000) + 4) % 7] ?? '';
}
