import { groupBy } from '../../model/collect.ts';
import { formatDuration } from '../../model/text/quantities.ts';
import { list } from '../../model/text/list.ts';
import type { Action, ChangeId, Exposure } from '../../plan/change/plan.ts';
import { nameOf, type ChangeRecord } from '../../outcome/change-record.ts';
import { shortenNames } from './chain-lines.ts';
import type { ExposureRecord } from '../../outcome/exposure-record.ts';
import type { Consequence } from './consequence.ts';
import { describePrincipals, nameProtection } from '../../plan/change/name-principals.ts';

export type Exposed = {
  /** What is lost for good. */
  readonly lasting: readonly Consequence[];
  /** What is lost until a later call. */
  readonly passing: readonly Consequence[];
};

/** Exposures by the same changes together: first those that are not accepted, then those of the most principals. */
export function groupExposures(
  exposures: readonly ExposureRecord[],
  changes: Iterable<Pick<ChangeRecord, 'action' | 'address' | 'step'>>,
): Exposed {
  if (exposures.length === 0) return { lasting: [], passing: [] };
  const describeStep = stepDescriber(exposures, changes);
  const groups = groupBy(exposures, ({ protection, lasting, lost, from, until, accepted }) =>
    JSON.stringify([protection, lasting, lost, from, until, accepted]),
  );
  const rankOf = ([{ accepted }]: Group): number => (accepted === undefined ? 0 : 1);
  const inOrder = [...groups.values()].sort(
    (one, other) => rankOf(one) - rankOf(other) || other.length - one.length,
  );
  const consequencesOf = (isLasting: boolean): readonly Consequence[] =>
    inOrder
      .filter(([{ lasting }]) => lasting === isLasting)
      .map((group) => consequenceOf(group, describeStep));
  return { lasting: consequencesOf(true), passing: consequencesOf(false) };
}

type Group = readonly [ExposureRecord, ...ExposureRecord[]];

function consequenceOf(group: Group, describeStep: (id: ChangeId) => string): Consequence {
  const [first] = group;
  const { subject, isOne, names } = describePrincipals(group);
  const what = nameProtection(first.protection);
  const happens = first.lasting
    ? `${isOne ? 'loses' : 'lose'} ${what} for good: ${describeStep(first.from)}`
    : `${isOne ? 'has' : 'have'} no ${what} ${describeTime(first, describeStep)}`;
  const { accepted } = first;
  return {
    count: group.length,
    text: `${subject} ${happens}`,
    names,
    notes: [...describeLost(first), ...(accepted === undefined ? [] : [describeAcceptance(accepted)])],
    lines: [],
  };
}

/** The interceptors that gave the protection, where the change does not tell. */
function describeLost({ lost, from }: Exposure): readonly string[] {
  const isTold = lost.every((address) => address === (from as string));
  return isTold ? [] : [`Protected by ${list(lost.map(shortenNames(lost)))} before`];
}

function describeTime(
  { from, until, calls, seconds }: ExposureRecord,
  describeStep: (id: ChangeId) => string,
): string {
  if (until === undefined) return `after ${describeStep(from)}`;
  const length = [
    ...(calls === undefined ? [] : [calls === 1 ? '1 call' : `${calls} calls`]),
    ...(seconds === undefined ? [] : [`about ${formatDuration(seconds)}`]),
  ].join(', ');
  const when =
    until === from
      ? `during ${describeStep(from)}`
      : `between ${describeStep(from)} and ${describeStep(until)}`;
  return length === '' ? when : `${when} (${length})`;
}

function describeAcceptance({ reason, until }: NonNullable<Exposure['accepted']>): string {
  return `Accepted${until === undefined ? '' : ` until ${until}`}${reason === undefined ? '' : `: ${reason}`}`;
}

/** What a change is called in a sentence: `the delete of Interceptor/mask`. */
function stepDescriber(
  exposures: readonly Exposure[],
  changes: Iterable<Pick<ChangeRecord, 'action' | 'address' | 'step'>>,
): (id: ChangeId) => string {
  const wanted = new Set<string>(exposures.flatMap(({ from, until = from }) => [from, until]));
  const actions = new Map<string, Action>();
  for (const change of changes) {
    const name = nameOf(change);
    if (wanted.has(name)) actions.set(name, change.action);
  }
  return (id) => {
    const action = actions.get(id);
    return action === undefined ? id : `the ${NOUNS[action]} of ${id}`;
  };
}

const NOUNS: Readonly<Record<Action, string>> = {
  create: 'create',
  update: 'update',
  replace: 'replacement',
  delete: 'delete',
};
