import { formatCount } from '../../model/text/list.ts';
import { formatDuration } from '../../model/text/quantities.ts';
import type { Limit, Limited } from '../../model/rules.ts';
import { isLoss } from '../../plan/checks/exposures.ts';
import { limitText } from '../../plan/checks/limits.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import type { BaseRecord, PlanReport, ScopeRecord } from '../../outcome/plan.ts';
import { fewInTurn } from '../most-telling.ts';
import { countLeftAlone, formatCounts, ifAny, comparedOnly } from '../phrases.ts';
import { countOthers, describeBehind } from './causes.ts';
import { countActions, listChanges } from './changes.ts';
import { groupEffects } from './effects.ts';
import type { Consequence } from './principals.ts';
import { losingAddresses, lossBlocks } from './losses.ts';
import { countGivenUp, givenUpOf, findGivenUp, isTold } from './given-up.ts';
import { factOf, listSection, makeEntry, makePage, notesOf } from './make-page.ts';
import type { Ending, Fact, Losses, Notes, Page, Tone } from './page.ts';
import { totalsOf } from './totals.ts';

export function pageOfPlan(report: Lazy<PlanReport>): Page {
  const { changes, base, undoes } = report;
  const risky = new Set([...report.risks.map(({ address }) => address), ...losingAddresses(report)]);
  const isGivenUp = findGivenUp(base);
  const unclaimed = report.unclaimed.filter((name) => !isGivenUp(name));
  const listed = listChanges(changes, base?.causes !== undefined, risky);
  const orphaned = listSection(
    'Orphaned',
    '?',
    unclaimed.map((name) => makeEntry(name)),
    {
      heading:
        'Orphaned (managed by this project, but in no file). Declare them, name them in a Removal, or delete them with --prune',
      fold: 'names',
    },
  );
  return makePage(report, {
    title: titleOf(report),
    tone: toneOf(report),
    facts: factsOf(report),
    next: nextOf(report),
    problems: report.problems.filter((one) => !isTold(one) && !isLoss(one)),
    blocks: [
      ...lossBlocks(report),
      ...givenUpOf(base, report.manages !== undefined),
      ...risksOf(report),
      listed,
      ...lossesOf(undoes),
      {
        block: 'consequences',
        title: 'Affected clients',
        weight: 'effect',
        consequences: effectsOf(report),
      },
      ...orphaned,
    ],
    totals: totalsOf(listed.sections, orphaned),
    closing: closingOf(report),
    ending: endingOf(report),
  });
}

function effectsOf({ effects = [], changes }: Lazy<PlanReport>): readonly Consequence[] {
  if (effects.length === 0) return [];
  return groupEffects(effects, new Map(Array.from(changes, ({ address, action }) => [address, action])));
}

function risksOf({ risks }: Lazy<PlanReport>): readonly Notes[] {
  const notes = fewInTurn([...risks], ({ message }) => message).map(({ address, message }) => ({
    name: address,
    text: message,
  }));
  return notesOf('Risks', 'risk', 'marked', notes);
}

/** What an undo does not restore. */
export function lossesOf(undoes: PlanReport['undoes']): readonly Losses[] {
  return undoes === undefined || undoes.losses.length === 0
    ? []
    : [{ block: 'losses', losses: undoes.losses }];
}

function titleOf({
  result,
  summary,
  undoes,
  environment,
  base,
  snapshot,
  selection,
}: Lazy<PlanReport>): string {
  const plan = undoes === undefined ? 'Plan' : `Undo of run ${undoes.run}`;
  const what = environment === undefined ? plan : `${plan} for ${environment}`;
  const counts = base?.causes === undefined ? countActions(summary) : countByCause(base, base.causes);
  const where = comparedOnly(snapshot?.cannotTell ?? 0, selection);
  switch (result) {
    case 'error':
    case 'stale': // a snapshot of something else
      return `${what} failed`;
    case 'blocked':
      return `${what} is blocked${counts === '' ? '' : `: ${counts}`}`;
    default:
      return `${what}: ${[counts === '' ? `no changes${where}` : counts, ...countGivenUp(base)].join(', ')}`;
  }
}

