import { groupBy, memoize, present } from '../../model/collect.ts';
import type { Pointer } from '../../model/json/json.ts';
import type { KindSet } from '../../model/kind.ts';
import type { Principal } from '../../model/principal.ts';
import type { Problem } from '../../model/problem.ts';
import type { Plain } from '../../model/shape.ts';
import type { Change } from '../change/change.ts';
import type {
  Plan,
  PlanScope,
  Precondition,
  Effect,
  Exposure,
  ShownLink,
  Weakening,
} from '../change/plan.ts';
import { redact, type ShownPlan } from '../secrets/redact.ts';
import type { savedPlan, source } from './plan-shape.ts';

export const PLAN_FORMAT = 'gwconf/plan@1';

/** The source of a secret in a saved plan, and a digest to detect changes. */
export type SecretSource = Plain<typeof source>;

/** What apply checks before it writes: a digest of the live value in the plan; secrets have slow digests. */
export type Sealed = {
  readonly kind: string;
  readonly basis?: string;
  /** In an undo instead: a digest of the result of the run, without unknown fields. */
  readonly result?: string;
  /** In an undo: the same for an extra step of the run. */
  readonly halfway?: string;
  readonly secrets?: Readonly<Partial<Record<Pointer, SecretSource>>>;
};
export type SavedChange = Change & Sealed;

/** An object that changes rely on; apply checks it like changed objects. */
export type SavedPrecondition = Omit<Precondition, 'seen'> & {
  readonly kind: string;
  readonly basis: string;
};

/** A plan as a file: plain JSON without secrets and unchanged objects. */
export type SavedPlan = Omit<Plain<typeof savedPlan>, keyof PlanScope | keyof Parts> & PlanScope & Parts;

type Parts = Pick<Plan, 'unclaimed' | 'unmanaged'> & {
  readonly changes: readonly SavedChange[];
  /** Unchanged objects that changes refer to. */
  readonly relies: readonly SavedPrecondition[];
  readonly effects?: readonly SavedEffect[] | undefined;
  /** As they were when the plan was made; apply looks again. */
  readonly exposures?: readonly SavedExposure[] | undefined;
  readonly weakenings?: readonly SavedWeakening[] | undefined;
  /** What reviewers of the file should know, too. */
  readonly warnings?: readonly PlanWarning[] | undefined;
};
/** A saved plan before it is signed. */
export type OpenPlan = Omit<SavedPlan, 'digest' | 'mac' | 'signature'>;

/** A warning that nothing else in the file tells. */
export type PlanWarning = Pick<Problem, 'code' | 'message' | 'address' | 'hint'> & {
  readonly severity: 'warning';
};

/** The environments that one run has planned, and letters that only this run has. Signed with each of its plans. */
export type PartOf = NonNullable<SavedPlan['partOf']>;

/** Where a plan was made. */
export type Origin = NonNullable<SavedPlan['origin']>;

type Principals = { readonly principals: readonly Principal[] };

/** Principals with the same chains before and after: together, because there may be 10,000. */
type SavedEffect = Principals & Pick<Effect, 'before' | 'after'>;
/** Principals that lose the same by the same change. */
type SavedExposure = Principals & Omit<Exposure, keyof Principal>;
type SavedWeakening = Principals & Omit<Weakening, keyof Principal>;

export function packEffects(effects: readonly Effect[]): readonly SavedEffect[] {
  const textOf = memoize((chain: readonly ShownLink[]) => ({ text: JSON.stringify(chain) }));
  const groups = groupBy(effects, ({ before, after }) => `${textOf(before).text} ${textOf(after).text}`);
  return [...groups.values()].map((group) => {
    const [{ before, after }] = group;
    return { principals: group.map(principalOf), before, after };
  });
}

export function packExposures(exposures: readonly Exposure[]): readonly SavedExposure[] {
  const groups = groupBy(exposures, (one) => JSON.stringify(withoutPrincipal(one)));
  return [...groups.values()].map((group) => ({
    principals: group.map(principalOf),
    ...withoutPrincipal(group[0]),
  }));
}

export function packWeakenings(weakenings: readonly Weakening[]): readonly SavedWeakening[] {
  const bare = memoize((one: Weakening): Omit<SavedWeakening, 'principals'> => {
    const { protection, certainty, by, fields, parts, from, until, accepted } = one;
    return { protection, certainty, by, fields, parts, from, ...present({ until, accepted }) };
  });
  const groups = groupBy(weakenings, (one) => JSON.stringify(bare(one)));
  return [...groups.values()].map((group) => ({ principals: group.map(principalOf), ...bare(group[0]) }));
}

/** What was packed, for each principal. */
export function unpack<T extends object>(
  packed: readonly (Principals & T)[],
): readonly (Principal & Omit<T, 'principals'>)[] {
  return packed.flatMap(({ principals, ...rest }) => principals.map((one) => ({ ...one, ...rest })));
}

function principalOf({ virtualCluster, username, groups, externalGroup, identity }: Principal): Principal {
  return { virtualCluster, username, groups, ...present({ externalGroup, identity }) };
}

function withoutPrincipal({
  protection,
  lasting,
  lost,
  from,
  until,
  seconds,
  accepted,
}: Exposure): Omit<Exposure, keyof Principal> {
  return { protection, lasting, lost, from, ...present({ until, seconds, accepted }) };
}

/** A saved plan for renderers; `now` is what its changes mean for principals now, in place of what it says itself. */
export function redactSaved(
  { effects = [], exposures = [], weakenings = [], topics: _, summary: counts, ...plan }: SavedPlan,
  kinds: KindSet,
  now: Required<Pick<ShownPlan, 'effects' | 'exposures' | 'weakenings'>> = {
    effects: unpack(effects),
    exposures: unpack(exposures),
    weakenings: unpack(weakenings),
  },
): ShownPlan {
  return redact(
    {
      ...plan,
      counts,
      ...(now.effects.length === 0 ? {} : { effects: now.effects }),
      ...(now.exposures.length === 0 ? {} : { exposures: now.exposures }),
      ...(now.weakenings.length === 0 ? {} : { weakenings: now.weakenings }),
    },
    kinds,
  );
}
