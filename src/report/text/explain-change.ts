import { idOf, isStep, type Change, type ChangeId } from '../../plan/change/plan.ts';
import type { ShownPlan } from '../../plan/secrets/redact.ts';
import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';
import { symbolOf } from './plan-text.ts';

/**
 * Why a plan changes an object, why at this place, and which line asks for it: for its own change and any extra step.
 * Undefined when the plan does not know the address, or finds nothing to do there.
 */
export function explainChange(plan: ShownPlan, address: string, paint: Paint): string | undefined {
  const found = plan.changes.flatMap((change, at) =>
    change.address === address || idOf(change) === address ? [{ change, at }] : [],
  );
  if (found.length > 0) {
    return found.map(({ change, at }) => changeText(plan, change, at, paint)).join('\n');
  }
  const has = (list: readonly string[]): boolean => list.includes(address);
  if (has(plan.unclaimed)) {
    return `${onOneLine(address)} is managed here and in no file: unclaimed; this plan leaves it alone, --prune deletes it.\n`;
  }
  const ignored = plan.ignored.filter((one) => one.address === address);
  if (ignored.length > 0) return ignored.map(ignoredText).join('');
  if (!has(plan.unmanaged)) return undefined;
  return `${onOneLine(address)} is on the gateway and in no file; this plan leaves it alone.\n`;
}

function ignoredText({ address, path, reason }: ShownPlan['ignored'][number]): string {
  const what = path === undefined ? onOneLine(address) : `${onOneLine(path)} of ${onOneLine(address)}`;
  return `${what} is ignored, and stays as it is on the gateway: ${onOneLine(reason)}\n`;
}

function changeText(plan: ShownPlan, change: Change, at: number, paint: Paint): string {
  const line = change.at === undefined ? undefined : `${change.at.file}:${change.at.line}`;
  const waiting = plan.changes.filter(({ dependsOn }) => dependsOn.includes(idOf(change)));
  const byId = new Map(plan.changes.map((one) => [idOf(one), one]));
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['why', [whyText(plan, change)]],
    ...(change.reason === undefined || isStep(change) ? [] : [['why here', [change.reason]] as const]),
    ['line', [line ?? 'none: no file mentions it']],
    ['place', [`${at + 1} of ${plan.changes.length}, ${stageText(plan, change)}`]],
    ['waits for', namesOf(change.dependsOn, byId)],
    ['is waited for by', namesOf(waiting.map(idOf), byId)],
  ];
  const body = rows.map(([label, [first = 'nothing', ...rest]]) =>
    [
      `    ${paint.dim(`${label}:`.padEnd(18))}${onOneLine(first)}\n`,
      ...rest.map((text) => `    ${' '.repeat(18)}${onOneLine(text)}\n`),
    ].join(''),
  );
  return `  ${symbolOf(change.action, paint)} ${paint.bold(onOneLine(idOf(change)))}\n${body.join('')}`;
}

function whyText({ prune, undoes }: ShownPlan, change: Change): string {
  if (isStep(change)) return `an extra step: it ${change.reason ?? 'lets go first'}`;
  if (undoes !== undefined) return `it takes back what run ${undoes.run} has done`;
  switch (change.action) {
    case 'create':
      return change.movedFrom === undefined
        ? 'files declare it, and the gateway does not have it'
        : `files declare it, and move ${change.movedFrom} to it`;
    case 'update':
      return `the gateway has it with another ${pathsOf(change.fields)}`;
    case 'replace':
      return `the gateway has it with another ${pathsOf(change.fields)}, and does not change ${change.because.join(' and ')} in place: it is deleted and created anew`;
    case 'delete':
      if (change.movedTo !== undefined) return `files move it to ${change.movedTo}: ${change.removal ?? ''}`;
      if (change.removal !== undefined) return `files remove it by its name: ${change.removal}`;
      return `it is unclaimed: no file mentions it, and prune deletes what matches ${(prune ?? []).join(', ')}`;
    default:
      return change satisfies never;
  }
}

function pathsOf(fields: readonly { readonly path: string }[]): string {
  const paths = [...new Set(fields.map(({ path }) => path))];
  return paths.length > 5 ? `${paths.slice(0, 5).join(', ')} and ${paths.length - 5} more` : paths.join(', ');
}

function stageText({ changes }: ShownPlan, { stage }: Change): string {
  if (stage === 1) return 'in stage 1, which makes things and lets go of them';
  const first = changes.filter((change) => change.stage === 1).length;
  return `in stage 2, the deletes, which ${first === 0 ? 'nothing comes before' : `start when the ${first} of stage 1 are done`}`;
}

const MOST = 20;

function namesOf(ids: readonly ChangeId[], changes: ReadonlyMap<ChangeId, Change>): readonly string[] {
  const named = ids.slice(0, MOST).map((id) => {
    const action = changes.get(id)?.action;
    return action === undefined ? id : `${action} ${id}`;
  });
  return ids.length > MOST ? [...named, `and ${ids.length - MOST} more`] : named;
}
