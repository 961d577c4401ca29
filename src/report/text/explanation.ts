import { onOneLine } from '../escape.ts';
import type { Paint } from './layout.ts';
import { nameOf, type ChangeRecord } from '../../outcome/change-record.ts';
import { CAUSE_WORDS } from '../page/causes.ts';
import { fateOf } from '../../plan/causes/given-up.ts';
import type { PlanReport } from '../../outcome/plan.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import { formatCount, renderSymbol } from '../phrases.ts';
import { snapshotFacts } from '../page/plan-page.ts';
import { renderFacts } from './text.ts';

/**
 * Why a plan changes an object or leaves it alone, and what each of its changes waits for. Undefined for an address that
 * the plan does not know or that needs no change.
 */
export function renderExplanation(
  report: Lazy<PlanReport>,
  address: string,
  paint: Paint,
): string | undefined {
  const changes = [...report.changes];
  const found = changes.flatMap((change, index) =>
    change.address === address || nameOf(change) === address
      ? [explainChange(report, changes, index, paint)]
      : [],
  );
  const text = found.length > 0 ? found.join('\n') : explainUnchanged(report, address);
  return text === undefined
    ? undefined
    : `${report.snapshot === undefined ? '' : renderFacts(snapshotFacts(report.snapshot), paint)}${text}`;
}

function explainUnchanged(
  { unclaimed, ignored, unmanaged, base }: Lazy<PlanReport>,
  address: string,
): string | undefined {
  const name = onOneLine(address);
  const given = base?.undeclared?.find((one) => one.address === address);
  if (given !== undefined)
    return `${name} is no longer ${given.removed === true ? 'removed' : 'declared'} by this branch: it ${onOneLine(fateOf(given))}. The base has it in ${onOneLine(given.was.file)}:${given.was.line}.\n`;
  if (unclaimed.includes(address))
    return `${name} is unclaimed: it is managed here, but in no file. This plan leaves it alone; --prune deletes it.\n`;
  const rules = ignored.filter((one) => one.address === address);
  if (rules.length > 0)
    return rules
      .map(({ path, reason }) => {
        const what = path === undefined ? name : `${onOneLine(path)} of ${name}`;
        return `${what} is ignored and stays as it is on the gateway: ${onOneLine(reason)}\n`;
      })
      .join('');
  return unmanaged.includes(address)
    ? `${name} is on the gateway and in no file. This plan leaves it alone.\n`
    : undefined;
}

/** Of several causes, each with its fields. */
function causesOf({ cause, fields }: ChangeRecord): readonly string[] {
  if (cause !== undefined && cause !== 'mixed') return [CAUSE_WORDS[cause]];
  return fields.flatMap(({ path, cause: own }) =>
    own === undefined ? [] : [`${CAUSE_WORDS[own]}: ${path}`],
  );
}

function explainChange(
  report: Lazy<PlanReport>,
  changes: readonly ChangeRecord[],
  index: number,
  paint: Paint,
): string {
  const change = changes[index];
  if (change === undefined) return '';
  const { at, reason, step, dependsOn } = change;
  const dependents = changes.filter((other) => other.dependsOn.includes(nameOf(change))).map(nameOf);
  const actions = new Map(changes.map((one) => [nameOf(one), one.action]));
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['reason', [describeReason(report, change)]],
    ...(change.cause === undefined ? [] : [['cause', causesOf(change)] as const]),
    ...(reason === undefined || step !== undefined ? [] : [['order', [reason]] as const]),
    ['file', [at === undefined ? 'none' : `${at.file}:${at.line}`]],
    ['position', [`${index + 1} of ${changes.length}, ${describeStage(changes, change)}`]],
    ['depends on', listNames(dependsOn, actions)],
    ['required by', listNames(dependents, actions)],
  ];
  const body = rows.map(([label, [first = 'nothing', ...rest]]) =>
    [
      `    ${paint.dim(`${label}:`.padEnd(13))}${onOneLine(first)}\n`,
      ...rest.map((text) => `    ${' '.repeat(13)}${onOneLine(text)}\n`),
    ].join(''),
  );
  return `  ${renderSymbol(change.action, paint)} ${paint.bold(onOneLine(nameOf(change)))}\n${body.join('')}`;
}

function describeReason({ prune = [], undoes }: Lazy<PlanReport>, change: ChangeRecord): string {
  const { action, step, reason, movedFrom, movedTo, removal, because = [] } = change;
  if (step !== undefined) return `extra step: ${reason ?? step}`;
  if (undoes !== undefined) return `undoes run ${undoes.run}`;
  const differs = `different on the gateway: ${listPaths(change)}`;
  switch (action) {
    case 'create':
      return `declared, but not on the gateway${movedFrom === undefined ? '' : `; moved from ${movedFrom}`}`;
    case 'update':
      return differs;
    case 'replace':
      return `${differs}; deleted and recreated, because ${because.join(' and ')} cannot be changed in place`;
    case 'delete':
      if (removal === undefined) return `unclaimed: in no file, and pruned by ${prune.join(', ')}`;
      return `${movedTo === undefined ? 'removed by name' : `moved to ${movedTo}`}: ${removal}`;
    default:
      return action satisfies never;
  }
}

function listPaths({ fields }: ChangeRecord): string {
  const paths = [...new Set(fields.map(({ path }) => path))];
  return paths.length > 5 ? `${paths.slice(0, 5).join(', ')} and ${paths.length - 5} more` : paths.join(', ');
}

function describeStage(changes: readonly ChangeRecord[], { stage }: ChangeRecord): string {
  if (stage === 1) return 'in stage 1';
  const before = changes.filter((change) => change.stage === 1).length;
  const after = before === 0 ? '' : `, which starts after the ${formatCount(before, 'change')} of stage 1`;
  return `in stage 2 (deletes)${after}`;
}

const MOST_NAMES = 20;

function listNames(
  names: readonly string[],
  actions: ReadonlyMap<string, ChangeRecord['action']>,
): readonly string[] {
  const listed = names.slice(0, MOST_NAMES).map((name) => {
    const action = actions.get(name);
    return action === undefined ? name : `${action} ${name}`;
  });
  return names.length > MOST_NAMES ? [...listed, `and ${names.length - MOST_NAMES} more`] : listed;
}
