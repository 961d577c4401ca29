import { addDefaults } from '../model/defaults.ts';
import { addressIn } from '../model/identity.ts';
import { isObject, valueOf, type Json, type JsonObject, type Pointer } from '../model/json/json.ts';
import type { Kind, KindSet } from '../model/kind.ts';
import type { Principal } from '../model/principal.ts';
import type { Place } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';

/**
 * The subjects of policies. Where a secret is stands `(hidden)`, which is unknown to an expression: it could tell of the secret, bit
 * by bit, and it must not take another value for the one that is sent.
 */
export type Subjects = {
  readonly objects: Iterable<ObjectSubject>;
  readonly changes: Iterable<ChangeSubject>;
  readonly principals: Iterable<PrincipalSubject>;
};

export type ObjectSubject = {
  readonly address: Address;
  readonly object: () => JsonObject;
  /** The places of its fields. */
  readonly placeOf?: (path: Pointer) => Place;
  /** Whether variables without a value are in it. */
  readonly isOpen?: boolean;
};

export type ChangeSubject = ChangeFacts & {
  readonly before: () => JsonObject | null;
  readonly after: () => JsonObject | null;
  readonly placeOf?: (path: Pointer) => Place;
};

/** A principal with its chains; principals with the same chain share it. */
export type PrincipalSubject = Principal & {
  readonly before: readonly ChainValue[];
  readonly after: readonly ChainValue[];
  /** What is hidden and decides which chains these are, by `placeIn` of its object. */
  readonly hidden?: Pointer | undefined;
};

/** An interceptor of a chain. */
export type ChainValue = JsonObject & { readonly address: Address; readonly priority: Json };

/** The variable `object`: with the defaults of its kind. */
export function objectValue(object: JsonObject, kinds: KindSet): JsonObject {
  const filled = addDefaults(object, kindFor(object, kinds)?.defaultTree ?? NOTHING);
  return isObject(filled) ? filled : object;
}

const NOTHING: Kind['defaultTree'] = { nullable: false, below: new Map() };

/** The address of an object; undefined for what is none. */
export function addressOfObject(object: JsonObject, kinds: KindSet): Address | undefined {
  const kind = kindFor(object, kinds);
  return kind === undefined ? undefined : addressIn(kind, object);
}

function kindFor(object: JsonObject, kinds: KindSet): Kind | undefined {
  const name = valueOf(object, 'kind');
  return typeof name === 'string' ? kinds.get(name) : undefined;
}

export type ChangeFacts = {
  readonly address: Address;
  readonly action: string;
  /** The sorts of protection that clients lose for good by it, and those that get weaker. */
  readonly loses: readonly string[];
  readonly weakens: readonly string[];
};

/** The variables of a policy over changes. */
export function changeValues(
  { address, action, loses, weakens }: ChangeFacts,
  before: JsonObject | null,
  after: JsonObject | null,
): { readonly change: JsonObject; readonly object: Json } {
  return { change: { address, action, before, after, loses, weakens }, object: after ?? before };
}

/** The variable `principal`, but for its chains. */
export function principalValue({ virtualCluster, username, groups }: Principal): JsonObject {
  return { virtualCluster, username: username ?? '', groups };
}

/** The environment and the day of a run. */
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
