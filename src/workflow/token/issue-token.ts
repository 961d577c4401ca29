import { GatewayError, type Gateway } from '../../gateway/gateway.ts';
import type { GatewayOperations } from '../../gateway/operations.ts';
import { hasErrors, isBlocked, type Problem } from '../../model/problem.ts';
import { axisOf, parseAddress, type Address } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { formatDuration } from '../../model/text/quantities.ts';
import { suggest } from '../../model/text/suggest.ts';
import { isLocal, serviceAccount } from '../../schema/kinds/service-account.ts';
import type { Host } from '../host.ts';
import { checkTarget } from '../live/target.ts';
import { gatewayProblem, readGateway } from '../live/read-live.ts';
import type { Workspace } from '../project/workspace.ts';
import { expiryOf, readJwt } from './jwt.ts';
import { checkTokenRules, type TokenWish } from './token-rules.ts';
import type { IssuedToken } from './token-formats.ts';

export type TokenResult = {
  readonly result: 'ok' | 'error' | 'blocked' | 'stale';
  readonly issued?: IssuedToken;
  readonly problems: readonly Problem[];
};

/**
 * Issues a token for a LOCAL account, if the rules of the project allow it and the account is there. The masker of the project
 * learns the token.
 */
export async function issueToken(
  host: Pick<Host, 'now'>,
  workspace: Workspace,
  gateway: Pick<Gateway, 'url' | 'list'> & Pick<GatewayOperations, 'issueToken'>,
  wish: TokenWish,
): Promise<TokenResult> {
  const wrongTarget = checkTarget(undefined, gateway.url, workspace);
  if (wrongTarget !== undefined) return { result: 'stale', problems: [wrongTarget] };
  const ruled = checkTokenRules(workspace.environment, wish);
  if (hasErrors(ruled)) return { result: isBlocked(ruled) ? 'blocked' : 'error', problems: ruled };
  try {
    const { resources } = await readGateway(workspace, gateway, [serviceAccount]);
    const fault = findAccountFault(wish.account, resources);
    if (fault !== undefined) return { result: 'error', problems: [...ruled, fault] };
    const username = parseAddress(wish.account)?.name ?? '';
    const virtualCluster = axisOf(wish.account, 'vCluster') ?? 'passthrough';
    const lifeTimeSeconds = wish.lifetimeSeconds;
    const token = await gateway.issueToken({ username, vCluster: virtualCluster, lifeTimeSeconds });
    workspace.secrets.note(token);
    const expiry = expiryOf(readJwt(token) ?? { claims: {} });
    const expiresAt = expiry === undefined ? undefined : new Date(expiry).toISOString();
    return {
      result: 'ok',
      issued: { account: wish.account, username, virtualCluster, token, expiresAt },
      problems: [...ruled, ...checkExpiry(expiry, host.now().getTime(), wish)],
    };
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return { result: 'error', problems: [...ruled, gatewayProblem(error)] };
  }
}

function findAccountFault(account: Address, live: LiveState['resources']): Problem | undefined {
  const found = live.get(account);
  if (found === undefined) {
    const near = suggest(account, live.keys());
    return {
      code: 'not-found',
      severity: 'error',
      message: `there is no ${account} on the gateway`,
      hint: near === undefined ? 'declare and apply it first' : `did you mean ${near}?`,
    };
  }
  if (isLocal(found)) return undefined;
  return {
    code: 'no-token',
    severity: 'error',
    message: `${account} is EXTERNAL: its identity provider issues its credentials, not the gateway`,
    hint: 'get its credentials from the identity provider, or issue a token for a LOCAL account',
  };
}

/** Less than this may be the difference of two clocks. */
const TOLERANCE_MS = 600_000;

/** A gateway may understand the lifetime in another unit, or have a limit of its own. */
function checkExpiry(
  expiry: number | undefined,
  now: number,
  { lifetime, lifetimeSeconds }: TokenWish,
): readonly Problem[] {
  if (expiry === undefined || Math.abs(expiry - now - lifetimeSeconds * 1000) <= TOLERANCE_MS) return [];
  const left = (expiry - now) / 1000;
  const found = left < 0 ? `expired ${formatDuration(-left)} ago` : `expires in ${formatDuration(left)}`;
  return [
    {
      code: 'unusual-value',
      severity: 'warning',
      message: `the token ${found}; expected ${lifetime}`,
      hint: 'compare the clock of the gateway with that of this machine',
    },
  ];
}
