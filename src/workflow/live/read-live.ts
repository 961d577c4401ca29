import { GatewayError, type ReadableGateway } from '../../gateway/gateway.ts';
import { readKinds, readLive } from '../../gateway/read-live.ts';
import type { Kind } from '../../model/kind.ts';
import { referencesOf } from '../../model/normal/normal-form.ts';
import type { Catalog } from '../../model/own-kind.ts';
import type { Problem } from '../../model/problem.ts';
import { type Resource, kindOf } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { isBuiltIn } from '../../plan/change/select.ts';
import type { Listed } from '../../plan/checks/unlisted-values.ts';
import { secretTexts } from '../../plan/secrets/hide-in-chains.ts';
import type { Masker } from '../../plan/secrets/masker.ts';
import { exposedTexts } from '../../schema/load/exposed.ts';
import type { Workspace } from '../project/workspace.ts';

/** Reads what is live, of all kinds that can be written or of some. The masker of the project learns its secrets. Rejects with a GatewayError. */
export async function readGateway(
  { catalog, secrets: { masker } }: Workspace,
  gateway: Pick<ReadableGateway, 'list'>,
  kinds?: readonly Kind[],
): Promise<LiveState> {
  const live = await (kinds === undefined
    ? readLive(gateway, [...catalog.kinds.values()])
    : readKinds(gateway, kinds));
  learnNames(masker, live.resources.values());
  masker.learn(() => {
    const declared = [...live.resources].map(([address, resource]) => ({ address, resource }));
    return secretTexts(declared, catalog.kinds);
  });
  return live;
}

/** A secret in a name would be in every address. */
export function learnNames(masker: Masker, resources: Iterable<Resource>): void {
  for (const { metadata } of resources) for (const text of exposedTexts(metadata)) masker.learn(text);
}

/** What a gateway lists of kinds that files cannot declare. A gateway that does not answer with such a list has none. */
export async function readListed(
  gateway: Pick<ReadableGateway, 'list'>,
  kinds: readonly Kind[],
): Promise<Listed> {
  const listed = new Map<string, ReadonlySet<string>>();
  for (const kind of kinds) {
    try {
      const resources = await gateway.list(kind);
      listed.set(kind.name, new Set(resources.map(({ metadata }) => metadata.name)));
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
    }
  }
  return listed;
}

/** The failure of a gateway as a problem; any other error is thrown on. */
export function gatewayProblem(error: unknown): Problem {
  if (!(error instanceof GatewayError)) throw error;
  const reached = error.status !== undefined || error.code === 'not-understood';
  return {
    code: reached ? 'gateway-error' : 'connection-error',
    severity: 'error',
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}

/** Reads again if something refers to what no list has, since the lists may be of different moments. */
export async function readConsistently(
  { catalog }: Workspace,
  read: () => Promise<LiveState>,
): Promise<LiveState> {
  const live = await read();
  return hasDangling(live, catalog) ? read() : live;
}

function hasDangling({ resources, unavailable }: LiveState, { kinds }: Catalog): boolean {
  return [...resources].some(([address, resource]) => {
    const kind = kinds.get(kindOf(address));
    if (kind === undefined) return false;
    return referencesOf(resource, kind).some(
      ({ to }) => !resources.has(to) && !unavailable.has(kindOf(to)) && !isBuiltIn(to, kinds),
    );
  });
}

/** Why there is no gateway, or no snapshot in its place, and the result that this means. */
export type NotOpened = {
  readonly problems: readonly Problem[];
  readonly result: 'error' | 'blocked' | 'stale';
};

/** A gateway that is open, and what there is to warn of; or why there is none. */
export type Opened<G> = { readonly gateway: G; readonly warnings: readonly Problem[] } | NotOpened;
