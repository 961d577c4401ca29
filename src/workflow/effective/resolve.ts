import { explainEffectiveChain, linksIn, makeEffectiveState } from '../../effective/effective-state.ts';
import { GatewayError, type ReadableGateway, type ReadingOperations } from '../../gateway/gateway.ts';
import { identify } from '../../model/identity.ts';
import { PASSTHROUGH, type Principal } from '../../model/principal.ts';
import type { Problem } from '../../model/problem.ts';
import type { Told } from '../../outcome/outcome.ts';
import type { ResolveReport } from '../../outcome/gateway.ts';
import { describeProblem } from '../../outcome/problem-record.ts';
import { redactChains } from '../../plan/secrets/hide-in-chains.ts';
import { group } from '../../schema/kinds/group.ts';
import { interceptor } from '../../schema/kinds/interceptor.ts';
import { serviceAccount } from '../../schema/kinds/service-account.ts';
import { virtualCluster } from '../../schema/kinds/virtual-cluster.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { Host } from '../host.ts';
import { type Opened, gatewayProblem, readGateway } from '../live/read-live.ts';
import { learnDeclared } from '../project/input.ts';
import type { Workspace } from '../project/workspace.ts';
import { checkAnswer } from './ask-gateway.ts';
import { findUnread } from './find-chains.ts';
import { findUnknown, principalIn, type Asked } from './select-principals.ts';

type ResolvedChain = Pick<ResolveReport, 'result' | 'interceptors'> & {
  /** With all its groups. */
  readonly client?: Principal;
  readonly problems: readonly Problem[];
};

type Resolving = ReadableGateway & Pick<ReadingOperations, 'resolveInterceptors'>;

/**
 * Asks the gateway which interceptors run for a client, and explains its answer by the rule of scopes (gateway-api B.4). The groups of
 * the client are those that are named, and those that it is a member of on the gateway.
 */
export async function resolveClient(
  host: Host,
  workspace: Workspace,
  opened: Opened<Resolving>,
  asked: Asked,
): Promise<Told<ResolveReport>> {
  const isOpen = 'gateway' in opened;
  const {
    result,
    interceptors,
    client,
    problems: found,
  }: ResolvedChain = isOpen
    ? await resolve(host, workspace, opened.gateway, asked)
    : { ...opened, interceptors: [] };
  const problems = locateProblems([...(isOpen ? opened.warnings : []), ...found]);
  const { username, virtualCluster: cluster = PASSTHROUGH, groups = [] } = client ?? asked;
  const about = { username: username ?? undefined, virtualCluster: cluster, groups: [...groups] };
  const gateway = isOpen ? opened.gateway.url : '';
  const outcome: ResolveReport = {
    format: 'gwconf/resolve-report@1',
    ...{ result, gateway, client: about, interceptors },
    problems: problems.map(describeProblem),
  };
  return { outcome, problems };
}

async function resolve(
  host: Host,
  workspace: Workspace,
  gateway: Resolving,
  asked: Asked,
): Promise<ResolvedChain> {
  try {
    await learnDeclared(host, workspace);
    const live = await readGateway(workspace, gateway, [interceptor, virtualCluster, group, serviceAccount]);
    const state = makeEffectiveState(live.resources, workspace.catalog.kinds);
    const client = principalIn(state, { ...asked, virtualCluster: asked.virtualCluster ?? PASSTHROUGH });
    const { username, virtualCluster: vCluster, groups } = client;
    const named = username === null ? {} : { username };
    const answer = await gateway.resolveInterceptors(interceptor, { vCluster, groups, ...named });
    const known = { addresses: live.resources, unavailable: live.unavailable };
    const answered = new Map(answer.map((one) => [identify(interceptor, one), one] as const));
    const found = [...answered].flatMap(([address, one]) => linksIn(address, one, workspace.catalog.kinds));
    const { priorityOf } = redactChains(answered, [], workspace.catalog.kinds, workspace.secrets.known);
    const links = explainEffectiveChain(state, client);
    const rule = links.map(({ one }) => one);
    const overrides = new Map(links.map((link) => [link.one.address, link.overrides] as const));
    return {
      result: 'ok',
      client,
      interceptors: found.map((link) => {
        const { address, name, scope, pluginClass } = link;
        const instead = (overrides.get(address) ?? []).map((one) => one.address);
        return { address, name, scope, priority: priorityOf(link), pluginClass, overrides: instead };
      }),
      problems: [
        ...findUnknown(asked, known, (one) => `there is no ${one} on the gateway`),
        ...checkAnswer(found, rule),
        ...findUnread(live.unavailable),
      ],
    };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { result: 'error', interceptors: [], problems: [gatewayProblem(error)] };
  }
}
