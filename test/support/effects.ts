import { addressOf } from '../../src/model/kind.ts';
import type { Address } from '../../src/model/resource.ts';
import type { Principal } from '../../src/model/principal.ts';
import type { ChangeId } from '../../src/plan/change/change.ts';
import type { Effect, Exposure, ShownLink } from '../../src/plan/change/plan.ts';

/** A client of a virtual cluster; without a name, all others. */
export function principal(username: string | null, virtualCluster = 'prod'): Principal {
  return { virtualCluster, username, groups: [] };
}

/** Accounts with numbers. */
export function accounts(count: number, virtualCluster = 'prod'): readonly Principal[] {
  return Array.from({ length: count }, (_, at) => principal(`user-${at + 1}`, virtualCluster));
}

/** `mask` is `Interceptor/mask@vCluster=prod`; `mask@group=team` has another scope. */
export function interceptor(text: string): Address {
  const [name = '', scope = 'vCluster=prod'] = text.split('@');
  return `${addressOf('Interceptor', name)}@${scope}` as Address;
}

/** Interceptors in this order, all of one priority. */
export function chain(...names: readonly string[]): readonly ShownLink[] {
  return names.map((name) => ({ address: interceptor(name), pluginClass: 'Some', priority: 1 }));
}

export function effectOn(one: Principal, before: readonly ShownLink[], after: readonly ShownLink[]): Effect {
  return { ...one, before, after };
}

/** Masking by `mask`, which goes. */
export function exposureOf(one: Principal, differing: Partial<Exposure> = {}): Exposure {
  const lost = interceptor('mask');
  return {
    ...one,
    protection: 'masking',
    lasting: true,
    lost: [lost],
    from: lost as string as ChangeId,
    ...differing,
  };
}
