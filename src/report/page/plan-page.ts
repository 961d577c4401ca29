import { formatDuration } from '../../model/text/quantities.ts';
import type { Action } from '../../plan/change/plan.ts';
import { CAUSE_MEANINGS, CAUSE_TITLES, countOthers, describeBehind, splitByCause } from './causes.ts';
import { linesOf } from './change-lines.ts';
import { groupEffects } from './effects.ts';
import { groupExposures } from './exposures.ts';
import { nameOf, type ChangeRecord } from '../../outcome/change-record.ts';
import { mapLazily, type Lazy, type LazyList } from '../../outcome/lazy.ts';
import type { BaseRecord, PlanReport, ScopeRecord } from '../../outcome/plan.ts';
import { groupEqual, listSection, touchedFacts, Totals, type Group } from './groups.ts';
import type { Entry, Fact, Fates, Page, Section, Sign, Step, Tone } from './page.ts';

type Listed = readonly [Action, title: string, Sign];
/** In the order in which a reviewer needs them. */
const SECTIONS: readonly [Listed, ...Listed[]] = [
  ['delete', 'Delete', '-'],
  ['replace', 'Replace', '±'],
  ['update', 'Update', '~'],
  ['create', 'Create', '+'],
];

const TITLES = Object.fromEntries(SECTIONS) as Readonly<Record<Action, string>>; // every action has a section
const UNCLAIMED = 'Unclaimed';

export function pageOfPlan(report: Lazy<PlanReport>): Page {
  const { risks, unclaimed, problems } = report;
  const totals = new Totals();
  const sections = sectionsOf(report, totals);
  const touched = touchedFacts(totals.list());
  for (const name of unclaimed) totals.count(UNCLAIMED, name);
  return {
    title: titleOf(report),
    tone: toneOf(report),
    facts: [...factsOf(report), ...touched],
    next: nextOf(report),
    losses: lossesOf(report),
    risks: risks.map(({ address, message }) => ({ name: address, text: message })),
    problems,
    sections: [...sections, ...listSection(UNCLAIMED, '?', unclaimed.map(entryOfName))],
    effects: { title: EFFECTS, fates: groupEffects(report.effects ?? []) },
    totals: totals.list(),
    steps: mapLazily(report.changes, stepOf),
    closing: closingOf(report),
  };
}

/** What stands above what principals lose for good, what they lose for some calls, and what changes for them. */
export const LOST = 'Lost protection';
export const EXPOSED = 'Exposures';
export const EFFECTS = 'Effects on principals';

function lossesOf({ exposures = [], changes }: Lazy<PlanReport>): readonly Fates[] {
  const { lasting, passing } = groupExposures(exposures, changes);
  return [
    { title: LOST, fates: lasting },
    { title: EXPOSED, fates: passing },
  ];
}

function titleOf({ result, summary, undoes, environment, base }: Lazy<PlanReport>): string {
  const plan = undoes === undefined ? 'Plan' : `Undo of run ${undoes.run}`;
  const what = environment === undefined ? plan : `${plan} for ${environment}`;
  const counts = base?.causes === undefined ? countActions(summary) : countByCause(base, base.causes);
  switch (result) {
    case 'error':
      return `${what} failed`;
    case 'blocked':
      return `${what} is blocked${counts === '' ? '' : `: ${counts}`}`;
    case 'stale':
      return `${what} is stale`;
    default:
      return `${what}: ${counts === '' ? 'no changes' : counts}`;
  }
}

function countActions(counts: Readonly<Record<Action, number>>): string {
  return SECTIONS.filter(([action]) => counts[action] > 0)
    .map(([action]) => `${counts[action]} to ${action}`)
    .join(', ');
}

/** What this branch does, and how much others did; empty if nobody did anything. */
function countByCause(base: BaseRecord, { branch }: NonNullable<BaseRecord['causes']>): string {
  const [own, others] = [countActions(branch), countOthers(base)];
  if (others.length === 0) return own;
  return `${own === '' ? 'nothing by this branch' : `${own} by this branch`}, ${others.join(', ')}`;
}

function toneOf({ result, risks, exposures = [] }: Lazy<PlanReport>): Tone {
  if (result === 'no-changes') return 'calm';
  if (result !== 'changes') return 'alarm';
  return risks.length + exposures.length > 0 ? 'warning' : 'review';
}

function nextOf({ result, undoes }: Lazy<PlanReport>): string | undefined {
  switch (result) {
    case 'changes':
      return undoes === undefined ? 'Nothing is changed until this plan is applied.' : undefined;
    case 'blocked':
      return 'Nothing can be applied until the problems are solved.';
    case 'stale':
      return 'The gateway has changed since. Make the plan again.';
    default:
      return undefined;
  }
}

export function factsOf({
  gateway,
  environment,
  selection,
  snapshot,
  prune,
  base,
}: ScopeRecord & Partial<Pick<PlanReport, 'snapshot' | 'prune' | 'base'>>): readonly Fact[] {
  const { target = [], exclude = [], unselected = 0 } = selection ?? {};
  const flags = [...target.map((glob) => `--target ${glob}`), ...exclude.map((glob) => `--exclude ${glob}`)];
  return [
    ...placeFacts({ gateway, environment }),
    ...(snapshot === undefined
      ? []
      : [
          {
            label: 'Snapshot',
            text: `${formatDuration(snapshot.ageSeconds)} old, ${snapshot.cannotTell} fields not compared`,
            isCode: false,
          },
        ]),
    ...(selection === undefined
      ? []
      : [
          { label: 'Narrowed by', text: flags.join(' '), isCode: true },
          { label: 'Not selected', text: String(unselected), isCode: false },
        ]),
    ...(prune === undefined ? [] : [{ label: 'Prune deletes', text: prune.join(', '), isCode: true }]),
    ...(base === undefined ? [] : baseFacts(base)),
  ];
}

