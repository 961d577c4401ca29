import type { ProblemCode } from '../../model/problem-codes.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import type { PlanReport } from '../../outcome/plan.ts';
import type { Consequence } from './consequence.ts';
import { groupExposures, groupWeakenings } from './exposures.ts';
import type { Consequences } from './page.ts';

type Losing = Pick<Lazy<PlanReport>, 'exposures' | 'weakenings' | 'changes'>;

/** Problems that the blocks of losses tell, also where they are errors. */
const LOSSES: ReadonlySet<string> = new Set<ProblemCode>([
  'lost-protection',
  'weakened-protection',
  'unjudged-protection',
  'exposure',
]);

export function isLoss({ code }: { readonly code: string }): boolean {
  return LOSSES.has(code);
}

/** The objects by which principals lose something, for certain, that nobody has accepted. */
export function losingAddresses({ exposures = [], weakenings = [] }: Losing): ReadonlySet<string> {
  return new Set([
    ...exposures.flatMap(({ lost, from, accepted }) => (accepted === undefined ? [...lost, from] : [])),
    ...weakenings.flatMap(({ by, from, certainty, accepted }) =>
      accepted === undefined && certainty === 'weaker' ? [by, ...from] : [],
    ),
  ]);
}

/** What principals lose, for good and then for some calls; what of that is accepted; and of what it cannot be told. */
export function lossBlocks({ exposures = [], weakenings = [], changes }: Losing): {
  readonly open: readonly Consequences[];
  readonly others: readonly Consequences[];
} {
  const lost = groupExposures(exposures, changes);
  const weaker = groupWeakenings(weakenings, changes);
  const block = (title: string, isLoss: boolean, consequences: readonly Consequence[]): Consequences => ({
    ...{ block: 'consequences', title, isLoss, consequences },
  });
  const open = <T extends { readonly accepted?: unknown }>(
    groups: readonly (readonly [T, Consequence])[],
    isMeant: (one: T) => boolean,
  ): readonly Consequence[] =>
    groups.flatMap(([one, told]) => (one.accepted === undefined && isMeant(one) ? [told] : []));
  const accepted = [...lost, ...weaker].flatMap(([one, told]) => (one.accepted === undefined ? [] : [told]));
  return {
    open: [
      block(
        'Lost protection',
        true,
        open(lost, ({ lasting }) => lasting),
      ),
      block(
        'Weaker protection',
        true,
        open(weaker, ({ certainty }) => certainty === 'weaker'),
      ),
      block(
        'Exposures',
        true,
        open(lost, ({ lasting }) => !lasting),
      ),
    ],
    others: [
      block('Accepted losses of protection', false, accepted),
      block(
        'Protection that may be weaker',
        false,
        open(weaker, ({ certainty }) => certainty === 'cannot-tell'),
      ),
    ],
  };
}
