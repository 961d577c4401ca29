import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';
import { nameOf } from '../../outcome/change-record.ts';
import type { Lazy } from '../../outcome/lazy.ts';
import {
  countStatuses,
  type RunChangeRecord,
  type RunRecord,
  type RunReport,
  type RunsReport,
} from '../../outcome/run.ts';
import { OUTCOMES } from './apply-text.ts';
import { alignColumns, renderSymbol } from './phrases.ts';

/** One line for each run. */
export function renderRuns({ runs }: RunsReport, paint: Paint): string {
  const cells = alignColumns(
    runs.map(({ result, done, changes, failed }) => [
      result,
      `${done} of ${changes} done${failed === 0 ? '' : `, ${failed} failed`}`,
    ]),
  );
  const lines = runs.map((one, index) => {
    const { run, result, undoes } = one;
    const [status = '', count = ''] = cells[index] ?? [];
    const colour = result === 'applied' || result === 'no-changes' ? paint.green : paint.yellow;
    const undo = undoes === undefined ? '' : `  undo of ${onOneLine(undoes)}`;
    return `${run}  ${colour(status)}  ${count}  ${formatTarget(one)}${undo}\n`;
  });
  return lines.join('');
}

/** One run: who carried it out, one line for each change, totals last. */
export function* renderRun({ run, sittings, changes }: Lazy<RunReport>, paint: Paint): Generator<string> {
  const who = sittings.map(
    ({ at, tool, pid, host }, index) =>
      `${index === 0 ? 'Started' : 'Resumed'} at ${at} by ${onOneLine(tool)}, process ${pid} on ${onOneLine(host)}\n`,
  );
  const counts = countStatuses(changes);
  const totals = (Object.keys(STATES) as (keyof typeof STATES)[]) // the keys of a literal
    .filter((known) => counts.has(known))
    .map((known) => `${counts.get(known)} ${STATES[known][0]}`);
  const undo = run.undoes === undefined ? '' : `Undo of run ${onOneLine(run.undoes)}\n`;
  const result = `${run.result.charAt(0).toUpperCase()}${run.result.slice(1)}`;
  yield `${paint.bold(`Run ${run.run} on ${formatTarget(run)}`)}\n${undo}${who.join('')}\n`;
  for (const change of changes) yield `  ${renderRunChange(change, paint)}\n`;
  yield `\n${paint.bold(`${result}: ${totals.join(', ')}.`)}\n`;
}

const { done, already, ...notDone } = OUTCOMES;
const STATES = {
  done,
  already,
  'in-flight': ['in flight', 'yellow', ': outcome unknown, check the gateway'],
  half: ['half replaced', 'red', ': deleted, not recreated'],
  ...notDone,
} as const;

function renderRunChange(change: RunChangeRecord, paint: Paint): string {
  const { action, known, why } = change;
  const [words, colour, note = why === undefined ? '' : `: ${onOneLine(why)}`] = STATES[known];
  return `${renderSymbol(action, paint)} ${onOneLine(nameOf(change))}  ${paint[colour](words)}${note}`;
}

function formatTarget({ gateway, environment }: Pick<RunRecord, 'gateway' | 'environment'>): string {
  return `${onOneLine(gateway)}${environment === undefined ? '' : ` (${onOneLine(environment)})`}`;
}
