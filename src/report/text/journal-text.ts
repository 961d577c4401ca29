import type { ChangeStatus } from '../../apply/journal/change-status.ts';
import { onOneLine } from '../escape.ts';
import type { RunChangeRecord, RunRecord, RunReport } from '../view/run-report.ts';
import type { Paint } from '../paint.ts';
import { symbolOf } from './plan-text.ts';

/** A line a run. */
export function runsText(runs: readonly RunRecord[], paint: Paint): string {
  const rows = runs.map(({ run, result, done, changes, failed, undoes, ...place }) => ({
    run,
    result,
    count: `${done} of ${changes} done${failed === 0 ? '' : `, ${failed} failed`}`,
    place: `${placeText(place)}${undoes === undefined ? '' : `  undo of ${onOneLine(undoes)}`}`,
  }));
  const width = (column: 'result' | 'count'): number => Math.max(0, ...rows.map((row) => row[column].length));
  const lines = rows.map(
    ({ run, result, count, place }) =>
      `${run}  ${paintFor(result, paint)(result.padEnd(width('result')))}  ${count.padEnd(width('count'))}  ${place}\n`,
  );
  return lines.join('');
}

/** What a journal tells of its run: a line a change, totals last. */
export function runText({ run, sittings, changes }: RunReport, paint: Paint): string {
  const who = sittings.map(
    ({ at, tool, pid, host }, place) =>
      `${place === 0 ? 'Begun' : 'Resumed'} at ${at} by ${onOneLine(tool)}, process ${pid} on ${onOneLine(host)}\n`,
  );
  const lines = changes.map((change) => `  ${changeText(change, paint)}\n`);
  const totals = ORDER.map((known) => ({ known, count: changes.filter((one) => one.known === known).length }))
    .filter(({ count }) => count > 0)
    .map(({ known, count }) => `${count} ${WORDS[known]}`);
  const back = run.undoes === undefined ? '' : `Undo of run ${onOneLine(run.undoes)}\n`;
  const head = `${paint.bold(`Run ${run.run} on ${placeText(run)}`)}\n${back}${who.join('')}\n`;
  return `${head}${lines.join('')}\n${paint.bold(`${capital(run.result)}: ${totals.join(', ')}.`)}\n`;
}

const WORDS: Readonly<Record<ChangeStatus, string>> = {
  done: 'done',
  already: 'already so',
  'in-flight': 'in flight',
  half: 'replaced in half',
  failed: 'failed',
  blocked: 'blocked',
  'not-attempted': 'not attempted',
};
const ORDER = Object.keys(WORDS) as readonly ChangeStatus[]; // the keys of a literal

function changeText({ address, action, step, known, why }: RunChangeRecord, paint: Paint): string {
  const what = `${symbolOf(action, paint)} ${onOneLine(address)}${step === undefined ? '' : ` (${step})`}`;
  return `${what}  ${knownText(known, why, paint)}`;
}

function knownText(known: ChangeStatus, why: string | undefined, paint: Paint): string {
  switch (known) {
    case 'done':
    case 'already':
      return paint.green(WORDS[known]);
    case 'in-flight':
      return `${paint.yellow(WORDS[known])}: the gateway knows what came of it`;
    case 'half':
      return `${paint.red(WORDS[known])}: deleted, and not created anew`;
    case 'failed':
      return `${paint.red(WORDS[known])}${why === undefined ? '' : `: ${onOneLine(why)}`}`;
    case 'blocked':
      return paint.yellow(WORDS[known]);
    case 'not-attempted':
      return paint.dim(WORDS[known]);
    default:
      return known satisfies never;
  }
}

function placeText({ gateway, environment }: Pick<RunRecord, 'gateway' | 'environment'>): string {
  return `${onOneLine(gateway)}${environment === undefined ? '' : ` (${onOneLine(environment)})`}`;
}

function paintFor(result: RunRecord['result'], paint: Paint): (text: string) => string {
  return result === 'applied' || result === 'no-changes' ? paint.green : paint.yellow;
}

function capital(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}
