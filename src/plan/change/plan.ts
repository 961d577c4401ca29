import type { Certainty } from '../../effective/weakening.ts';
import { present } from '../../model/collect.ts';
import type { Pattern, Pointer } from '../../model/json/json.ts';
import type { Principal } from '../../model/principal.ts';
import type { Position } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { Limited, RuleChange } from '../../model/rules.ts';
import { shapesOf } from '../../model/secrets/secrets.ts';
import type { Template } from '../../model/state.ts';
import type { FieldDifference } from '../../model/field-difference.ts';
import type { Protected } from '../../model/strength.ts';

/**
 * Why the gateway is not as the files are: the branch changed them; the base did, and it is not applied yet; or somebody changed the
 * gateway. `base-or-drift` where the history does not tell which of the last two it is. `behind` where the base has changed its files
 * since the branch began, and the branch has not.
 */
export type Cause = (typeof CAUSES)[number];
/** In the order in which they matter to a reviewer of the branch. */
export const CAUSES = ['branch', 'drift', 'base-or-drift', 'base', 'behind'] as const;

/** Names one change of a plan: its address, or the address and what the extra step is for. */
export type ChangeId = string & { readonly __brand: 'ChangeId' };

/** Whether a secret changes; safe to show. */
export type SecretStatus = 'changed' | 'same' | 'cannot-tell';

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

type About = {
  readonly address: Address;
  /** The changes that must be made before. */
  readonly dependsOn: readonly ChangeId[];
  /** Stage 2 contains deletes, and starts when all of stage 1 has succeeded. */
  readonly stage: 1 | 2;
  /** Where it is declared; absent for what is pruned. */
  readonly at?: Position;
  /** Fields that came from `${…}`, by their pointer in `after`. */
  readonly templates?: Readonly<Partial<Record<Pointer, Template>>>;
  /** Places in `before` of secrets that no file names any more: a former value of a variable. */
  readonly formerSecrets?: readonly Pattern[];
  /** Only of a plan with a base, and if it is known. */
  readonly cause?: Cause | 'mixed';
  /** Only of a mixed one: the cause of each field, by `fieldId`. */
  readonly fieldCauses?: Readonly<Record<string, Cause>>;
  /** Why it is out of the usual order: an extra step, or a delete before creates. */
  readonly reason?: string;
};

/** How two states of one resource differ. */
type Difference = {
  readonly before: Resource;
  readonly after: Resource;
  readonly fields: readonly FieldDifference[];
  /** Of each secret, by its pointer in `after`; `cannot-tell` where the gateway does not return it. */
  readonly verdicts?: Readonly<Record<string, SecretStatus>>;
};

/**
 * Extra steps that the order requires. Before the own change of its object it lets go of something, or takes in all that is added;
 * or another object takes its place meanwhile, which is created and deleted.
 */
export const STEPS = ['release', 'expand', 'bridge', 'unbridge'] as const;
export type StepName = (typeof STEPS)[number];
type Step = { readonly step?: StepName };

export type Change =
  | (About &
      Step & {
        readonly action: 'create';
        readonly after: Resource;
        /** The object that it replaces, which the same plan deletes. */
        readonly movedFrom?: Address;
      })
  | (About & Step & Difference & { readonly action: 'update' })
  | (About &
      Difference & {
        readonly action: 'replace';
        /** The fields that the gateway does not change in place. */
        readonly because: readonly Pointer[];
      })
  | (About &
      Step & {
        readonly action: 'delete';
        readonly before: Resource;
        /** The reason in the Removal; absent for what is pruned. */
        readonly removal?: string;
        /** The object that replaces it. */
        readonly movedTo?: Address;
      });
export type Action = Change['action'];

/** Why what an interrupted run has left is deleted. */
export const LEFT_BEHIND = 'a run that stopped left it behind';

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

/** Where the former value of a change may have secrets that its kind does not know of. */
export type SecretMarks = {
  readonly [mark in 'templates' | 'formerSecrets']?: About[mark] | undefined;
};

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

export function isStep(change: DraftChange): boolean {
  return 'step' in change;
}

export function idOf(change: Pick<Change, 'address'> & Step): ChangeId {
  const step = change.step === undefined ? '' : ` (${change.step})`;
  return `${change.address}${step}` as ChangeId; // the one place that makes them
}

/** Names a field of a change: fields of a list that are removed and added may have the same path. */
export function fieldId({ op, path }: Pick<FieldDifference, 'op' | 'path'>): string {
  return `${op} ${path}`;
}

export function isNarrowed({ selection }: Pick<Plan, 'selection'>): boolean {
  return selection.target.length + selection.exclude.length > 0;
}

/** The templates of a change as the rest of the program looks them up. */
export function templatesOf(templates: Change['templates']): ReadonlyMap<Pointer, Template> {
  return new Map(Object.entries(templates ?? {}) as [Pointer, Template][]); // Object.entries forgets the type of keys
}

/**
 * The same for a former value, by shape: what a template fills in now, the environment may have given before, wherever in its
 * list; and the former secrets.
 */
export function formerSources({ templates, formerSecrets = [] }: SecretMarks): ReadonlyMap<Pattern, Source> {
  const former = formerSecrets.map((place): [Pattern, Source] => [place, FORMER]);
  return new Map([...shapesOf(templatesOf(templates)), ...former]);
}

type Source = Pick<Template, 'variables'>;
const FORMER: Source = { variables: ['a former variable'] };

/** The marks of a change, for another one of the same object. */
export function marksOf({ templates, formerSecrets }: SecretMarks): Pick<About, keyof SecretMarks> {
  return present({ templates, formerSecrets });
}

/** What an undo does not bring back of an object; `leftOut` where it does not touch the object at all. */
export type Loss = { readonly address: Address; readonly leftOut: boolean; readonly reason: string };

/** The run that an undo takes back, and what does not come back. */
export type Undoes = { readonly run: string; readonly losses: readonly Loss[] };

/** A change before it has its place: `dependsOn` and `stage` are worked out by `order`. */
export type DraftChange = Change extends infer C
  ? C extends Change
    ? Omit<C, 'dependsOn' | 'stage'>
    : never
  : never;

export function beforeOf(change: DraftChange): Resource | undefined {
  return change.action === 'create' ? undefined : change.before;
}

export function afterOf(change: DraftChange): Resource | undefined {
  return change.action === 'delete' ? undefined : change.after;
}
