import { chainsOf, makeEffectiveState, type EffectiveState } from '../../effective/effective-state.ts';
import type { ReadableGateway } from '../../gateway/gateway.ts';
import type { Kind } from '../../model/kind.ts';
import type { Chained } from '../../model/principal.ts';
import { makeProblem, hasErrors, type Problem, applyLint } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { placeOf, type DesiredState, type LiveState } from '../../model/state.ts';
import { redactChains, type ChainRedaction } from '../../plan/secrets/hide-in-chains.ts';
import { catalog as builtIn } from '../../schema/kinds/index.ts';
import { interceptor } from '../../schema/kinds/interceptor.ts';
import type { Host } from '../host.ts';
import { gatewayProblem, readGateway } from '../live/read-live.ts';
import { loadInput, type InputOptions } from '../project/input.ts';
import { leaveSecretsOpen, type Workspace } from '../project/workspace.ts';
import { cureFor } from '../project/variables.ts';
import {
  findUnknown,
  findUnknownExternal,
  selectPrincipals,
  type Asked,
  type Known,
} from './select-principals.ts';

/** Who has which chain, or the problems for which that is unknown. */
export type FoundChains = {
  readonly result: 'ok' | 'not-found' | 'error';
  readonly chains: readonly Chained[];
  readonly problems: readonly Problem[];
};

export type ChainOptions = InputOptions & {
  /** One principal; default: all that are known. */
  readonly asked?: Asked | undefined;
};

export type DeclaredChains = FoundChains & {
  readonly desired: DesiredState;
  readonly state: EffectiveState;
};

export type LiveChains = FoundChains & {
  readonly resources: LiveState['resources'];
  readonly state: EffectiveState;
};

/** The chains by files. No gateway is called, and no secret needs a value. Throws a RequestError when there is nothing to read. */
export async function findDeclaredChains(
  host: Host,
  opened: Workspace,
  { asked, ...options }: ChainOptions = {},
): Promise<DeclaredChains> {
  const workspace = leaveSecretsOpen(host, opened);
  const { value: desired, problems } = await loadInput(host, workspace, options);
  const found = [...problems, ...applyLint(findOpenPriorities(desired, workspace), workspace.project.lint)];
  const resources = Array.from(desired, ([address, { resource }]) => [address, resource] as const);
  const isSound = !hasErrors(found);
  const state = makeEffectiveState(isSound ? resources : [], workspace.catalog.kinds);
  if (!isSound) return { result: 'error', chains: [], problems: found, desired, state };
  const redaction = redactDeclaredChains(workspace, desired);
  const known = { addresses: desired };
  const { problems: unknown, ...listed } = listChains(
    state,
    asked,
    known,
    redaction,
    (one) => `no file declares ${one}`,
  );
  return { ...listed, problems: [...found, ...unknown], desired, state };
}

/** What chains by files show. */
export function redactDeclaredChains({ catalog }: Workspace, desired: DesiredState): ChainRedaction {
  const resources = new Map(Array.from(desired, ([address, { resource }]) => [address, resource] as const));
  return redactChains(resources, [], catalog.kinds, { declaredOf: (address) => desired.get(address) });
}

/** Without its priority, the place of an interceptor is unknown. */
export function findOpenPriorities(desired: DesiredState, { variables }: Workspace): readonly Problem[] {
  return [...desired.values()].flatMap((declared): readonly Problem[] => {
    const [name] = declared.templates?.get('/spec/priority')?.open ?? [];
    if (name === undefined) return [];
    const { address } = declared;
    const at = placeOf(declared, '/spec/priority');
    const message = `the priority of ${address} is unknown: ${name} has no value`;
    return [makeProblem({ code: 'missing-variable', message, address, at, hint: cureFor(name, variables) })];
  });
}

/** The kinds that say something about chains: all are of our own. */
const KINDS: readonly Kind[] = [...builtIn.kinds.values()].filter(({ facts }) => facts !== undefined);

/** The kinds of objects that are topics of clients, or make them. */
export const TOPIC_KINDS: readonly Kind[] = [...builtIn.kinds.values()].filter(({ topics }) => topics);

/** What a gateway has of the kinds that chains depend on. Rejects with a GatewayError. */
export function readChainState(
  workspace: Workspace,
  gateway: Pick<ReadableGateway, 'list'>,
  more: readonly Kind[],
): Promise<LiveState> {
  return readGateway(workspace, gateway, [...KINDS, ...more]);
}

/** The chains by what a gateway lists; resources of more kinds can be read with them. */
export async function findLiveChains(
  workspace: Workspace,
  gateway: Pick<ReadableGateway, 'list'>,
  asked?: Asked,
  more: readonly Kind[] = [],
): Promise<LiveChains> {
  const failed = (problem: Problem): LiveChains => ({
    ...{ result: 'error', chains: [], problems: [problem] },
    ...{ resources: new Map(), state: makeEffectiveState([], workspace.catalog.kinds) },
  });
  try {
    const { resources, unavailable } = await readChainState(workspace, gateway, more);
    const reason = unavailable.get(interceptor.name);
    if (reason !== undefined) return failed(unavailableProblem(interceptor.name, reason));
    const state = makeEffectiveState(resources, workspace.catalog.kinds);
    const known = { addresses: resources, unavailable };
    const redaction = redactChains(resources, [], workspace.catalog.kinds, workspace.secrets.known);
    const missing = (one: Address): string => `there is no ${one} on the gateway`;
    const listed = listChains(state, asked, known, redaction, missing);
    return { ...listed, problems: [...listed.problems, ...findUnread(unavailable)], resources, state };
  } catch (error) {
    return failed(gatewayProblem(error));
  }
}

/** The kinds of which nothing is in chains, because the gateway does not serve them: some of its modes have none. */
export function findUnread(unavailable: LiveState['unavailable']): readonly Problem[] {
  return [...unavailable].map(([kind, reason]) => ({
    ...unavailableProblem(kind, `it is left out: ${reason}`),
    severity: 'info',
  }));
}

function unavailableProblem(kind: string, reason: string): Problem {
  return makeProblem({
    code: 'kind-unavailable',
    message: `${kind} is not available: ${reason}`,
    hint: 'check the version and security mode of the gateway',
  });
}

function listChains(
  state: EffectiveState,
  asked: Asked | undefined,
  known: Known,
  redaction: ChainRedaction,
  missing: (address: Address) => string,
): FoundChains {
  const problems =
    asked === undefined
      ? []
      : [...findUnknown(asked, known, missing), ...findUnknownExternal(asked, state, redaction)];
  if (hasErrors(problems)) return { result: 'not-found', chains: [], problems };
  const chainOf = chainsOf(state);
  const chains = selectPrincipals(state, asked, redaction).map((principal) => ({
    principal,
    chain: chainOf(principal),
  }));
  return { result: 'ok', chains, problems };
}
