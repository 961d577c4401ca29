import { inPieces } from '../../model/json/pieces.ts';
import type { Limited } from '../../model/rules.ts';
import { limitText } from '../../plan/checks/limits.ts';
import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';
import type { TextOptions } from './text-options.ts';
import { countOthers, describeBehind } from '../page/causes.ts';
import type { BaseRecord, FromSnapshot, PlanReport, ScopeRecord } from '../../outcome/plan.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import { renderLoss } from './change-text.ts';
import { renderByCause } from './causes-text.ts';
import { renderEffects, renderLosses } from './fates-text.ts';
import { renderChanges } from './changes-text.ts';
import { wrap } from './wrap.ts';
import { formatDuration } from '../../model/text/quantities.ts';
import { formatCount, formatCounts } from './phrases.ts';

/** In pieces, because a plan can be long. */
export function renderPlan(report: Lazy<PlanReport>, options: TextOptions): Iterable<string> {
  return inPieces(partsOf(report, options));
}

function* partsOf(report: Lazy<PlanReport>, options: TextOptions): Generator<string> {
  const { paint } = options;
  yield renderSnapshot(report.snapshot, paint);
  yield renderHeader(report, paint);
  yield* renderLosses(report, options);
  yield renderRisks(report, options);
  if (report.base?.causes === undefined) yield* renderChanges(report.changes, options);
  else yield* renderByCause(report, options);
  if (report.changes.length > 0) yield '\n';
  const losses = report.undoes?.losses ?? [];
  if (losses.length > 0) yield `${losses.map((loss) => `  ${renderLoss(loss, paint)}\n`).join('')}\n`;
  yield renderEffects(report, options);
  yield renderUnclaimed(report, paint);
  yield renderTotals(report, paint);
}

/** The age of the snapshot that was compared; empty for a plan against a gateway. */
export function renderSnapshot(snapshot: FromSnapshot | undefined, paint: Paint): string {
  if (snapshot === undefined) return '';
  const { takenAt, ageSeconds, cannotTell } = snapshot;
  const age = `Compared with a snapshot of ${onOneLine(takenAt)}, ${formatDuration(ageSeconds)} old`;
  const unknown =
    cannotTell === 0 ? '' : `${formatCount(cannotTell, 'field')} not compared, treated as unchanged\n`;
  return `${paint.bold(age)}\n${unknown}`;
}

export function renderHeader(
  {
    gateway,
    environment,
    selection,
    prune,
    limits,
    base,
    undoes,
  }: ScopeRecord & Partial<Pick<PlanReport, 'prune' | 'limits' | 'base' | 'undoes'>>,
  paint: Paint,
): string {
  const behind = base === undefined ? undefined : describeBehind(base);
  const lines = [
    `Gateway ${onOneLine(gateway)}${environment === undefined ? '' : `, environment ${onOneLine(environment)}`}`,
    ...(undoes === undefined ? [] : [`Undo of run ${onOneLine(undoes.run)}`]),
    ...(selection === undefined ? [] : [describeSelection(selection)]),
    ...(prune === undefined
      ? []
      : [`Prune deletes unclaimed objects that match ${prune.map(onOneLine).join(', ')}`]),
    ...(limits === undefined ? [] : [describeLimits(limits)]),
    ...(base === undefined ? [] : [`Base ${onOneLine(base.ref)}, at ${base.commit.slice(0, 10)}`]),
    ...(behind === undefined ? [] : [`This branch is ${onOneLine(behind)}`]),
  ];
  return `${paint.bold(lines.join('\n'))}\n\n`;
}

export function describeSelection({
  target,
  exclude,
  unselected,
}: NonNullable<ScopeRecord['selection']>): string {
  const flags = [
    ...target.map((glob) => `--target ${onOneLine(glob)}`),
    ...exclude.map((glob) => `--exclude ${onOneLine(glob)}`),
  ];
  return `Narrowed by ${flags.join(' ')}: ${formatCount(unselected, 'object')} not selected`;
}

function describeLimits({ deletes, updates }: Limited): string {
  const parts = [
    ...(deletes === undefined ? [] : [`delete ${limitText(deletes)}`]),
    ...(updates === undefined ? [] : [`update ${limitText(updates)}`]),
  ];
  return `This run may ${parts.join(' and ')}`;
}

/** What somebody should look at first. */
function renderRisks({ risks }: Lazy<PlanReport>, { paint, width }: TextOptions): string {
  if (risks.length === 0) return '';
  const lines = risks.slice(0, MOST_NAMES).map(({ address, message }) => {
    const text = `${onOneLine(address)} ${onOneLine(message)}`;
    return `  ${paint.red('!')} ${wrap(text, width === undefined ? undefined : width - 4, 0).join('\n    ')}\n`;
  });
  const more = risks.length > MOST_NAMES ? `  and ${risks.length - MOST_NAMES} more\n` : '';
  return `${paint.bold('Risks:')}\n${lines.join('')}${more}\n`;
}

const MOST_NAMES = 20;

function renderUnclaimed({ unclaimed }: Lazy<PlanReport>, paint: Paint): string {
  if (unclaimed.length === 0) return '';
  const more = unclaimed.length - MOST_NAMES;
  const lines = [
    'Unclaimed (managed here, but in no file). Declare them, name them in a Removal, or delete them with --prune:',
    ...unclaimed.slice(0, MOST_NAMES).map((address) => `    ${onOneLine(address)}`),
    ...(more > 0 ? [`    and ${more} more`] : []),
  ];
  return `${lines.map((line) => `${paint.dim(line)}\n`).join('')}\n`;
}

function renderTotals({ summary, selection, manages, base }: Lazy<PlanReport>, paint: Paint): string {
  const { unchanged, ignored, unclaimed } = summary;
  const untouched = [
    ...(ignored === 0 ? [] : [` ${ignored} ignored.`]),
    ...(unclaimed === 0 ? [] : [` ${unclaimed} unclaimed.`]),
    formatUnmanaged(summary, manages),
  ].join('');
  if (summary.create + summary.update + summary.replace + summary.delete > 0)
    return `${paint.bold(`Plan: ${formatCounts(summary)}.`)}${renderCauses(base)} ${unchanged} unchanged.${untouched}\n`;
  return selection === undefined
    ? `${paint.bold('No changes.')} ${formatCount(unchanged, 'object')} up to date.${untouched}\n`
    : `${paint.bold(`Nothing to do for the ${formatCount(unchanged, 'selected object')}`)}; ${selection.unselected} not selected.${untouched}\n`;
}

/** How many of the changes are whose. */
function renderCauses(base: BaseRecord | undefined): string {
  if (base?.causes === undefined) return '';
  const own = Object.values(base.causes.branch).reduce((sum, one) => sum + one, 0);
  return ` Of these, ${[`${own} by this branch`, ...countOthers(base)].join(', ')}.`;
}

/** Objects that are on the gateway and in no file, and that are not managed here. */
export function formatUnmanaged(
  { unmanaged }: { readonly unmanaged: number },
  manages: readonly string[] | undefined,
): string {
  if (unmanaged === 0) return '';
  if (manages === undefined)
    return ` ${formatCount(unmanaged, 'object')} on the gateway in no file, left unchanged.`;
  return unmanaged === 1 ? ' 1 other is not managed here.' : ` ${unmanaged} others are not managed here.`;
}
