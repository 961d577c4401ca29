import type { JsonObject, Pointer } from '../../model/json/json.ts';
import type { Policy, RawPolicy } from '../../model/policy.ts';
import type { Place } from '../../model/problem.ts';

/** A policy with what it leaves out. */
export function makePolicy(name: string, raw: RawPolicy, placeOf: (path: Pointer) => Place): Policy {
  const { expression, message, messageExpression, path, examples } = raw;
  const { match = {}, severity = 'mandatory', params = {}, waivers = [] } = raw;
  return {
    ...{ name, match, expression, message, severity, params, waivers, examples, placeOf },
    ...(messageExpression === undefined ? {} : { messageExpression }),
    ...(path === undefined ? {} : { path }),
  };
}

/** What the project file says of a built-in policy. */
export type BuiltInSettings = Pick<RawPolicy, 'match' | 'severity' | 'waivers'> & {
  readonly [param: string]: unknown;
};

/** A built-in policy as a project has it. Its examples are about its own settings; a test holds it to them. */
export function withSettings(raw: RawPolicy, settings: BuiltInSettings): RawPolicy {
  const { match, severity, waivers, ...params } = settings;
  return {
    ...raw,
    examples: { pass: [], fail: [] },
    params: { ...raw.params, ...(params as JsonObject) }, // the rest of a value of JSON
    ...(match === undefined ? {} : { match: { ...raw.match, ...match } }),
    ...(severity === undefined ? {} : { severity }),
    ...(waivers === undefined ? {} : { waivers }),
  };
}
