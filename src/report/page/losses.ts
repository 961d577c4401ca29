import type { Lazy } from '../../outcome/lazy.ts';
import type { PlanReport, ExposureRecord, WeakeningRecord } from '../../outcome/plan.ts';
import type { Consequence } from './principals.ts';
import type { Consequences } from './page.ts';
import { groupBy } from '../../model/collect.ts';
import { formatDuration } from '../../model/text/quantities.ts';
import { formatCount, list } from '../../model/text/list.ts';
import { CAUSES, type Action, type ChangeId } from '../../plan/change/change.ts';
import type { Exposure } from '../../plan/change/plan.ts';
import { nameOf, type ChangeRecord } from '../../outcome/change-record.ts';
import { waysToAccept } from '../../plan/checks/exposures.ts';
import { CAUSE_WORDS } from './causes.ts';
import { shortenNames } from './chain-lines.ts';
import { describeWeakening, describePrincipals, nameProtection } from '../../plan/change/name-principals.ts';

type Losing = Pick<Lazy<PlanReport>, 'exposures' | 'weakenings' | 'changes'>;

/** The objects by which principals lose something, for certain or by a hidden value, that nobody has accepted. */
export function losingAddresses({ exposures = [], weakenings = [] }: Losing): ReadonlySet<string> {
  return new Set([
    ...exposures.flatMap(({ lost, from, accepted }) => (accepted === undefined ? [...lost, from] : [])),
    ...weakenings.flatMap(({ by, from, certainty, accepted }) =>
      accepted === undefined && certainty !== 'cannot-tell' ? [by, ...from] : [],
    ),
  ]);
}

/** What principals lose, permanently and then for some calls; then what of that is accepted, and of what it cannot be told. */
export function lossBlocks({ exposures = [], weakenings = [], changes }: Losing): readonly Consequences[] {
  const byTitle = groupBy(
    [...groupExposures(exposures, changes), ...groupWeakenings(weakenings, changes)],
    ([loss]) => titleOf(loss),
  );
  return TITLES.map(([title, weight]) => {
    const consequences = (byTitle.get(title) ?? []).map(([, consequence]) => consequence);
    return { block: 'consequences', title, weight, consequences };
  });
}

const ACCEPTED = 'Accepted losses of protection';
const LOST = 'Lost protection';
const GAPS = 'Protection gaps';
const WEAKER: Readonly<Record<WeakeningRecord['certainty'], string>> = {
  weaker: 'Weaker protection',
  hidden: 'Protection that may be weaker by a value that is hidden or cannot be judged',
  'cannot-tell': 'Protection that may be weaker',
};

const TITLES: readonly (readonly [title: string, weight: Consequences['weight']])[] = [
  [LOST, 'loss'],
  [WEAKER.weaker, 'loss'],
  [WEAKER.hidden, 'loss'],
  [GAPS, 'loss'],
  [ACCEPTED, 'notice'],
  [WEAKER['cannot-tell'], 'notice'],
];

function titleOf(loss: ExposureRecord | WeakeningRecord): string {
  if (loss.accepted !== undefined) return ACCEPTED;
  return 'certainty' in loss ? WEAKER[loss.certainty] : loss.lasting ? LOST : GAPS;
}

/** Exposures by the same changes together, those of the most principals first. */
function groupExposures(
  exposures: readonly ExposureRecord[],
  changes: Changes,
): readonly (readonly [ExposureRecord, Consequence])[] {
  const describeStep = stepDescriber(
    exposures.flatMap(({ from, until = from }) => [from, until]),
    changes,
  );
  const groups = groupBy(exposures, ({ protection, lasting, lost, from, until, accepted }) =>
    JSON.stringify([protection, lasting, lost, from, until, accepted]),
  );
  return mostFirst(groups).map((group) => [group[0], consequenceOf(group, describeStep)]);
}

