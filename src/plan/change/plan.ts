import { present } from '../../model/collect.ts';
import type { Principal } from '../../model/principal.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { Limited } from '../../model/rules.ts';
import type { Plain, PlainFields } from '../../model/shape.ts';
import type { base, chains, counts, leftAlone, link, loss, undo, weaker, weakness } from '../shapes.ts';
import { isStep, type Change, type Action, type SecretMarks } from './change.ts';

/** What causes are relative to: the common commit of this branch and the one that it is to be merged into. */
export type PlanBase = PlainFields<typeof base>;

/** An object that a base declares and its branch does not, and that stays on the gateway. */
export type Undeclared = NonNullable<PlanBase['undeclared']>[number];

/** An interceptor of a chain, as reports show it. */
export type ShownLink = Plain<typeof link>;

/**
 * What a plan means for a principal, which has the groups after the plan: its interceptors before and after, in order. Principals
 * with the same chain share the list.
 */
export type Effect = Principal & PlainFields<typeof chains>;

/** A sort of protection that a principal loses for good, or between two calls of the plan. */
export type Exposure = Principal & PlainFields<typeof loss>;

/** A sort of protection that a principal keeps, but that does less. */
export type Weakening = Principal & PlainFields<typeof weakness>;

export type WeakerProtection = PlainFields<typeof weaker>;
export type WeakenedPart = WeakerProtection['parts'][number];

/** A live object that changes of a plan refer to and that the plan leaves as it is. */
export type Precondition = {
  readonly address: Address;
  readonly seen: Resource;
} & SecretMarks;

/** What an ignore rule leaves unchanged; without a path, the whole object. */
export type Ignored = PlainFields<typeof leftAlone>['ignored'][number];

/** The globs of `--target` and `--exclude`. */
export type Selection = { readonly target: readonly string[]; readonly exclude: readonly string[] };

/** What a plan was asked for: the same in this process, in a file, and as it is shown. */
export type PlanScope = {
  readonly gateway: string;
  /** What the causes of its changes are relative to. */
  readonly base?: PlanBase;
  readonly selection: Selection;
  /** The globs that match what is managed here; undefined if the project does not say. */
  readonly manages?: readonly string[];
  /** The globs inside which what is unclaimed is deleted; undefined without prune. */
  readonly prune?: readonly string[];
  /** The limits of this run, if they are not those of the project. */
  readonly limits?: Limited;
};

/** The difference between what files ask for and what the gateway has, in the order in which apply will make it. */
export type Plan = PlanScope & {
  readonly changes: readonly Change[];
  /** What the changes refer to and the plan leaves as it is. */
  readonly relies: readonly Precondition[];
  readonly unchanged: readonly Address[];
  /** Live, in no file, inside of what is managed: deleted on request only. */
  readonly unclaimed: readonly Address[];
  /** Live, in no file, outside of what is managed, or nothing says what that is: left alone. */
  readonly unmanaged: readonly Address[];
  /** Declared or live, but not selected. */
  readonly unselected: readonly Address[];
  /** Left as it is on the gateway, though files may say otherwise. */
  readonly ignored: readonly Ignored[];
  /** How many objects of each kind are managed here: declared and live, removed by name, or unclaimed. */
  readonly managed: Readonly<Record<string, number>>;
  /** The principals whose chain changes; absent where no change can affect one. */
  readonly effects?: readonly Effect[];
  /** The protection that principals lose, for good or on the way. */
  readonly exposures?: readonly Exposure[];
  /** The protection of principals that gets weaker, or of which that cannot be told. */
  readonly weakenings?: readonly Weakening[];
};

export type Counts = Plain<typeof counts>;

export function countChanges(
  plan: Pick<Plan, 'changes' | 'unchanged' | 'unclaimed' | 'unmanaged' | 'ignored'>,
): Counts {
  return {
    ...countActions(plan.changes),
    unchanged: plan.unchanged.length,
    unclaimed: plan.unclaimed.length,
    unmanaged: plan.unmanaged.length,
    ignored: plan.ignored.length,
  };
}

/** `2 to create, 1 to delete`; empty for none. */
export function wordCounts(counts: Pick<Counts, Action>): string {
  return (['create', 'update', 'replace', 'delete'] as const)
    .flatMap((action) => (counts[action] > 0 ? [`${counts[action]} to ${action}`] : []))
    .join(', ');
}

/** Counts objects; an extra step is not counted. */
export function countActions(changes: readonly Change[]): Pick<Counts, Action> {
  const counts = { create: 0, update: 0, replace: 0, delete: 0 };
  for (const change of changes) if (!isStep(change)) counts[change.action] += 1;
  return counts;
}

export function scopeOf({ gateway, base, selection, manages, prune, limits }: PlanScope): PlanScope {
  return { gateway, ...present({ base }), selection, ...present({ manages, prune, limits }) };
}

/** Unmanaged objects that are listed by name; where `manages` is set they are only counted. */
export function listedUnmanaged({
  manages,
  unmanaged,
}: Pick<Plan, 'manages' | 'unmanaged'>): Plan['unmanaged'] {
  return manages === undefined ? unmanaged : [];
}

export function isNarrowed({ selection }: Pick<Plan, 'selection'>): boolean {
  return selection.target.length + selection.exclude.length > 0;
}

/** The run that an undo takes back, and what does not come back. */
export type Undoes = Plain<typeof undo>;

/** What an undo does not bring back of an object; `leftOut` where it does not touch the object at all. */
export type Loss = Undoes['losses'][number];
