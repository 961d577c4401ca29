import type { ReadingOperations } from '../../gateway/operations.ts';
import { linksIn } from '../../effective/state.ts';
import { identify } from '../../model/identity.ts';
import type { ChainLink, Principal } from '../../model/principal.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { interceptor } from '../../schema/kinds/interceptor.ts';
import type { ChainClass } from './classify.ts';

type Resolver = Pick<ReadingOperations, 'resolveInterceptors'>;

/** What the gateway runs for the first principal of each class. Rejects with a GatewayError once no call is in flight. */
export async function askGateway(
  gateway: Resolver,
  classes: readonly ChainClass[],
): Promise<readonly (readonly ChainLink[])[]> {
  const calls = classes.map(({ isServed, pairs: [first] }) =>
    isServed ? ask(gateway, first.live) : Promise.resolve([]),
  );
  await Promise.allSettled(calls);
  return Promise.all(calls);
}

async function ask(
  gateway: Resolver,
  { virtualCluster: vCluster, username, groups }: Principal,
): Promise<readonly ChainLink[]> {
  const principal = { vCluster, groups, ...(username === null ? {} : { username }) };
  const answer = await gateway.resolveInterceptors(interceptor, principal);
  return answer.flatMap((one) => linksIn(identify(interceptor, one), one, catalog.kinds));
}
