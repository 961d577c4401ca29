import { linksIn, chainsOf, type EffectiveState } from '../../effective/effective-state.ts';
import type { ReadingOperations } from '../../gateway/gateway.ts';
import { byKey, memoize } from '../../model/collect.ts';
import { identify } from '../../model/identity.ts';
import { addressOf } from '../../model/kind.ts';
import type { ChainLink, Principal, Chain } from '../../model/principal.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { catalog as builtIn } from '../../schema/kinds/index.ts';
import type { ChainRedaction } from '../../plan/secrets/hide-in-chains.ts';
import { interceptor } from '../../schema/kinds/interceptor.ts';
import { virtualCluster } from '../../schema/kinds/virtual-cluster.ts';
import { principalIn, selectPrincipals, type Asked } from './select-principals.ts';

type Resolver = Pick<ReadingOperations, 'resolveInterceptors'>;

/**
 * What the gateway runs for the first principal of each class; `found` gets the interceptors. Rejects with a GatewayError once no
 * call is in flight.
 */
export async function askGateway(
  gateway: Resolver,
  classes: readonly ChainClass[],
  found: Map<Address, Resource>,
): Promise<readonly (readonly ChainLink[])[]> {
  const calls = classes.map(({ isServed, pairs: [first] }) =>
    isServed ? ask(gateway, first.live, found) : Promise.resolve([]),
  );
  await Promise.allSettled(calls);
  return Promise.all(calls);
}

async function ask(
  gateway: Resolver,
  { virtualCluster: vCluster, username, groups }: Principal,
  found: Map<Address, Resource>,
): Promise<readonly ChainLink[]> {
  const principal = { vCluster, groups, ...(username === null ? {} : { username }) };
  const answer = await gateway.resolveInterceptors(interceptor, principal);
  return answer.flatMap((one) => {
    const address = identify(interceptor, one);
    found.set(address, one);
    return linksIn(address, one, builtIn.kinds);
  });
}

type RankedLink = Pick<ChainLink, 'address' | 'priority'>;

/**
 * How the answer of a gateway differs from the rule of scopes (gateway-api B.4). Equal priorities may come in any order. `who`
 * is the principal, for messages that do not stand alone.
 */
export function checkAnswer(
  answer: readonly RankedLink[],
  rule: readonly RankedLink[],
  who?: string,
): readonly Problem[] {
  const [there, expected] = [answer, rule].map((chain) => new Set(chain.map(({ address }) => address)));
  const where = who === undefined ? '' : ` for ${who}`;
  const warn = (message: string): Problem =>
    makeProblem({
      code: 'unexpected-chain',
      message: `${message}${where}`,
      hint: 'trust the gateway, and check its version: gwconf follows the documented rule',
    });
  const more = answer.filter(({ address }) => expected?.has(address) !== true);
  const less = rule.filter(({ address }) => there?.has(address) !== true);
  const isSorted = answer.every(({ priority }, at) => priority >= (answer[at - 1]?.priority ?? -Infinity));
  return [
    ...more.map(({ address }) => warn(`${address} runs on the gateway, but not by the rule of scopes`)),
    ...less.map(({ address }) =>
      warn(`${address} does not run on the gateway, but does by the rule of scopes`),
    ),
    ...(isSorted ? [] : [warn('the gateway does not answer in the order of priorities')]),
  ];
}

/** A principal with its groups in the files, and with those on the gateway. */
type Pair = { readonly declared: Principal; readonly live: Principal };

/** Principals for which the gateway has to give the same answer. */
export type ChainClass = {
  readonly pairs: readonly [Pair, ...Pair[]];
  readonly declared: Chain;
  /** By the lists of the gateway. */
  readonly live: Chain;
  /** Whether the gateway has their virtual cluster. Without it no client connects to it. */
  readonly isServed: boolean;
};

/** The principals that either side knows, or the one that is asked for. */
export function pairUp(
  files: EffectiveState,
  gateway: EffectiveState,
  asked: Asked | undefined,
  redaction: Pick<ChainRedaction, 'principalOf'>,
): readonly Pair[] {
  const known = new Map<string, Pair>();
  for (const state of [files, gateway])
    for (const principal of selectPrincipals(state, asked, redaction)) {
      const { virtualCluster: cluster, username, externalGroup } = principal;
      const key = JSON.stringify([cluster, username, externalGroup ?? null]);
      if (known.has(key)) continue;
      const one = { virtualCluster: cluster, username, externalGroup, groups: asked?.groups };
      known.set(key, { declared: principalIn(files, one), live: principalIn(gateway, one) });
    }
  // Anybody else comes behind those with a name: null sorts after texts in JSON.
  const shown = Array.from(known.values(), (pair) => {
    const [own, live] = [redaction.principalOf(pair.declared), redaction.principalOf(pair.live)];
    const { virtualCluster: cluster, username, externalGroup = null } = own;
    return [JSON.stringify([cluster, username, externalGroup, own.groups, live.groups]), pair] as const;
  });
  return shown.sort(byKey).map(([, pair]) => pair);
}

/** Principals by their chains in the files and by the lists of the gateway; those that differ first. */
export function classify(
  pairs: readonly Pair[],
  files: EffectiveState,
  gateway: EffectiveState,
  resources: ReadonlyMap<Address, Resource>,
): readonly ChainClass[] {
  const [declaredOf, liveOf] = [chainsOf(files), chainsOf(gateway)];
  const classes = new Map<string, Omit<ChainClass, 'pairs'> & { readonly pairs: [Pair, ...Pair[]] }>();
  for (const pair of pairs) {
    const name = pair.live.virtualCluster;
    const isServed =
      virtualCluster.builtIn.includes(name) || resources.has(addressOf(virtualCluster.name, name));
    const declared = declaredOf(pair.declared);
    const live = isServed ? liveOf(pair.live) : NOTHING;
    const key = `${keyOf(declared)} ${keyOf(live)} ${isServed}`;
    const known = classes.get(key);
    if (known === undefined) classes.set(key, { pairs: [pair], declared, live, isServed });
    else known.pairs.push(pair);
  }
  const isEqual = ({ declared, live }: ChainClass): boolean => keyOf(declared) === keyOf(live);
  return [...classes.values()].sort((one, other) => Number(isEqual(one)) - Number(isEqual(other)));
}

const NOTHING: Chain = [];

const keys = memoize((chain: Chain): { readonly key: string } => ({
  key: JSON.stringify(
    chain.map(({ one: { address, pluginClass, priority } }) => [address, pluginClass, priority]),
  ),
}));

/** Equal for chains that run the same. */
function keyOf(chain: Chain): string {
  return keys(chain).key;
}
