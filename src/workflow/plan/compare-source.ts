import type { ReadableGateway } from '../../gateway/gateway.ts';
import { hasErrors, type Checked, type Problem } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { DesiredState } from '../../model/state.ts';
import type { LiveSnapshot, SnapshotAge } from '../../plan/saved/live-snapshot.ts';
import type { Host } from '../host.ts';
import { gatewayProblem, readGateway } from '../live/read-live.ts';
import { readTemplates } from '../live/live-source.ts';
import { checkTarget } from '../live/target.ts';
import type { Describing } from '../project/known-kinds.ts';
import { loadInput } from '../project/input.ts';
import { leaveSecretsOpen, leaveVariablesOpen, type Workspace } from '../project/workspace.ts';

/** What is compared: the files of an environment, its gateway, or a snapshot. */
export type Source = {
  /** As it was named: `staging`, `live:staging`, `snapshot.json`. */
  readonly name: string;
  /** The name of its environment, if that is known. */
  readonly environment: string | undefined;
  /** The environment, with its variables; of a snapshot, perhaps without one. */
  readonly workspace: Workspace;
} & (
  | { readonly type: 'files' }
  | { readonly type: 'live'; readonly gateway: ReadableGateway & Describing }
  | { readonly type: 'snapshot'; readonly snapshot: LiveSnapshot; readonly age: SnapshotAge }
);

/** What a source has. The resources of a snapshot depend on what it is compared with, and are missing. */
export type Contents = {
  readonly source: Source;
  readonly resources: ReadonlyMap<Address, Resource>;
  readonly unavailable: ReadonlyMap<string, string>;
  /** What files declare, here or of the environment of a gateway: it tells which fields variables fill in. */
  readonly desired: DesiredState;
};

/** Reads a source, which is to be compared with another. */
export async function readSource(
  host: Host,
  source: Source,
  other: Source,
): Promise<Checked<Contents | undefined>> {
  switch (source.type) {
    case 'files':
      return readFiles(host, source, other);
    case 'live': {
      // The other side tells it, if it has the same files.
      const isTold = other.type === 'files' && other.environment === source.environment;
      const { value: desired, problems } = isTold ? NONE : await readTemplates(host, source.workspace, []);
      if (hasErrors(problems)) return { value: undefined, problems };
      return readLiveSource(source, desired);
    }
    case 'snapshot': {
      const unavailable = new Map(Object.entries(source.snapshot.unavailable));
      return { value: { source, resources: new Map(), unavailable, desired: NONE.value }, problems: [] };
    }
    default:
      return source satisfies never;
  }
}

const NONE: Checked<DesiredState> = { value: new Map(), problems: [] };

/**
 * In CI, a pull request may have written both files, or file and snapshot, with guesses of secrets in one of them. So the hidden
 * values of variables are compared with those of a gateway only.
 */
async function readFiles(host: Host, source: Source, other: Source): Promise<Checked<Contents | undefined>> {
  const { workspace } = source;
  const open = other.type === 'live' ? leaveVariablesOpen(workspace) : leaveSecretsOpen(host, workspace);
  const { value: desired, problems } = await loadInput(host, open, {}, { readSources: true });
  if (hasErrors(problems)) return { value: undefined, problems };
  const resources = new Map([...desired].map(([address, { resource }]) => [address, resource]));
  // validate and plan show what is no error.
  return { value: { source, resources, unavailable: new Map(), desired }, problems: [] };
}

async function readLiveSource(
  source: Extract<Source, { readonly type: 'live' }>,
  desired: DesiredState,
): Promise<Checked<Contents | undefined>> {
  const { name, workspace, gateway } = source;
  const elsewhere = checkTarget(undefined, gateway.url, workspace);
  if (elsewhere !== undefined) return { value: undefined, problems: [elsewhere] };
  try {
    return { value: { source, ...(await readGateway(workspace, gateway)), desired }, problems: [] };
  } catch (error) {
    const problem = gatewayProblem(error);
    const about: Problem = { ...problem, message: `${name}: ${problem.message}` };
    return { value: undefined, problems: [about] };
  }
}
