import type { ReadableGateway } from '../../gateway/gateway.ts';
import { makeProblem, hasErrors, type Checked, type Problem, applyLint } from '../../model/problem.ts';
import type { DesiredState } from '../../model/state.ts';
import { formatDuration } from '../../model/text/quantities.ts';
import {
  decodeLiveSnapshot,
  takeLiveSnapshot,
  type LiveSnapshot,
  type SnapshotAge,
} from '../../plan/saved/live-snapshot.ts';
import { findListedKinds } from '../../plan/checks/unlisted-values.ts';
import { makeSecretFinder } from '../../plan/change/former-secrets.ts';
import { withDigests } from '../digests.ts';
import type { Host } from '../host.ts';
import { loadInput } from '../project/input.ts';
import { leaveVariablesOpen, type Workspace } from '../project/workspace.ts';
import { RequestError } from '../request-error.ts';
import { reasonOf } from '../system-error.ts';
import { TOOL } from '../tool.ts';
import { gatewayProblem, readGateway, readListed } from './read-live.ts';
import { checkSnapshotTarget, checkTarget } from './target.ts';

/** A value, or why there is none: `stale` when what was found is for another gateway or environment. */
export type SnapshotResult<T> =
  | { readonly value: T; readonly problems: readonly Problem[] }
  | { readonly failed: 'error' | 'stale'; readonly problems: readonly Problem[] };

/**
 * Takes a snapshot of what is live; a function opens the gateway once the files are read. Files, if there are any, tell
 * which fields hold secrets because variables fill them.
 */
export async function takeSnapshot(
  host: Host,
  workspace: Workspace,
  source: ReadableGateway | (() => Promise<ReadableGateway>),
  { paths = [] }: { readonly paths?: readonly string[] } = {},
): Promise<SnapshotResult<LiveSnapshot>> {
  const { value: desired, problems } = await readTemplates(host, workspace, paths);
  if (hasErrors(problems)) return { failed: 'error', problems };
  try {
    const gateway = typeof source === 'function' ? await source() : source;
    const elsewhere = checkTarget(undefined, gateway.url, workspace);
    if (elsewhere !== undefined) return { failed: 'stale', problems: [elsewhere] };
    await workspace.catalog.ask();
    const [live, listed] = await Promise.all([
      readGateway(workspace, gateway),
      readListed(gateway, findListedKinds(workspace.catalog.kinds)),
    ]);
    const environment = workspace.environment?.name;
    const { described } = workspace.catalog;
    const about = {
      tool: TOOL,
      takenAt: host.now().toISOString(),
      gateway: gateway.url,
      salt: host.random(),
      ...(described === undefined || described.kinds.length === 0 ? {} : { kinds: described.description }),
      ...(environment === undefined ? {} : { environment }),
    };
    const isSecret = makeSecretFinder(workspace.secrets.values);
    const value = await withDigests(host, about.salt, (slow) =>
      takeLiveSnapshot(live, desired, workspace.catalog.kinds, about, { slow, isSecret, listed }),
    );
    return { value, problems: applyLint(workspace.catalog.problems, workspace.project.lint) };
  } catch (error) {
    return { failed: 'error', problems: [gatewayProblem(error)] };
  }
}

/** What files declare, for the fields that variables fill in; nothing if there are no files, or only such as may be missing. */
export async function readTemplates(
  host: Host,
  workspace: Workspace,
  paths: readonly string[],
  allowMissing?: (path: string) => boolean,
): Promise<Checked<DesiredState>> {
  if (paths.length === 0 && workspace.files.length === 0) return { value: new Map(), problems: [] };
  return loadInput(host, leaveVariablesOpen(workspace), { paths, allowEmpty: true, allowMissing });
}

/** An older one may be of a gateway that has changed since. */
const OLD_SECONDS = 24 * 60 * 60;

/**
 * Reads a snapshot of the project's environment, with a warning when it is old, unless it is to be. Throws a RequestError when there is
 * no such file.
 */
export async function openSnapshot(
  host: Host,
  workspace: Workspace,
  path: string,
  { mayBeOld = false }: { readonly mayBeOld?: boolean } = {},
): Promise<SnapshotResult<LiveSnapshot>> {
  const text = await readFile(host, path);
  await workspace.catalog.learnFrom(text);
  const { value, problems } = decodeLiveSnapshot(text, path, workspace.catalog.kinds);
  if (value === undefined) return { failed: 'error', problems };
  const elsewhere = checkSnapshotTarget(value, workspace);
  if (elsewhere !== undefined) return { failed: 'stale', problems: [elsewhere] };
  if (hasErrors(workspace.problems)) return { failed: 'error', problems: workspace.problems };
  const { ageSeconds, takenAt } = snapshotAge(host, value);
  const old: Problem = makeProblem({
    code: 'old-snapshot',
    message: `${path} was taken ${formatDuration(ageSeconds)} ago, at ${takenAt}; the gateway may have changed since`,
    hint: 'take it again: gwconf snapshot --out FILE',
  });
  const found = ageSeconds > OLD_SECONDS && !mayBeOld ? [...problems, old] : problems;
  return { value, problems: applyLint(found, workspace.project.lint) };
}

export function snapshotAge({ now }: Host, { takenAt }: LiveSnapshot): SnapshotAge {
  const ms = now().getTime() - Date.parse(takenAt);
  return { takenAt, ageSeconds: Math.max(0, Math.floor(ms / 1000)) };
}

async function readFile(host: Host, path: string): Promise<string> {
  try {
    return await host.readNamedFile(path);
  } catch (error) {
    const message = `${path} cannot be read: ${reasonOf(error)}`;
    throw new RequestError(message, { code: 'unreadable-snapshot', cause: error });
  }
}
