import { basename, dirname, join } from 'node:path';
import type { Entry, Ledger } from '../apply/events.ts';
import {
  makeCallJournal,
  NO_JOURNAL,
  type CallJournal,
  type JournalWriter,
} from '../apply/journal/call-journal.ts';
import {
  encodeRecord,
  JOURNAL_FORMAT,
  type Journal,
  type JournalRecord,
  type RunProcess,
} from '../apply/journal/journal.ts';
import type { Checked, Problem } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import type { ChangeId } from '../plan/change/plan.ts';
import { encodePlan } from '../plan/saved/decode-plan.ts';
import type { SavedPlan } from '../plan/saved/saved-plan.ts';
import { sealUndo } from '../plan/undo/seal-undo.ts';
import type { Undo } from '../plan/undo/undo.ts';
import { catalog } from '../schema/kinds/index.ts';
import { isOfSystem, reasonOf } from './host/files.ts';
import type { Io, Lines } from './io.ts';
import { journalFile, planFile, undoFile } from './journal-folder.ts';
import { planKey } from './plan-file.ts';
import { TOOL } from './version.ts';

/** A run while it is carried out, and its journal with it. */
export type Keeping = {
  /** Has the run's calls. */
  readonly calls: CallJournal;
  /** Aborted by Ctrl-C, and when the journal cannot be written any more: nothing new may start. */
  readonly signal: AbortSignal;
  readonly ended: (entry: Entry) => void;
  /** The name of the run; undefined where no journal is kept. */
  readonly run: string | undefined;
  /** Closes the journal once all of it is safe; a problem says that something could not be written. */
  readonly finish: (ledger: Ledger) => Promise<readonly Problem[]>;
};

/** What a journal is begun with, or the one that is gone on with. */
export type Kept = {
  /** Made only for a journal: every secret in it takes a moment. */
  readonly saved: () => SavedPlan;
  readonly undo: Undo;
  /** What the run that is taken back has deleted to create it anew. */
  readonly deleted?: ReadonlySet<Address>;
  readonly resumes?: Journal;
};

/** Begins the journal of a run in a folder, or goes on with one; without a folder none is kept. */
export async function keepJournal(
  folder: string | undefined,
  kept: Kept,
  io: Io,
): Promise<Checked<Keeping | undefined>> {
  const { resumes } = kept;
  if (folder === undefined) {
    io.err('No journal is kept: this run can neither be resumed nor undone.\n');
    const nothing = { run: undefined, ended: () => undefined, finish: () => Promise.resolve([]) };
    return { value: { calls: NO_JOURNAL, signal: io.interrupted, ...nothing }, problems: [] };
  }
  try {
    const run = resumes?.started.run ?? nameOfRun(io);
    const lines = await (resumes === undefined ? begin(folder, run, kept, io) : goOn(folder, resumes, io));
    return { value: { ...keeper(lines, folder, resumes?.calls ?? 0, io), run }, problems: [] };
  } catch (error) {
    if (!isOfSystem(error)) throw error;
    return { value: undefined, problems: [unwritable(folder, error)] };
  }
}

/** Plan and undo are there before the journal's first line, and all of it before the first call. */
async function begin(folder: string, run: string, { saved, undo, deleted }: Kept, io: Io): Promise<Lines> {
  const plan = saved();
  const home = dirname(folder);
  if (basename(home) === '.gwconf' && !io.exists(home)) {
    await io.writePrivately(join(home, '.gitignore'), '*\n');
  }
  const path = journalFile(folder, run);
  await io.writePrivately(planFile(folder, run), encodePlan(plan));
  const { gateway, environment } = plan;
  const about = {
    ...{ tool: TOOL, createdAt: io.now().toISOString(), salt: io.random(), gateway },
    ...(environment === undefined ? {} : { environment }),
  };
  const back = sealUndo(undo, run, catalog.kinds, about, (await planKey(io))?.value);
  await io.writePrivately(undoFile(folder, run), encodePlan(back));
  const started: JournalRecord = {
    type: 'started',
    format: JOURNAL_FORMAT,
    run,
    gateway,
    ...(environment === undefined ? {} : { environment }),
    ...(plan.undoes === undefined ? {} : { undoes: plan.undoes.run }),
    ...(deleted === undefined || deleted.size === 0 ? {} : { deleted: [...deleted] }),
    plan: plan.digest,
    changes: plan.changes.length,
    ...sittingOf(io),
  };
  await io.writePrivately(path, encodeRecord(started));
  return io.openLines(path);
}

async function goOn(folder: string, { started }: Journal, io: Io): Promise<Lines> {
  const lines = await io.openLines(journalFile(folder, started.run));
  await lines.add(encodeRecord({ type: 'resumed', ...sittingOf(io) }));
  return lines;
}

/** Sorts by time: `20261120T131500.123Z-x7k2`. */
function nameOfRun(io: Io): string {
  const letters = io.random().replaceAll(/[^a-z0-9]/gi, '');
  return `${io.now().toISOString().replaceAll(/[-:]/g, '')}-${letters.slice(0, 4).toLowerCase()}`;
}

function sittingOf({ self, now }: Io): RunProcess {
  return { at: now().toISOString(), tool: TOOL, ...self };
}

function keeper(lines: Lines, folder: string, before: number, io: Io): Omit<Keeping, 'run'> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  io.interrupted.addEventListener('abort', abort);
  if (io.interrupted.aborted) abort();

  let failure: unknown;
  const recorder: JournalWriter = {
    async add(record) {
      try {
        await lines.add(encodeRecord(record));
      } catch (error) {
        failure ??= error;
        abort();
        throw error;
      }
    },
    addUnsynced: (record) => lines.note(encodeRecord(record)),
  };
  const now = stamps(io);
  const told = new Set<ChangeId>();
  const ended = (entry: Entry): void => {
    const { id, address, step, outcome } = entry;
    told.add(id);
    const why = entry.outcome === 'failed' ? { why: entry.problem.message } : {};
    recorder.addUnsynced({
      type: 'ended',
      address,
      ...(step === undefined ? {} : { step }),
      outcome,
      ...why,
    });
  };
  return {
    calls: makeCallJournal(recorder, { now, before }),
    signal: stop.signal,
    ended,
    async finish({ result, entries }) {
      io.interrupted.removeEventListener('abort', abort);
      for (const entry of entries) if (!told.has(entry.id)) ended(entry);
      await recorder.add({ type: 'finished', result, at: now() }).catch(() => undefined);
      await lines.close();
      return failure === undefined ? [] : [unwritable(folder, failure)];
    },
  };
}

/** The time as ISO 8601. Spelling it takes longer than looking at it, and many calls are answered in one millisecond. */
function stamps(io: Io): () => string {
  let last = -1;
  let text = '';
  return () => {
    const now = io.now();
    if (now.getTime() !== last) {
      last = now.getTime();
      text = now.toISOString();
    }
    return text;
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
