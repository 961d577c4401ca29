import type { Certainty } from '../../effective/weakening.ts';
import { present } from '../../model/collect.ts';
import type { Pointer } from '../../model/json/json.ts';
import type { Principal } from '../../model/principal.ts';
import type { Position } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { Limited, RuleChange } from '../../model/rules.ts';
import type { Protected } from '../../model/strength.ts';
import { isStep, type ChangeId, type Change, type Action, type SecretMarks } from './change.ts';

/** What causes are relative to: the common commit of this branch and the one that it is to be merged into. */
export type PlanBase = {
  /** As it was named. */
  readonly ref: string;
  readonly commit: string;
  /** How many commits of the ref the branch does not have. */
  readonly behind: number;
  /** What the base declares and the branch does not, and stays on the gateway; absent if there is nothing. */
  readonly undeclared?: readonly Undeclared[] | undefined;
  /** Documents that delete or rename these, to paste. */
  readonly removal?: string | undefined;
  /** The rules that the branch has otherwise; absent if there are none. */
  readonly ruleChanges?: readonly RuleChange[] | undefined;
};

/** An object that a base declares and its branch does not, and that stays on the gateway. */
export type Undeclared = {
  readonly address: Address;
  /** Where the base declares it. */
  readonly was: Position;
  /** Whether it is one that the branch manages. */
  readonly managed: boolean;
  /** What the branch declares that looks like it under another name or in another scope. */
  readonly to?: Address | undefined;
  /** The base does not declare it, but deletes it by name. */
  readonly removed?: boolean | undefined;
};

/** An interceptor of a chain, as reports show it. */
export type ShownLink = {
  readonly address: Address;
  readonly pluginClass: string;
  /** Hidden where it is a secret. */
  readonly priority: number | '(hidden)';
};

/** What a plan means for a principal, which has the groups after the plan: its interceptors before and after, in order. */
export type Effect = Principal & {
  /** Principals with the same chain share the list. */
  readonly before: readonly ShownLink[];
  readonly after: readonly ShownLink[];
};

/** A sort of protection that a principal loses for good, or between two calls of the plan. */
export type Exposure = Principal & {
  readonly protection: string;
  /** Whether it does not come back. */
  readonly lasting: boolean;
  /** The interceptors that gave it before. */
  readonly lost: readonly Address[];
  /** The change that takes it away. */
  readonly from: ChangeId;
  /** The change that brings it back. */
  readonly until?: ChangeId | undefined;
  /** How long it lasts, at the pace of the gateway; absent where that is unknown. */
  readonly seconds?: number | undefined;
  /** Who wants it: of those that an acceptance covers. */
  readonly accepted?:
    { readonly reason?: string | undefined; readonly until?: string | undefined } | undefined;
};

/** A sort of protection that a principal keeps, but that does less. */
export type Weakening = Principal &
  WeakerProtection & {
    /** The changes that do it. */
    readonly from: readonly ChangeId[];
    /** The change that makes it good; absent if it is lasting. */
    readonly until?: ChangeId | undefined;
    readonly accepted?: Exposure['accepted'];
  };

export type WeakerProtection = {
  readonly protection: string;
  readonly certainty: Certainty;
  /** The interceptor that gave it before, and what of its config makes the difference; no field where it no longer runs. */
  readonly by: Address;
  readonly fields: readonly Pointer[];
  /** What is less protected. */
  readonly parts: readonly WeakenedPart[];
};

export type WeakenedPart = {
  readonly what: Protected;
  /** Fields, requests, rules and so on; `(hidden)` where a name is a secret. */
  readonly names: readonly string[];
  /** Whether nothing protects it any more, there, or it is taken off. */
  readonly loss: 'whole' | 'part' | 'undone';
  /** The known topics where that is so, perhaps none; null if it has nothing to do with topics, or they would tell a secret. */
  readonly topics: readonly string[] | null;
  /** The pattern of the topics that it was for; null as well. */
  readonly pattern: string | null;
};

/** A live object that changes of a plan refer to and that the plan leaves as it is. */
export type Precondition = {
  readonly address: Address;
  readonly seen: Resource;
} & SecretMarks;

/** What an ignore rule leaves unchanged; without a path, the whole object. */
export type Ignored = { readonly address: Address; readonly path?: Pointer; readonly reason: string };

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

export type Counts = { readonly [action in Action]: number } & {
  readonly unchanged: number;
  readonly unclaimed: number;
  readonly unmanaged: number;
  /** Differences and whole objects. */
  readonly ignored: number;
};

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

/** What an undo does not bring back of an object; `leftOut` where it does not touch the object at all. */
export type Loss = { readonly address: Address; readonly leftOut: boolean; readonly reason: string };

/** The run that an undo takes back, and what does not come back. */
export type Undoes = { readonly run: string; readonly losses: readonly Loss[] };
