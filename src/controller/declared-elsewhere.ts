import { hasErrors, type Checked } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import { makeMasker } from '../plan/secrets/masker.ts';
import type { Host, Log } from '../workflow/host.ts';
import { loadInput } from '../workflow/project/input.ts';
import { openWorkspace } from '../workflow/project/open-workspace.ts';
import { leaveVariablesOpen, type Workspace } from '../workflow/project/workspace.ts';
import { isSystemError, RequestError } from '../workflow/system-error.ts';
import { projectHost } from './files.ts';
import { KubeError, type Kube } from './kube.ts';
import { gatewayOf, isTrue, Refusal, type GatewayConfig } from './resource.ts';
import { readSecrets } from './secrets.ts';
import { readSource, type SourceOptions } from './source.ts';

/** Each look at a resource has a log of its own. */
const SILENT: Log = { info: () => undefined };

type Options = SourceOptions & {
  readonly journal: string;
  readonly maxInputBytes?: number | undefined;
  readonly others?: readonly GatewayConfig[];
};

/** Nobody knows what to delete with a resource. */
export const PRUNE_UNKNOWN = 'PruneUnknown';

/** What the files of a project declare. */
export async function addressesIn(host: Host, workspace: Workspace): Promise<Checked<readonly Address[]>> {
  const { declared, problems } = await loadInput(host, leaveVariablesOpen(workspace), { allowEmpty: true });
  return { value: [...declared.values()].map(({ address }) => address), problems };
}

/**
 * What the files of other resources declare. One that the gateway has not let in keeps nothing: whoever may make a resource could hold what
 * others delete. Nor is another namespace waited for, or told of.
 */
export async function declaredByOthers(
  host: Host,
  kube: Pick<Kube, 'get'>,
  resource: GatewayConfig,
  options: Options,
): Promise<ReadonlySet<Address>> {
  const found = new Set<Address>();
  for (const one of othersOf(resource, options.others ?? [])) {
    const { metadata, status } = one;
    if (status?.lastAppliedRevision === undefined) continue;
    const isReady = isTrue(status, 'Ready') && status.observedGeneration === metadata.generation;
    const own = isReady ? await declaredBy(host, kube, one, options) : undefined;
    if (own === undefined && metadata.namespace === resource.metadata.namespace)
      throw new Refusal(
        PRUNE_UNKNOWN,
        `what to delete is not known: ${metadata.name} is for the same gateway, and is not ready. Mend it, or take away the finalizer`,
      );
    for (const address of own ?? []) found.add(address);
  }
  return found;
}

/** Those that change the same gateway, such as the one that has taken the place of a resource. */
export function othersOf(
  { metadata: { uid }, spec }: GatewayConfig,
  all: readonly GatewayConfig[],
): readonly GatewayConfig[] {
  return all.filter(
    (one) =>
      one.metadata.uid !== uid &&
      one.metadata.deletionTimestamp === undefined &&
      (one.spec.mode ?? 'plan') !== 'plan' &&
      gatewayOf(one.spec.gateway.url) === gatewayOf(spec.gateway.url),
  );
}

/** Undefined if its files cannot be read. */
async function declaredBy(
  outer: Host,
  kube: Pick<Kube, 'get'>,
  resource: GatewayConfig,
  { maxInputBytes = 4e6, journal, ...options }: Options,
): Promise<readonly Address[] | undefined> {
  const masker = makeMasker();
  try {
    const { variables } = await readSecrets(outer, kube, resource, masker);
    const { files, folder } = await readSource(outer, kube, resource, options);
    const host = projectHost({ ...outer, maxInputBytes }, { files, variables, journal, log: SILENT });
    const { environment } = resource.spec;
    const workspace = await openWorkspace(host, { environment, folder, masker });
    const { value, problems } = await addressesIn(host, workspace);
    return hasErrors([...workspace.problems, ...problems]) ? undefined : value;
  } catch (error) {
    const isForbidden = error instanceof KubeError && error.status === 403;
    if (isForbidden || error instanceof Refusal || error instanceof RequestError || isSystemError(error))
      return undefined;
    throw error;
  }
}
