import { basename, dirname, join } from 'node:path';
import { invalidJournal } from '../../apply/journal/read-journal.ts';
import type { Gateway } from '../../gateway/gateway.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { digest } from '../../plan/saved/digest.ts';
import type { Foreign, Host } from '../host.ts';
import { describeHolder, takeLock, type Holder, type Unlock } from '../lock-file.ts';
import type { Workspace } from '../project/workspace.ts';
import { isSystemError, reasonOf } from '../system-error.ts';
import {
  describeEnd,
  endEarly,
  startRun,
  type Ended,
  type Run,
  type RunOptions,
  type RunResult,
} from './start-run.ts';

const POLL_MS = 250;

/**
 * Carries a run out while no other one with the same folder of journals works on the gateway. It does not begin where
 * somebody else has written in that folder: a forged journal would be resumed or undone, and jobs keep the folder.
 */
export async function withRun(
  host: Host,
  workspace: Workspace,
  gateway: Gateway,
  options: RunOptions,
  carryOut: (run: Run) => Promise<Ended>,
): Promise<RunResult> {
  const run = startRun(host, workspace, gateway, options);
  const foreign = await checkJournals(run);
  const isRefused = foreign?.severity === 'error';
  const warned = foreign === undefined || isRefused ? [] : [foreign];
  if (warned.length > 0) run.emit({ type: 'warned', problems: warned });
  const warnings = [...(options.warnings ?? []), ...warned];
  const end = (ended: Ended): RunResult => describeEnd(ended, gateway.url, workspace, warnings);
  if (isRefused) return end(endEarly('error', [foreign]));
  const locked = await lockGateway(run);
  if ('code' in locked) return end(endEarly(run.signal.aborted ? 'interrupted' : 'error', [locked]));
  try {
    return end(await carryOut({ ...run, unlocked: locked.failure }));
  } finally {
    await locked.unlock();
  }
}

/**
 * Locks the gateway for a run: of the runs that keep their journal in one folder, one at a time works on a gateway. The
 * lock of a process that has ended is taken over. Waits up to `lockTimeoutMs` for another run, then gives the problem that names
 * it. Where the folder cannot be written there is no lock but a `failure`, and no journal is begun, so nothing is changed.
 */
async function lockGateway(run: Run): Promise<Locked | Problem> {
  const { host, journal: folder, gateway, signal, lockTimeoutMs = 0 } = run;
  if (folder === undefined) return { unlock: NOTHING_LOCKED };
  const path = join(folder, `gateway-${digest(gateway.url).slice(0, 12)}.lock`);
  const end = host.clock.now() + lockTimeoutMs;
  let isWaiting = false;
  try {
    await ignoreInGit(host, folder);
    for (;;) {
      const taken = await takeLock(host, path);
      if (typeof taken === 'function') return { unlock: taken };
      const left = end - host.clock.now();
      if (left <= 0 || signal.aborted) return reportLocked(host, path, gateway.url, taken);
      if (!isWaiting) run.emit({ type: 'waiting-for-lock', holder: describeHolder(taken), forMs: left });
      isWaiting = true;
      await host.clock.wait(Math.min(POLL_MS, left), signal);
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return { unlock: NOTHING_LOCKED, failure: error };
  }
}

type Locked = { readonly unlock: Unlock; readonly failure?: Run['unlocked'] };

const NOTHING_LOCKED: Unlock = () => Promise.resolve();

async function checkJournals({ host, journal: folder }: Run): Promise<Problem | undefined> {
  if (folder === undefined) return undefined;
  try {
    const foreign = await host.findForeign(folder);
    if (foreign === undefined) return undefined;
    const { path, what } = foreign;
    const problem = invalidJournal(`${path} is ${what}, so it can be forged`, CURES[what]);
    // In many containers there is nobody else.
    return what === 'writable by everybody' ? { ...problem, severity: 'warning' } : problem;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    return invalidJournal(`cannot find out whether ${folder} is in git: ${reasonOf(error)}`, MOVE);
  }
}

const TAKE_OUT =
  'delete it, or name another folder with --journal; if you have put your own journals into git, take them out: git rm -r --cached FOLDER';
const CURES: Readonly<Record<Foreign['what'], string>> = {
  'in git': TAKE_OUT,
  'a link': TAKE_OUT,
  'of another user':
    'delete it, or name another folder with --journal; if you trust it, take it over with chown',
  'writable by everybody': 'take the right to write from other users: chmod o-w',
};
const MOVE = 'copy the folder out of the work tree, and name it with --journal';

/** Keeps a folder of journals beside gwconf.yaml out of git, unless only what is in it can be written, such as a volume. */
export async function ignoreInGit(host: Host, folder: string): Promise<void> {
  const home = dirname(folder);
  const path = join(home, '.gitignore');
  if (basename(home) !== '.gwconf' || host.exists(path)) return;
  try {
    // The schema of editors may be there, for git.
    if (!host.exists(home) || (await host.wouldBeTracked(join(folder, 'run.ndjson'))))
      await host.writePrivately(path, '*\n!schema.json\n');
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

function reportLocked(host: Host, path: string, url: string, holder: Holder | undefined): Problem {
  const isHere = holder?.host === host.self().host && host.isAlive(holder);
  return makeProblem({
    code: 'run-in-progress',
    message: `another run is in progress on ${url}: ${describeHolder(holder)}`,
    hint: isHere
      ? 'wait until it has ended, for instance with --wait 5m'
      : `wait until it has ended, for instance with --wait 5m; if that process is gone, delete ${path}`,
  });
}
