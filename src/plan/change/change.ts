import { present } from '../../model/collect.ts';
import type { Pattern, Pointer } from '../../model/json/json.ts';
import type { Position } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { shapesOf, type Template } from '../../model/state.ts';
import type { FieldDifference } from '../../model/field-difference.ts';

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
export type SecretStatus = 'changed' | 'same';

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
  /** Of each secret, by its pointer in `after`. */
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

/** Where the former value of a change may have secrets that its kind does not know of. */
export type SecretMarks = {
  readonly [mark in 'templates' | 'formerSecrets']?: About[mark] | undefined;
};

export function isStep(change: DraftChange): boolean {
  return 'step' in change;
}

export function idOf(change: Pick<Change, 'address'> & { readonly step?: StepName | undefined }): ChangeId {
  const step = change.step === undefined ? '' : ` (${change.step})`;
  return `${change.address}${step}` as ChangeId; // the one place that makes them
}

/** Names a field of a change: fields of a list that are removed and added may have the same path. */
export function fieldId({ op, path }: Pick<FieldDifference, 'op' | 'path'>): string {
  return `${op} ${path}`;
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