function baseFacts(base: BaseRecord): readonly Fact[] {
  const { ref, commit } = base;
  const behind = describeBehind(base);
  return [
    { label: 'Base', text: `${ref} at ${commit.slice(0, 10)}`, isCode: true },
    ...(behind === undefined ? [] : [{ label: 'Branch', text: behind, isCode: false }]),
  ];
}

/** Which gateway a report is about. */
export function placeFacts({
  gateway,
  environment,
}: Pick<ScopeRecord, 'gateway' | 'environment'>): readonly Fact[] {
  return [
    ...(environment === undefined ? [] : [{ label: 'Environment', text: environment, isCode: true }]),
    ...(gateway === '' ? [] : [{ label: 'Gateway', text: gateway, isCode: true }]),
  ];
}

/** The changes of this branch by action, then those of others by cause. */
function sectionsOf({ changes, risks, base }: Lazy<PlanReport>, totals: Totals): readonly Section[] {
  const risky = new Set<string>(risks.map(({ address }) => address));
  if (base?.causes === undefined) return sectionsByAction(changes, risky, totals);
  const { own, others } = splitByCause(changes);
  return [
    ...sectionsByAction(own, risky, totals),
    ...others.map(([cause, theirs]): Section => {
      const title = CAUSE_TITLES[cause];
      for (const { address } of theirs) totals.count(title, address);
      const byAction = sectionsByAction(theirs, risky, new Totals());
      const entries = {
        *[Symbol.iterator]() {
          for (const { sign, entries: some } of byAction) for (const entry of some) yield { ...entry, sign };
        },
      };
      return { title, sign: '?', count: theirs.length, aside: CAUSE_MEANINGS[cause], entries };
    }),
  ];
}

function sectionsByAction(
  changes: LazyList<ChangeRecord>,
  names: ReadonlySet<string>,
  totals: Totals,
): readonly Section[] {
  const risky = new Set<number>();
  const places: Record<Action, number[]> = { create: [], update: [], replace: [], delete: [] };
  let place = 0;
  for (const { action, address } of changes) {
    places[action].push(place);
    if (names.has(address)) risky.add(place);
    totals.count(TITLES[action], address);
    place += 1;
  }
  return SECTIONS.filter(([action]) => places[action].length > 0).map(([action, title, sign]) => {
    const all = places[action];
    const groups = action === 'update' ? groupEqual(all, changes) : all.map((one): Group => [one]);
    return { title, sign, count: all.length, entries: entriesOf(groups, changes, risky) };
  });
}

/** What deserves a look comes first. */
function entriesOf(
  groups: readonly Group[],
  changes: LazyList<ChangeRecord>,
  risky: ReadonlySet<number>,
): Iterable<Entry> {
  const isRisky = (group: Group): boolean => group.some((place) => risky.has(place));
  return {
    *[Symbol.iterator]() {
      for (const group of groups) if (isRisky(group)) yield* entryOf(group, changes, true);
      for (const group of groups) if (!isRisky(group)) yield* entryOf(group, changes, false);
    },
  };
}

function stepOf(change: ChangeRecord): Step {
  const [, section, sign] = SECTIONS.find(([action]) => action === change.action) ?? SECTIONS[0];
  return { id: nameOf(change), name: change.address, section, sign, after: change.dependsOn };
}

function* entryOf(
  [place, ...others]: Group,
  changes: LazyList<ChangeRecord>,
  isRisky: boolean,
): Generator<Entry> {
  const first = changes.at(place);
  if (first === undefined) return;
  yield {
    names: [first.address, ...others.flatMap((other) => changes.at(other)?.address ?? [])],
    at: others.length === 0 ? first.at : undefined,
    notes: notesOf(first),
    isRisky,
    lines: () => linesOf(first),
  };
}

function notesOf({ reason, because, removal, movedFrom, movedTo }: ChangeRecord): readonly string[] {
  return [
    ...(movedFrom === undefined ? [] : [`moved from ${movedFrom}`]),
    ...(removal === undefined
      ? []
      : [`${movedTo === undefined ? 'removed' : `moved to ${movedTo}`}: ${removal}`]),
    ...(reason === undefined ? [] : [reason]),
    ...(because === undefined
      ? []
      : [`deleted and recreated: ${because.join(', ')} cannot be changed in place`]),
  ];
}

/** An object of which only the name is known. */
function entryOfName(name: string): Entry {
  return { names: [name], notes: [], isRisky: false, lines: () => [] };
}

function closingOf({ summary, result }: Lazy<PlanReport>): string {
  if (result === 'error') return '';
  const { unchanged, ignored, unmanaged } = summary;
  return [
    ...(unchanged === 0 ? [] : [`${unchanged} unchanged`]),
    ...(ignored === 0 ? [] : [`${ignored} ignored`]),
    ...(unmanaged === 0 ? [] : [`${unmanaged} not managed here`]),
  ].join(', ');
}
