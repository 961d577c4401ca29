import type { Context, KindSet } from '../../model/kind.ts';
import type { Address } from '../../model/resource.ts';
import type { IgnoreRule, Removal, Rules } from '../../model/rules.ts';
import type { Declaration, DesiredState, LiveState } from '../../model/state.ts';
import type { DraftChange } from '../change/change.ts';
import type { Exposure, Ignored, Plan, Selection, Weakening } from '../change/plan.ts';
import type { Matcher } from '../change/select.ts';
import type { Cycle } from '../order/order.ts';

/** What files ask for, and the rules of their project. */
export type DesiredWorld = {
  readonly desired: DesiredState;
  /** All that files declare, also what is no valid resource; left out where all is valid. */
  readonly declared?: ReadonlyMap<Address, Declaration>;
  readonly removals: readonly Removal[];
  readonly rules: Rules;
  readonly kinds: KindSet;
  /** `YYYY-MM-DD`; without it nothing expires. */
  readonly today?: string;
  /** Topics of each virtual cluster, beside those that objects are. */
  readonly topics?: readonly string[] | undefined;
  /** What the environment says of its gateway. */
  readonly context?: Context;
  /** The run deletes what no file declares. */
  readonly prune?: boolean;
};

/** The changes of a plan, and the gateway that they would be made on. */
export type PlannedChanges = {
  readonly live: LiveState;
  readonly kinds: KindSet;
  /** Each object's own change; an extra step is not among them. */
  readonly changes: ReadonlyMap<Address, DraftChange>;
};

/** The desired world with the changes of a plan. Where a difference is ignored, `desired` has the live value. */
export type PlannedWorld = DesiredWorld &
  PlannedChanges & {
    readonly cycles: readonly Cycle[];
    readonly managed: Plan['managed'];
    readonly selection: Selection;
    readonly isSelected: Matcher;
    /** What rules leave as it is on the gateway. */
    readonly ignored: readonly Ignored[];
    /** Rules on what to ignore that match nothing. */
    readonly unusedRules: readonly IgnoreRule[];
    /** Absent where they are checked elsewhere. */
    readonly exposures?: readonly Exposure[];
    readonly weakenings?: readonly Weakening[];
    /** Of how many clients parts of protections were not judged during the run, as the changes are too many. */
    readonly unjudged?: number;
  };

/** All that a check may look at: files alone, or a plan as well. */
export type World = DesiredWorld | PlannedWorld;

export function isPlanned(world: World): world is PlannedWorld {
  return 'changes' in world;
}