/** The same of protection that gets weaker. */
function groupWeakenings(
  weakenings: readonly WeakeningRecord[],
  changes: Changes,
): readonly (readonly [WeakeningRecord, Consequence])[] {
  const describeStep = stepDescriber(
    weakenings.flatMap(({ from, until }) => (until === undefined ? from : [...from, until])),
    changes,
  );
  const groups = groupBy(weakenings, ({ protection, certainty, by, fields, parts, from, until, accepted }) =>
    JSON.stringify([protection, certainty, by, fields, parts, from, until, accepted]),
  );
  return mostFirst(groups).map((group) => {
    const [first] = group;
    const { subject, isPlural, names } = describePrincipals(group);
    const { by, from, until, accepted } = first;
    const isOwn = from.length === 1 && (from[0] as string) === by;
    const before = isOwn ? '' : `; protected by ${by} before`;
    const text = describeWeakening(subject, isPlural ? 'have' : 'has', first);
    const notes = [
      until === undefined
        ? `By ${list(from.map(describeStep))}${before}`
        : `From ${list(from.map(describeStep))} until ${describeStep(until)}${before}`,
      describeAcceptance({ accepted, lost: [by] }),
    ];
    return [first, { count: group.length, text, names, notes, lines: [] }];
  });
}

type Changes = Iterable<
  Pick<ChangeRecord, 'action' | 'address' | 'step'> & Partial<Pick<ChangeRecord, 'cause' | 'fields'>>
>;

function mostFirst<Group extends readonly unknown[]>(groups: ReadonlyMap<string, Group>): readonly Group[] {
  return [...groups.values()].sort((one, other) => other.length - one.length);
}

type Group = readonly [ExposureRecord, ...ExposureRecord[]];

function consequenceOf(group: Group, describeStep: (id: ChangeId) => string): Consequence {
  const [first] = group;
  const { subject, isPlural, names } = describePrincipals(group);
  const what = nameProtection(first.protection);
  const happens = first.lasting
    ? `${isPlural ? 'lose' : 'loses'} ${what} permanently: ${describeStep(first.from)}`
    : `${isPlural ? 'have' : 'has'} no ${what} ${describeTime(first, describeStep)}`;
  return {
    count: group.length,
    text: `${subject} ${happens}`,
    names,
    notes: [...describeLost(first), describeAcceptance(first)],
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
    ...(calls === undefined ? [] : [formatCount(calls, 'call')]),
    ...(seconds === undefined ? [] : [`about ${formatDuration(seconds)}`]),
  ].join(', ');
  const when =
    until === from
      ? `during ${describeStep(from)}`
      : `between ${describeStep(from)} and ${describeStep(until)}`;
  return length === '' ? when : `${when} (${length})`;
}

/** Who has accepted it, or how to. */
function describeAcceptance({ accepted, lost }: Pick<Exposure, 'accepted' | 'lost'>): string {
  if (accepted === undefined) return `To accept it, use ${waysToAccept(lost)}`;
  const { reason, until } = accepted;
  return `Accepted${until === undefined ? '' : ` until ${until}`}${reason === undefined ? '' : `: ${reason}`}`;
}

/** What a change is called in a sentence, with who caused it, if that is known: `the delete of Interceptor/mask (this branch)`. */
function stepDescriber(ids: readonly ChangeId[], changes: Changes): (id: ChangeId) => string {
  const wanted = new Set<string>(ids);
  const told = new Map<string, string>();
  if (wanted.size === 0) return (id) => id; // a plan may be long
  for (const change of changes) {
    const name = nameOf(change);
    if (wanted.has(name)) told.set(name, `the ${NOUNS[change.action]} of ${name}${describeCause(change)}`);
  }
  return (id) => told.get(id) ?? id;
}

function describeCause({ cause, fields = [] }: Partial<Pick<ChangeRecord, 'cause' | 'fields'>>): string {
  if (cause === undefined) return '';
  const causes = new Set(cause === 'mixed' ? fields.flatMap((field) => field.cause ?? []) : [cause]);
  return ` (${CAUSES.flatMap((one) => (causes.has(one) ? [CAUSE_WORDS[one]] : [])).join('; ')})`;
}

const NOUNS: Readonly<Record<Action, string>> = {
  create: 'create',
  update: 'update',
  replace: 'replacement',
  delete: 'delete',
};
