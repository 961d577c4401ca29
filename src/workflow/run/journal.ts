import { present } from '../../model/collect.ts';
import type { Entry, Ledger } from '../../apply/events.ts';
import {
  makeCallJournal,
  NO_JOURNAL,
  type CallJournal,
  type JournalWriter,
} from '../../apply/journal/call-journal.ts';
import {
  encodeRecord,
  JOURNAL_FORMAT,
  type Journal,
  type JournalRecord,
  type RunProcess,
  type RunAuthor,
} from '../../apply/journal/journal.ts';
import { makeProblem, type Checked, type Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { ChangeId } from '../../plan/change/change.ts';
import { countActions } from '../../plan/change/plan.ts';
import { encodePlan } from '../../plan/saved/decode-plan.ts';
import type { SavedPlan, Origin } from '../../plan/saved/saved-plan.ts';
import { sign, sealUndo } from '../../plan/saved/seal-plan.ts';
import { withDigests } from '../digests.ts';
import type { Undo } from '../../plan/undo/undo.ts';
import type { Host, Lines } from '../host.ts';
import { hintOf, isSystemError, reasonOf } from '../system-error.ts';
import { TOOL } from '../tool.ts';
import { journalFile, makeRunName, planFile, undoFile } from './journal-files.ts';
import type { Run } from './start-run.ts';

export type RunJournal = {
  readonly calls: CallJournal;
  /** Aborted with the run, and when the journal cannot be written any more: no new call may be made. */
  readonly signal: AbortSignal;
  readonly ended: (entry: Entry) => void;
  /** The name of the run; undefined where no journal is kept. */
  readonly name: string | undefined;
  /** Closes the journal once all of it is on disk; a problem says that something could not be written. */
  readonly finish: (ledger: Ledger) => Promise<readonly Problem[]>;
};

/** What a journal is begun with, or the one to continue. */
export type JournalInput = {
  /** Called only where a journal is kept: each digest of a secret takes a moment. */
  readonly saved: () => SavedPlan | Promise<SavedPlan>;
  readonly undo: Undo;
  /** What a run that is undone has deleted in order to create it anew. */
  readonly deleted?: ReadonlySet<Address>;
  readonly resumes?: Journal;
};

/** Begins the journal of a run, or continues one; without a folder none is kept. */
export async function openRunJournal(
  run: Run,
  input: JournalInput,
): Promise<Checked<RunJournal | undefined>> {
  const { journal: folder, host, signal, unlocked } = run;
  const { resumes } = input;
  if (folder === undefined) {
    run.emit({ type: 'no-journal' });
    const nothing = { name: undefined, ended: () => undefined, finish: () => Promise.resolve([]) };
    return { value: { calls: NO_JOURNAL, signal, ...nothing }, problems: [] };
  }
  if (unlocked !== undefined) return { value: undefined, problems: [unwritable(folder, unlocked)] };
  try {
    const { name, lines } = await (resumes === undefined
      ? inTurn(folder, async () => {
          const own = await makeRunName(host, folder);
          return { name: own, lines: await beginJournal(run, folder, own, input) };
        })
      : continueJournal(host, folder, resumes));
    return { value: { ...writeJournal(run, folder, lines, resumes?.calls ?? 0), name }, problems: [] };
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { value: undefined, problems: [unwritable(folder, error)] };
  }
}

const beginnings = new Map<string, Promise<unknown>>();

/** Runs that begin side by side in this process get their numbers one after another. */
function inTurn<T>(folder: string, begin: () => Promise<T>): Promise<T> {
  const own = (beginnings.get(folder) ?? Promise.resolve()).then(begin);
  beginnings.set(
    folder,
    own.catch(() => undefined),
  );
  return own;
}

/** Plan and undo are on disk before the first line of the journal, and all of it before the first call. */
async function beginJournal(
  { host, planKeys, workspace }: Run,
  folder: string,
  run: string,
  { saved, undo, deleted }: JournalInput,
): Promise<Lines> {
  const plan = await saved();
  await host.writePrivately(planFile(folder, run), encodePlan(plan));
  const { gateway, environment, origin } = plan;
  const where = { gateway, ...(environment === undefined ? {} : { environment }) };
  const kinds = workspace.catalog.descriptionFor(undo.changes.map(({ address }) => address));
  const about = {
    tool: TOOL,
    createdAt: host.now().toISOString(),
    salt: host.random(),
    ...where,
    ...present({ origin, kinds }),
    undoesPlan: plan.digest,
  };
  const open = await withDigests(host, about.salt, (slow) =>
    sealUndo(undo, run, workspace.catalog.kinds, about, slow),
  );
  await host.writePrivately(undoFile(folder, run), encodePlan(sign(open, planKeys)));
  const started: JournalRecord = {
    type: 'started',
    format: JOURNAL_FORMAT,
    run,
    ...where,
    ...(plan.undoes === undefined ? {} : { undoes: plan.undoes.run }),
    ...(deleted === undefined || deleted.size === 0 ? {} : { deleted: [...deleted] }),
    plan: plan.digest,
    changes: plan.changes.length,
    counts: countActions(plan.changes),
    ...(await findAuthor(host, workspace.project.root, origin)),
    ...thisProcess(host),
  };
  const path = journalFile(folder, run);
  await host.writePrivately(path, encodeRecord(started));
  return host.openLines(path);
}

async function continueJournal(
  host: Host,
  folder: string,
  { started: { run: name } }: Journal,
): Promise<{ readonly name: string; readonly lines: Lines }> {
  const lines = await host.openLines(journalFile(folder, name));
  await lines.add(encodeRecord({ type: 'resumed', ...thisProcess(host) }));
  return { name, lines };
}

function thisProcess({ self, now }: Host): RunProcess {
  return { at: now().toISOString(), tool: TOOL, ...self() };
}

function writeJournal(run: Run, folder: string, lines: Lines, before: number): Omit<RunJournal, 'name'> {
  const stop = new AbortController();
  const abort = (): void => stop.abort();
  run.signal.addEventListener('abort', abort);
  if (run.signal.aborted) abort();

  let failure: unknown;
  const writer: JournalWriter = {
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
  const now = makeTimestamps(run.host);
  const recorded = new Set<ChangeId>();
  const ended = (entry: Entry): void => {
    const { id, address, step, outcome } = entry;
    recorded.add(id);
    const why = outcome === 'failed' ? entry.problem.message : undefined;
    writer.addUnsynced({ type: 'ended', address, step, outcome, why });
  };
  return {
    calls: makeCallJournal(writer, { now, before }),
    signal: stop.signal,
    ended,
    async finish({ result, entries }) {
      run.signal.removeEventListener('abort', abort);
      for (const entry of entries) if (!recorded.has(entry.id)) ended(entry);
      await writer.add({ type: 'finished', result, at: now() }).catch(() => undefined);
      await lines.close();
      return failure === undefined ? [] : [unwritable(folder, failure, true)];
    },
  };
}

/** The time as ISO 8601. Formatting takes longer than reading the clock, and many calls end in the same millisecond. */
function makeTimestamps(host: Host): () => string {
  let last = -1;
  let text = '';
  return () => {
    const now = host.now();
    if (now.getTime() !== last) {
      last = now.getTime();
      text = now.toISOString();
    }
    return text;
  };
}

/** A run that has begun goes on in the same folder. */
function unwritable(folder: string, error: unknown, hasBegun = false): Problem {
  const then = hasBegun
    ? 'then resume or undo the run'
    : 'or name another with --journal; with --journal none a run can neither be resumed nor undone';
  return makeProblem({
    code: 'unwritable-journal',
    message: `the journal of the run cannot be written in ${folder}: ${reasonOf(error)}${hasBegun ? '; no call was made without it' : ', so nothing was begun'}`,
    hint: hintOf(error) ?? `make the folder writable, with room on its disk, ${then}`,
  });
}

/** In which variables build servers say who started a job, and of what. */
const JOBS = [
  { by: 'GITHUB_ACTOR', commit: 'GITHUB_SHA', branch: 'GITHUB_REF_NAME' },
  { by: 'GITLAB_USER_LOGIN', commit: 'CI_COMMIT_SHA', branch: 'CI_COMMIT_REF_NAME' },
  { by: 'BUILD_REQUESTEDFOR', commit: 'BUILD_SOURCEVERSION', branch: 'BUILD_SOURCEBRANCHNAME' }, // Azure
  { by: 'CIRCLE_USERNAME', commit: 'CIRCLE_SHA1', branch: 'CIRCLE_BRANCH' },
  { by: 'BITBUCKET_STEP_TRIGGERER_UUID', commit: 'BITBUCKET_COMMIT', branch: 'BITBUCKET_BRANCH' },
];
const USERS = ['USER', 'LOGNAME', 'USERNAME'];
const LONGEST = 200;

/** Who begins a run, from which commit and branch: as the build server says, or the user and the git of this folder. */
async function findAuthor(host: Host, folder: string, origin: Origin | undefined): Promise<RunAuthor> {
  const said = (name: string): string | undefined => host.env(name)?.slice(0, LONGEST) || undefined;
  const job = JOBS.find(({ commit }) => said(commit) !== undefined);
  const here = job === undefined ? await readGit(host, folder) : {};
  const by = job === undefined ? USERS.map(said).find((user) => user !== undefined) : said(job.by);
  const commit = origin?.commit ?? (job === undefined ? here.commit : said(job.commit));
  const branch = job === undefined ? here.branch : said(job.branch);
  return {
    ...present({ by, commit, branch }),
  };
}

async function readGit(host: Host, folder: string): Promise<Pick<RunAuthor, 'commit' | 'branch'>> {
  if (host.findUpwards('.git', folder) === undefined) return {};
  const git = await host.openGit(folder);
  try {
    // Commands for people, such as `git log`, obey settings of the repository that run programs.
    const ran = await git.run(['rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD']);
    const lines = 'code' in ran && ran.code === 0 ? new TextDecoder().decode(ran.stdout).split('\n') : [];
    const [commit = '', ref = ''] = lines;
    const [, branch] = /^refs\/heads\/(.+)$/.exec(ref) ?? [];
    if (!/^[\da-f]{40,64}$/.test(commit)) return {};
    return { commit, ...(branch === undefined ? {} : { branch: branch.slice(0, LONGEST) }) };
  } finally {
    git.close();
  }
}
