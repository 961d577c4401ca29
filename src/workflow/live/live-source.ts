import type { Clock } from '../../apply/events.ts';
import type { ReadableGateway } from '../../gateway/gateway.ts';
import type { Kind } from '../../model/kind.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import { type Listed, findListedKinds } from '../../plan/checks/unlisted-values.ts';
import {
  type LiveSnapshot,
  type SnapshotAge,
  decodeLiveSnapshot,
  takeLiveSnapshot,
} from '../../plan/saved/live-snapshot.ts';
import { restoreListed, restoreSealed, restoreSnapshot } from '../../plan/saved/restore-snapshot.ts';
import { withDigests } from '../digests.ts';
import type { Host } from '../host.ts';
import { type Workspace, leaveVariablesOpen } from '../project/workspace.ts';
import { readGateway, readListed, gatewayProblem } from './read-live.ts';
import { makeProblem, hasErrors, type Checked, type Problem, applyLint } from '../../model/problem.ts';
import { formatDuration } from '../../model/text/quantities.ts';
import { makeSecretFinder } from '../../plan/change/former-secrets.ts';
import { loadFiles, loadInput } from '../project/input.ts';
import { RequestError, reasonOf } from '../system-error.ts';
import { TOOL } from '../tool.ts';
import { checkSnapshotTarget, checkTarget } from './target.ts';

/** Where live state is read from. A snapshot needs `desired` to recognise secrets again. */
export type LiveSource = {
  readonly url: string;
  readonly read: (desired: DesiredState) => Promise<LiveState>;
  /** The names that it lists of kinds that files cannot declare; a list that it does not have is left out. */
  readonly listNames: (kinds: readonly Kind[]) => Promise<Listed>;
  /** The gateway, if it is one. */
  readonly gateway?: Pick<ReadableGateway, 'list'>;
  /** How long one of its calls has taken so far, in milliseconds. */
  readonly latencyMs?: () => number | undefined;
  /** Of a snapshot. */
  readonly age?: SnapshotAge;
  /** The file of a snapshot. */
  readonly path?: string;
  /** The state of a snapshot with a mark in the place of each secret, and these marks. */
  readonly readSealed?: () => ReturnType<typeof restoreSealed>;
};

/** With a clock, it tells how fast the gateway is. */
export function gatewaySource(
  workspace: Workspace,
  gateway: Pick<ReadableGateway, 'url' | 'list'>,
  clock?: Clock,
): LiveSource {
  const measured = clock === undefined ? undefined : measureLatency(gateway, clock);
  const reader = measured?.gateway ?? gateway;
  return {
    url: gateway.url,
    gateway,
    read: () => readGateway(workspace, reader),
    listNames: (kinds) => readListed(reader, kinds),
    ...(measured === undefined ? {} : { latencyMs: measured.latencyMs }),
  };
}

/** A snapshot in place of a gateway; `project` should leave its variables open, since a secret may be missing here. */
export function snapshotSource(
  host: Host,
  { catalog }: Workspace,
  snapshot: LiveSnapshot,
  path?: string,
): LiveSource {
  return {
    ...(path === undefined ? {} : { path }),
    url: snapshot.gateway,
    read: (desired) =>
      withDigests(host, snapshot.salt, (slow) => restoreSnapshot(snapshot, desired, catalog.kinds, slow)),
    listNames: () => Promise.resolve(restoreListed(snapshot)),
    age: snapshotAge(host, snapshot),
    readSealed: () => restoreSealed(snapshot, catalog.kinds),
  };
}

/** The same gateway, and the median of the time that its lists have taken, in milliseconds. */
export function measureLatency<G extends Pick<ReadableGateway, 'list'>>(
  gateway: G,
  clock: Clock,
): { readonly gateway: G; readonly latencyMs: () => number | undefined } {
  const taken: number[] = [];
  return {
    gateway: {
      ...gateway,
      list: async (kind) => {
        const start = clock.now();
        const listed = await gateway.list(kind);
        taken.push(clock.now() - start);
        return listed;
      },
    },
    latencyMs: () => taken.sort((one, other) => one - other)[Math.floor(taken.length / 2)],
  };
}

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
  const open = leaveVariablesOpen(workspace);
  const input = await loadInput(host, open, { paths, allowEmpty: true, allowMissing });
  if (input.variables === open.variables) return input;
  // What is live may be what a job had in a file in place of what git has there.
  const { value: hidden } = loadFiles(open, { ...input, variables: open.variables });
  const value = new Map(
    [...input.value].map(([address, declared]) => {
      const liveTemplates = hidden.get(address)?.templates;
      return [address, { ...declared, liveTemplates }] as const;
    }),
  );
  return { ...input, value };
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
