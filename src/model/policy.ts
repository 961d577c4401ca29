import type { JsonObject, Pointer } from './json/json.ts';
import type { Place } from './problem.ts';

/** A rule of a project over objects, changes or the chains of principals, as it is written. */
export type Policy = {
  readonly name: string;
  /** Globs; what does not match is not looked at. Absent: all. */
  readonly match: { readonly kind?: string; readonly address?: string; readonly environment?: string };
  /** An expression of CEL; true: the policy is met. */
  readonly expression: string;
  /** The fault of a subject that does not meet it. */
  readonly message: string;
  /** An expression of CEL in place of `message`. */
  readonly messageExpression?: string;
  /** The field of an object to point at. */
  readonly path?: Pointer;
  readonly severity: PolicySeverity;
  /** The variable `params` of the expressions. */
  readonly params: JsonObject;
  readonly waivers: readonly Waiver[];
  readonly examples: { readonly pass: readonly PolicyExample[]; readonly fail: readonly PolicyExample[] };
  /** The place of a part of it, for problems. */
  readonly placeOf: (path: Pointer) => Place;
};

/** A policy as files have it, beside its name. */
export type RawPolicy = Partial<Pick<Policy, 'match' | 'severity' | 'params' | 'waivers'>> &
  Pick<Policy, 'expression' | 'message' | 'examples'> & {
    readonly description?: string;
    readonly messageExpression?: string;
    readonly path?: Pointer;
  };

/** The policies that come with gwconf. */
export type BuiltInName =
  | 'allowed-kms'
  | 'no-chaos-in-prod'
  | 'no-deletes-on-fridays'
  | 'no-global-interceptors'
  | 'no-plain-http'
  | 'no-wildcard-acls'
  | 'no-wildcard-masks'
  | 'priority-bands'
  | 'required-comment'
  | 'required-protection'
  | 'team-prefix'
  | 'token-lifetime';

export const POLICY_FILE_ENDING = '.policy.yaml';

/** Whether it stops a run or is only told. */
export type PolicySeverity = 'mandatory' | 'advisory';

/** An exception from a policy until a day. */
export type Waiver = {
  /** A glob. Default: every object. */
  readonly address?: string;
  readonly reason: string;
  readonly owner?: string;
  /** `YYYY-MM-DD`: the last day. */
  readonly until: string;
};

/** Values of the variables of an expression; those that are left out have neutral ones. */
export type PolicyExample = {
  readonly name?: string;
  readonly object?: JsonObject;
  readonly change?: JsonObject;
  readonly principal?: JsonObject;
  readonly environment?: JsonObject;
  readonly params?: JsonObject;
};
