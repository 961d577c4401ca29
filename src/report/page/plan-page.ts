import { formatDuration } from '../../model/text/duration.ts';
import type { Action } from '../../plan/change/plan.ts';
import { linesOf } from '../view/change-lines.ts';
import { nameOf, type ChangeRecord } from '../view/change-record.ts';
import type { Lazy } from '../view/lazy.ts';
import type { PlanReport, ScopeRecord } from '../view/plan-report.ts';
import { groupEqual, totalsOf, type Group } from './groups.ts';
import type { Entry, Fact, Page, Section, Sign, Step, Tone } from './page.ts';

type Listed = readonly [Action, title: string, Sign];
/** In the order in which a reviewer needs them. */
const SECTIONS: readonly [Listed, ...Listed[]] = [
  ['delete', 'Delete', '-'],
  ['replace', 'Replace', '±'],
  ['update', 'Update', '~'],
  ['create', 'Create', '+'],
];

export function pageOfPlan(report: Lazy<PlanReport>): Page {
  const { risks, unclaimed, problems } = report;
  const sections = [...sectionsOf(report), ...listSection('Unclaimed', unclaimed)];
  return {
    title: titleOf(report),
    tone: toneOf(report),
    facts: factsOf(report),
    next: nextOf(report),
    risks: risks.map(({ address, message }) => ({ name: address, text: message })),
    problems,
    sections,
    totals: totalsOf(sections),
    steps: stepsOf(report.changes),
    closing: closingOf(report),
  };
}

function titleOf({ result, summary, undoes, environment }: Lazy<PlanReport>): string {
  const plan = undoes === undefined ? 'Plan' : `Undo of run ${undoes.run}`;
  const what = environment === undefined ? plan : `${plan} for ${environment}`;
  const counts = SECTIONS.filter(([action]) => summary[action] > 0)
    .map(([action]) => `${summary[action]} to ${action}`)
    .join(', ');
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

function toneOf({ result, risks }: Lazy<PlanReport>): Tone {
  if (result === 'no-changes') return 'calm';
  if (result !== 'changes') return 'alarm';
  return risks.length > 0 ? 'warning' : 'review';
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
}: ScopeRecord & Partial<Pick<PlanReport, 'snapshot' | 'prune'>>): readonly Fact[] {
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

function sectionsOf({ changes, risks }: Lazy<PlanReport>): readonly Section[] {
  const risky = new Set<string>(risks.map(({ address }) => address));
  const byAction: Record<Action, ChangeRecord[]> = { create: [], update: [], replace: [], delete: [] };
  for (const change of changes) byAction[change.action].push(change);
  return SECTIONS.filter(([action]) => byAction[action].length > 0).map(([action, title, sign]) => {
    const entries = groupEqual(byAction[action]).map((group) => entryOf(group, risky));
    // What deserves a look comes first.
    const sorted = [
      ...entries.filter(({ isRisky }) => isRisky),
      ...entries.filter(({ isRisky }) => !isRisky),
    ];
    return { title, sign, count: byAction[action].length, entries: sorted };
  });
}

function* stepsOf(changes: Iterable<ChangeRecord>): Generator<Step> {
  for (const change of changes) yield stepOf(change);
}

function stepOf(change: ChangeRecord): Step {
  const [, section, sign] = SECTIONS.find(([action]) => action === change.action) ?? SECTIONS[0];
  return { id: nameOf(change), name: change.address, section, sign, after: change.dependsOn };
}

function entryOf(group: Group, risky: ReadonlySet<string>): Entry {
  const [first, ...others] = group;
  return {
    names: [first.address, ...others.map(({ address }) => address)],
    at: group.length === 1 ? first.at : undefined,
    notes: notesOf(first),
    isRisky: group.some(({ address }) => risky.has(address)),
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

/** Objects of which only the names are known. */
export function listSection(title: string, names: readonly string[]): readonly Section[] {
  if (names.length === 0) return [];
  const entries = names.map((name): Entry => ({ names: [name], notes: [], isRisky: false, lines: () => [] }));
  return [{ title, sign: '?', count: names.length, entries }];
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
