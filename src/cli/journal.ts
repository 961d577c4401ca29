import { basename, dirname, join } from 'node:path';
import {
  encodePlan,
  encodeRecord,
  JOURNAL_FORMAT,
  journaled,
  type ChangeId,
  type Checked,
  type Entry,
  type Gateway,
  type Journal,
  type JournalRecord,
  type Ledger,
  type Problem,
  type SavedPlan,
  type Sitting,
} from '../index.ts';
import { isOfSystem, reasonOf } from './files.ts';
import type { Io, Lines } from './io.ts';
import { journalFile, planFile } from './journal-folder.ts';
import { TOOL } from './version.ts';

/** A run while it is carried out, and its journal with it. */
export type Keeping = {
  /** Its writes are in the journal before they leave. */
  readonly gateway: Gateway;
  /** Aborted by Ctrl-C, and when the journal cannot be written any more: nothing new may start. */
  readonly signal: AbortSignal;
  readonly ended: (entry: Entry) => void;
  /** Closes the journal once all of it is safe; a problem says that something could not be written. */
  readonly finish: (ledger: Ledger) => Promise<readonly Problem[]>;
};

/** What a journal is begun with, or the one that is gone on with. */
export type Kept = {
  /** Made only for a journal: every secret in it takes a moment. */
  readonly saved: () => SavedPlan;
  readonly resumes?: Journal;
};

/** Begins the journal of a run in a folder, or goes on with one; without a folder none is kept. */
export async function keepJournal(
  folder: string | undefined,
  { saved, resumes }: Kept,
  gateway: Gateway,
  io: Io,
): Promise<Checked<Keeping | undefined>> {
  if (folder === undefined) {
    io.err('No journal is kept: this run can neither be resumed nor undone.\n');
    const nothing = { ended: () => undefined, finish: () => Promise.resolve([]) };
    return { value: { gateway, signal: io.interrupted, ...nothing }, problems: [] };
  }
  try {
    const lines = await (resumes === undefined ? begin(folder, saved(), io) : goOn(folder, resumes, io));
    return { value: keeper(lines, folder, resumes?.calls ?? 0, gateway, io), problems: [] };
  } catch (error) {
    if (!isOfSystem(error)) throw error;
    return { value: undefined, problems: [unwritable(folder, error)] };
  }
}

/** The plan is there before the journal's first line, and both before the first call. */
async function begin(folder: string, plan: SavedPlan, io: Io): Promise<Lines> {
  const home = dirname(folder);
  if (basename(home) === '.gwconf' && !io.exists(home)) {
    await io.writePrivately(join(home, '.gitignore'), '*\n');
  }
  const run = nameOfRun(io);
  const path = journalFile(folder, run);
  await io.writePrivately(planFile(folder, run), encodePlan(plan));
  const started: JournalRecord = {
    type: 'started',
    format: JOURNAL_FORMAT,
    run,
    gateway: plan.gateway,
    ...(plan.environment === undefined ? {} : { environment: plan.environment }),
    plan: plan.digest,
    changes: plan.changes.length,
    ...sittingOf(io),
  };
  await io.writePrivately(path, encodeRecord(started));
  return io.openLines(path);
}

async function goOn(folder: string, { started }: Journal, io: Io): Promise<Lines> {
  const lines = await io.openLines(journalFile(folder, started.run));
  await lines.add(`\n${encodeRecord({ type: 'resumed', ...sittingOf(io) })}`); // the last line may be torn
  return lines;
}

/** Sorts by time: `20261120T131500.123Z-x7k2`. */
function nameOfRun(io: Io): string {
  const letters = io.random().replaceAll(/[^a-z0-9]/gi, '');
  return `${io.now().toISOString().replaceAll(/[-:]/g, '')}-${letters.slice(0, 4).toLowerCase()}`;
}

function sittingOf({ self, now }: Io): Sitting {
  return { at: now().toISOString(), tool: TOOL, ...self };
}

function keeper(lines: Lines, folder: string, before: number, gateway: Gateway, io: Io): Keeping {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  io.interrupted.addEventListener('abort', abort);
  if (io.interrupted.aborted) abort();

  let failure: unknown;
  const record = async (one: JournalRecord): Promise<void> => {
    try {
      await lines.add(encodeRecord(one));
    } catch (error) {
      failure ??= error;
      abort();
      throw error;
    }
  };
  const note = (one: JournalRecord): void => void record(one).catch(() => undefined); // told by finish
  const now = (): string => io.now().toISOString();
  const told = new Set<ChangeId>();
  const ended = (entry: Entry): void => {
    const { id, address, step, outcome } = entry;
    told.add(id);
    const why = entry.outcome === 'failed' ? { why: entry.problem.message } : {};
    note({ type: 'ended', address, ...(step === undefined ? {} : { step }), outcome, ...why });
  };
  return {
    gateway: journaled(gateway, record, { now, before }),
    signal: stop.signal,
    ended,
    async finish({ result, entries }) {
      io.interrupted.removeEventListener('abort', abort);
      for (const entry of entries) if (!told.has(entry.id)) ended(entry);
      await record({ type: 'finished', result, at: now() }).catch(() => undefined);
      await lines.close();
      return failure === undefined ? [] : [unwritable(folder, failure)];
    },
  };
}

function unwritable(folder: string, error: unknown): Problem {
  return {
    code: 'unwritable-journal',
    severity: 'error',
    message: `the journal of the run cannot be written in ${folder}: ${reasonOf(error)}`,
    hint: 'see to it that it can be, or name another folder with --journal; with --journal none a run can neither be resumed nor undone',
  };
}