/** What this branch does, and how much others did; empty if nobody did anything. */
function countByCause(base: BaseRecord, { branch }: NonNullable<BaseRecord['causes']>): string {
  const [own, others] = [countActions(branch), countOthers(base)];
  if (others.length === 0) return own;
  return `${own === '' ? 'nothing by this branch' : `${own} by this branch`}, ${others.join(', ')}`;
}

function toneOf(report: Lazy<PlanReport>): Tone {
  const { result, risks, base } = report;
  const isGiving =
    countGivenUp(base).length > 0 ||
    report.problems.some(({ code }) => code === 'taken-over-loss' || code === 'unknown-causes');
  if (result === 'no-changes') return isGiving ? 'warning' : 'calm';
  if (result !== 'changes') return 'alarm';
  return isGiving || risks.length > 0 || losingAddresses(report).size > 0 ? 'warning' : 'review';
}

function nextOf({ result, undoes, problems }: Lazy<PlanReport>): string | undefined {
  switch (result) {
    case 'changes':
      return undoes === undefined ? 'Nothing is changed until this plan is applied.' : undefined;
    case 'blocked':
      return problems.every((one) => one.severity !== 'error' || isLoss(one))
        ? 'Nothing can be applied until the loss of protection is solved or accepted.'
        : 'Nothing can be applied until the problems are solved.';
    default:
      return undefined;
  }
}

/** What was looked at, and within which rules. */
export function factsOf(
  report: ScopeRecord &
    Partial<Pick<PlanReport, 'snapshot' | 'prune' | 'limits' | 'base' | 'undoes' | 'problems'>>,
): readonly Fact[] {
  const { selection, snapshot, prune, limits, base, undoes, problems = [] } = report;
  return [
    ...(snapshot === undefined ? [] : snapshotFacts(snapshot)),
    ...placeFacts(report),
    ...(undoes === undefined ? [] : factOf('Undo of', undoes.run, { line: `Undo of run ${undoes.run}` })),
    ...selectionFacts(selection),
    ...factOf('Prune deletes', prune?.join(', '), {
      line: `Prune deletes orphaned objects that match ${prune?.join(', ') ?? ''}`,
    }),
    ...(limits === undefined ? [] : limitFacts(limits)),
    ...(base === undefined ? [] : [...baseFacts(base), ...knownFacts(problems)]),
  ];
}

/** The age of the snapshot that was compared. */
export function snapshotFacts(snapshot: NonNullable<PlanReport['snapshot']>): readonly Fact[] {
  const { takenAt, ageSeconds, cannotTell } = snapshot;
  const taken = `of ${takenAt}, ${formatDuration(ageSeconds)} old`;
  const facts = factOf('Snapshot', taken, { isCode: false, line: `Compared with a snapshot ${taken}` });
  if (cannotTell === 0) return facts;
  const fields = formatCount(cannotTell, 'field');
  const line = `${fields} whose value is not known here, treated as unchanged`;
  const about = { isCode: false, line, isAside: true };
  return [...facts, ...factOf('Unknown here', `${fields}, treated as unchanged`, about)];
}

export function selectionFacts(selection: ScopeRecord['selection']): readonly Fact[] {
  if (selection === undefined) return [];
  const { target, exclude, unselected } = selection;
  const flags = [
    ...target.map((glob) => `--target ${glob}`),
    ...exclude.map((glob) => `--exclude ${glob}`),
  ].join(' ');
  const line = `Narrowed by ${flags}: ${formatCount(unselected, 'object')} not selected`;
  return [
    { label: 'Narrowed by', text: flags, isCode: true, line },
    { label: 'Not selected', text: String(unselected), isCode: false },
  ];
}

function limitFacts({ deletes, updates }: Limited): readonly Fact[] {
  const may = (verb: string, limit: Limit | undefined): readonly string[] =>
    limit === undefined ? [] : [`${verb} ${limitText(limit)}`];
  const text = [...may('delete', deletes), ...may('update', updates)].join(' and ');
  return [{ label: 'This run may', text, isCode: false, line: `This run may ${text}` }];
}

