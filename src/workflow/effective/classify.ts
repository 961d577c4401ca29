import { chainsOf, type EffectiveState } from '../../effective/state.ts';
import type { Chain, Principal } from '../../model/principal.ts';
import { memoize } from '../../model/collect.ts';
import { addressOf } from '../../model/kind.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { virtualCluster } from '../../schema/kinds/virtual-cluster.ts';
import { principalIn, selectPrincipals, type Asked } from './select-principals.ts';

/** A principal with its groups in the files, and with those on the gateway. */
export type Pair = { readonly declared: Principal; readonly live: Principal };

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
): readonly Pair[] {
  const known = new Map<string, Pair>();
  for (const state of [files, gateway])
    for (const principal of selectPrincipals(state, asked)) {
      const { virtualCluster: cluster, username, externalGroup } = principal;
      const key = JSON.stringify([cluster, username, externalGroup ?? null]);
      if (known.has(key)) continue;
      const one = { virtualCluster: cluster, username, externalGroup, groups: asked?.groups };
      known.set(key, { declared: principalIn(files, one), live: principalIn(gateway, one) });
    }
  // Anybody else comes behind those with a name: null sorts after texts in JSON.
  return [...known].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, pair]) => pair);
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
