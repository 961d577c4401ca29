import { hasErrors, type Checked } from '../model/problem.ts';
import type { Address } from '../model/resource.ts';
import { isStep } from '../plan/change/change.ts';
import { makeMasker } from '../plan/secrets/masker.ts';
import type { ShownPlan } from '../plan/secrets/redact.ts';
import type { Host, Log } from '../workflow/host.ts';
import { loadInput } from '../workflow/project/input.ts';
import { openWorkspace } from '../workflow/project/open-workspace.ts';
import { leaveVariablesOpen, type Workspace } from '../workflow/project/workspace.ts';
import { isSystemError, RequestError } from '../workflow/system-error.ts';
import { projectHost } from './files.ts';
import { KubeError, PATHS, type Kube } from './kube.ts';
import { gatewayOf, isTrue, keyOf, Refusal, type GatewayConfig } from './resource.ts';
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

/** A plan would change what another resource has. */
export const DECLARED_ELSEWHERE = 'DeclaredElsewhere';

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
    if (!hasApplied(one) && !isHeldUp(one)) continue;
    const own = isLetIn(one) ? await declaredBy(host, kube, one, options) : undefined;
    if (own === undefined && isNeighbour(one, resource))
      throw new Refusal(
        PRUNE_UNKNOWN,
        `what to delete is not known: ${one.metadata.name} is for the same gateway, and is not ready. Mend it, or take away the finalizer`,
      );
    for (const address of own ?? []) found.add(address);
  }
  return found;
}

/**
 * Why a plan is not for this resource to carry out: of those that declare an object, the oldest has it, and none deletes what another one
 * declares. Undefined if it is. Of one whose files cannot be read, nobody knows what it has; others go on meanwhile.
 */
export async function findForeign(
  host: Host,
  kube: Pick<Kube, 'get'>,
  resource: GatewayConfig,
  changes: ShownPlan['changes'],
  options: Options,
): Promise<string | undefined> {
  const own = changes.filter((change) => !isStep(change));
  for (const { metadata } of othersOf(resource, options.others ?? [])) {
    // What was told of it may be from before its last look.
    const one = await kube.get<GatewayConfig>(PATHS.resource({ metadata }));
    if (one === undefined || othersOf(resource, [one]).length === 0) continue;
    if (isNeighbour(one, resource) ? !hasApplied(one) && !isHeldUp(one) : !isLetIn(one)) continue;
    const declared = new Set(await declaredBy(host, kube, one, options));
    const isFirst = hasApplied(one) && isOlder(one, resource);
    const taken = own.filter(
      ({ address, action }) => declared.has(address) && (isFirst || action === 'delete'),
    );
    const [first] = taken;
    if (first === undefined) continue;
    const more = taken.length === 1 ? '' : ` (and ${taken.length - 1} more)`;
    const who = isNeighbour(one, resource) ? metadata.name : 'a resource of another namespace';
    const what = `nothing is changed: the plan would ${first.action} ${first.address}${more}, which ${who} declares`;
    return first.action === 'delete'
      ? `${what}. Take it out of manages here, or out of the files there`
      : `${what}, too; it is older, and has it. Take it out of the files of one of them`;
  }
  return undefined;
}

/** As others see it that came at the same second. */
function isOlder({ metadata: one }: GatewayConfig, { metadata: other }: GatewayConfig): boolean {
  const [at = '', otherAt = ''] = [one.creationTimestamp, other.creationTimestamp];
  return at === otherAt ? keyOf({ metadata: one }) < keyOf({ metadata: other }) : at < otherAt;
}

function isNeighbour({ metadata: one }: GatewayConfig, { metadata: other }: GatewayConfig): boolean {
  return one.namespace === other.namespace;
}

/** Whether the gateway was ever as it says. */
function hasApplied({ status }: GatewayConfig): boolean {
  return status?.lastAppliedRevision !== undefined;
}

/** Whether the gateway has let it in as it is. */
function isLetIn(one: GatewayConfig): boolean {
  const { metadata, status } = one;
  const isDone =
    isTrue(status, 'Ready') && hasApplied(one) && status?.observedGeneration === metadata.generation;
  return isDone || isHeldUp(one);
}

/** Whether it has read the gateway as it is, and waits for approval or for another resource: what it declares may be taken over then. */
function isHeldUp({ metadata, status = {} }: GatewayConfig): boolean {
  const isForeign = status.conditions?.some(({ reason }) => reason === DECLARED_ELSEWHERE) === true;
  const isHeld = isForeign || status.pendingPlan !== undefined;
  return isHeld && status.observedGeneration === metadata.generation;
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