function baseFacts(base: BaseRecord): readonly Fact[] {
  const { ref, commit, lacks } = base;
  const at = commit.slice(0, 10);
  const lacking =
    lacks &&
    `has no ${lacks === 'project' ? 'gwconf.yaml here' : 'such environment'}: rules are compared with the usual ones`;
  const behind = describeBehind(base);
  return [
    { label: 'Base', text: `${ref} at ${at}`, isCode: true, line: `Base ${ref}, at ${at}` },
    ...factOf('The base', lacking, { isCode: false, line: `The base ${lacking ?? ''}` }),
    ...factOf('Branch', behind, { isCode: false, line: `This branch is ${behind ?? ''}` }),
  ];
}

/** How much of what is wrong with the files is not told again. */
function knownFacts(problems: PlanReport['problems']): readonly Fact[] {
  const known = problems.filter(({ severity, inBase }) => severity !== 'error' && inBase === true);
  if (known.length === 0) return [];
  const notes = known.filter(({ severity }) => severity === 'info').length;
  const parts = [
    ...(notes === known.length ? [] : [formatCount(known.length - notes, 'warning')]),
    ...(notes === 0 ? [] : [formatCount(notes, 'note')]),
  ];
  const text = `${parts.join(' and ')} on files, also in the base; gwconf validate shows them`;
  return [{ label: 'Not repeated', text, isCode: false, line: `Not repeated: ${text}` }];
}

/** Which gateway an outcome is about. */
export function placeFacts({
  gateway,
  environment,
}: Pick<ScopeRecord, 'gateway' | 'environment'>): readonly Fact[] {
  const where = environment === undefined ? '' : `, environment ${environment}`;
  return [
    ...factOf('Environment', environment),
    ...factOf('Gateway', gateway, { line: `Gateway ${gateway}${where}` }),
  ];
}

function closingOf({ summary, result }: Lazy<PlanReport>): string {
  if (result === 'error') return '';
  return [...ifAny(summary.unchanged, 'unchanged'), ...countLeftAlone(summary)].join(', ');
}

function endingOf({ summary, selection, manages, base, snapshot, undoes }: Lazy<PlanReport>): Ending {
  const { unchanged, ignored, unclaimed } = summary;
  const lost = undoes?.losses.filter(({ leftOut }) => leftOut).length ?? 0;
  const left = [
    ...ifAny(ignored, 'ignored'),
    ...ifAny(unclaimed, 'orphaned'),
    ...ifAny(lost, 'not undone'),
    ...countGivenUp(base),
  ];
  const untouched = `${left.map((words) => ` ${words}.`).join('')}${describeUnmanaged(summary, manages)}`;
  if (summary.create + summary.update + summary.replace + summary.delete > 0)
    return {
      headline: `Plan: ${formatCounts(summary)}.`,
      rest: `${describeCauses(base)} ${unchanged} unchanged.${untouched}`,
    };
  const where = comparedOnly(snapshot?.cannotTell ?? 0);
  return selection === undefined
    ? {
        headline: `No changes${where}.`,
        rest: ` ${formatCount(unchanged, 'object')} up to date.${untouched}`,
      }
    : {
        headline: `Nothing to do for the ${formatCount(unchanged, 'selected object')}${where}`,
        rest: `; ${selection.unselected} not selected.${untouched}`,
      };
}

/** How many of the changes are whose. */
function describeCauses(base: BaseRecord | undefined): string {
  if (base?.causes === undefined) return '';
  const own = Object.values(base.causes.branch).reduce((sum, one) => sum + one, 0);
  return ` Of these, ${[`${own} by this branch`, ...countOthers(base)].join(', ')}.`;
}

/** Objects that are on the gateway and in no file, and that this project does not manage. */
export function describeUnmanaged(
  { unmanaged }: { readonly unmanaged: number },
  manages: readonly string[] | undefined,
): string {
  if (unmanaged === 0) return '';
  const isOne = unmanaged === 1;
  return manages === undefined
    ? ` ${formatCount(unmanaged, 'object')} on the gateway ${isOne ? 'is in no file and stays' : 'are in no file and stay'} unchanged.`
    : ` ${formatCount(unmanaged, 'other object')} ${isOne ? 'is' : 'are'} not managed by this project.`;
}
