import { join } from 'node:path';
import type { Journal } from '../../apply/journal/journal.ts';
import { invalidJournal, readJournal, unread } from '../../apply/journal/read-journal.ts';
import { addAll } from '../../model/collect.ts';
import type { Checked, Problem } from '../../model/problem.ts';
import { suggest } from '../../model/text/suggest.ts';
import type { Host } from '../host.ts';
import { RequestError, reasonOf } from '../system-error.ts';

const JOURNAL = '.ndjson';

export function journalFile(folder: string, run: string): string {
  return join(folder, `${run}${JOURNAL}`);
}

/** The plan that a run carries out. */
export function planFile(folder: string, run: string): string {
  return join(folder, `${run}.plan.json`);
}

/** The plan that undoes a run. */
export function undoFile(folder: string, run: string): string {
  return join(folder, `${run}.undo.json`);
}

export const PLAN_ANEW = 'make a new plan from files with the state that you want';

/** The problem of a run without a file that it has beside its journal. */
export function checkThere(host: Host, path: string): Problem | undefined {
  if (host.exists(path)) return undefined;
  return invalidJournal(`${path} is not there`, PLAN_ANEW);
}

/** The names of the runs that have a journal in this folder, newest first: by their numbers, since clocks are set back. */
export async function listRuns(host: Host, folder: string): Promise<readonly string[]> {
  const names = (await host.namesIn(folder)).filter((name) => name.endsWith(JOURNAL));
  const runs = names.map((name) => name.slice(0, -JOURNAL.length)).reverse();
  return runs.sort((one, other) => numberOf(other) - numberOf(one));
}

/** The names of what was applied to several environments at once, newest first: `fleet-0007`. */
export async function listFleets(host: Host, folder: string): Promise<readonly string[]> {
  const found = (await host.namesIn(folder)).flatMap(
    (name) => /^(fleet-\d{4,9})\.json$/.exec(name)?.[1] ?? [],
  );
  return found.sort((one, other) => fleetNumber(other) - fleetNumber(one));
}

/** Makes the file of a new one, which no other command has, and returns its name. It is empty until there are plans to carry out. */
export async function beginFleet(host: Host, folder: string): Promise<string> {
  const [newest = 'fleet-0'] = await listFleets(host, folder);
  for (let number = fleetNumber(newest) + 1; ; number += 1) {
    const name = `fleet-${String(number).padStart(4, '0')}`;
    if (await host.createFile(fleetFile(folder, name), '')) return name;
  }
}

function fleetNumber(name: string): number {
  return Number(name.slice('fleet-'.length));
}

/** The report of the plans that are carried out in several environments. */
export function fleetFile(folder: string, fleet: string): string {
  return join(folder, `${fleet}.json`);
}

export function fleetPlan(folder: string, fleet: string, environment: string): string {
  return join(folder, `${fleet}.${encodeURIComponent(environment)}.plan.json`);
}

/** The newest run that carries out the plan of this digest, and fits. Where there is none, journals of it that cannot be read are problems. */
export async function findRunOf(
  host: Host,
  folder: string,
  plan: string,
  fits: (journal: Journal) => boolean | Promise<boolean> = () => true,
): Promise<Checked<Journal | undefined>> {
  const unread: Problem[] = [];
  for (const run of await listRuns(host, folder)) {
    const { value: journal, problems } = await readRun(host, folder, run, (text) => text.includes(plan));
    if (journal?.started.plan === plan && (await fits(journal))) return { value: journal, problems: [] };
    if (journal === undefined) addAll(unread, problems);
  }
  return { value: undefined, problems: unread };
}

/** Whether a run has made all of its changes. */
export function isApplied({ finished }: Journal): boolean {
  return finished?.result === 'applied';
}

/** The name of a new run, such as `0007-20261120T131500.123Z-x7k2`: its number in this folder, its time, and random letters. */
export async function makeRunName(host: Host, folder: string): Promise<string> {
  const [newest = ''] = await listRuns(host, folder);
  const number = String(Math.min(numberOf(newest) + 1, MOST_RUNS)).padStart(4, '0');
  const time = host.now().toISOString().replaceAll(/[-:]/g, '');
  const letters = host.random().replaceAll(/[^a-z0-9]/gi, '');
  return `${number}-${time}-${letters.slice(0, 4).toLowerCase()}`;
}

/** Runs with this number, which only a forged name leads to, are told apart by their times. */
const MOST_RUNS = 999_999_999;

/** 0 for the name of a run that was begun before runs had numbers. */
function numberOf(run: string): number {
  return Number(/^(\d{1,9})-/.exec(run)?.[1] ?? 0);
}

/** Reads the journal of a run, by its name or its number. Throws a RequestError when there is none. */
export async function openJournal(
  host: Host,
  folder: string,
  run: string,
): Promise<Checked<Journal | undefined>> {
  return readRun(host, folder, await nameOfRun(host, folder, run));
}

/** The name of a run, by its name or its number. Throws a RequestError when there is none. */
export async function nameOfRun(host: Host, folder: string, run: string): Promise<string> {
  const runs = await listRuns(host, folder);
  if (runs.includes(run)) return run;
  const numbered =
    /^\d{1,9}$/.test(run) && Number(run) > 0 ? runs.filter((one) => numberOf(one) === Number(run)) : [];
  const [only, another] = numbered;
  if (only !== undefined && another === undefined) return only;
  if (only !== undefined)
    throw new RequestError(
      `${folder} has several runs with the number ${run}: name one of ${numbered.join(', ')}`,
      { code: 'unknown-run' },
    );
  const near = suggest(run, runs);
  const hint = near === undefined ? '' : `; did you mean ${near}`;
  throw new RequestError(`there is no run ${run} in ${folder}${hint}`, { code: 'unknown-run' });
}

/** The journal of a run, or a problem where it cannot be understood; undefined where its text is not wanted. */
export async function readRun(
  host: Host,
  folder: string,
  run: string,
  isWanted: (text: string) => boolean = () => true,
): Promise<Checked<Journal | undefined>> {
  const path = journalFile(folder, run);
  let text: string;
  try {
    text = await host.readFile(path);
  } catch (error) {
    return unread(`${path} cannot be read: ${reasonOf(error)}`);
  }
  if (!isWanted(text)) return { value: undefined, problems: [] };
  const read = readJournal(text, path);
  if (read.value === undefined || read.value.started.run === run) return read;
  // The names of its other files would be those of other runs, perhaps in other folders.
  return unread(`${path} is the journal of another run`);
}
