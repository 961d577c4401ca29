import { groupBy } from '../../model/collect.ts';
import { parseAddress } from '../../model/resource.ts';
import type { LinkRecord } from '../../outcome/effective.ts';
import { quoteOdd } from '../../plan/change/name-principals.ts';

/** A chain on one line: `5 audit (global) → 200 limit (vCluster=prod)`. */
export function formatChain(
  chain: readonly (Pick<LinkRecord, 'address' | 'topic'> & {
    readonly priority: LinkRecord['priority'] | '(hidden)';
  })[],
): string {
  if (chain.length === 0) return 'no interceptors';
  return chain
    .map(({ address, priority, topic }) => {
      const doubt = topic?.covers === 'unknown' ? `; ${UNCERTAIN}` : '';
      return `${priority} ${nameOf(address)} (${reasonOf(address)}${doubt})`;
    })
    .join(' → ');
}

/** What there is to know about an interceptor of a chain beside its place in it. */
export function explainLink({ address, pluginClass, overrides = [], at, topic }: LinkRecord): string {
  return [
    `${nameOf(address)}: ${pluginClass}`,
    ...(overrides.length === 0 ? [] : [`instead of ${overrides.map(scopeIn).join('; ')}`]),
    ...(at === undefined ? [] : [`declared at ${at.file}:${at.line}`]),
    ...(topic === undefined ? [] : [topic.covers === 'yes' ? topic.reason : `${UNCERTAIN}: ${topic.reason}`]),
  ].join(', ');
}

/** What the chain protects its principals by. */
export function formatProtection(chain: readonly LinkRecord[]): string {
  const sortsOf = (links: readonly LinkRecord[]): ReadonlySet<string> =>
    new Set(links.flatMap(({ protects }) => protects));
  const certain = sortsOf(chain.filter(({ topic }) => topic?.covers !== 'unknown'));
  const sorts = [...sortsOf(chain)].sort();
  return sorts.length === 0
    ? 'none'
    : sorts.map((sort) => (certain.has(sort) ? sort : `${sort} (${UNCERTAIN})`)).join(', ');
}

/** Of an interceptor of which it is not certain whether it acts on a topic. */
const UNCERTAIN = 'not certain';

export function nameOf(address: string): string {
  return parseAddress(address)?.name ?? address;
}

/** The name of each address, with what makes it specific if another one of them has the same name. */
export function shortenNames(addresses: readonly string[]): (address: string) => string {
  const byName = groupBy(new Set(addresses), nameOf);
  return (address) => {
    const name = quoteOdd(nameOf(address));
    return (byName.get(nameOf(address))?.length ?? 0) > 1 ? `${name} (${reasonOf(address)})` : name;
  };
}

/** The axis of a scope that makes it as specific as it is. */
export function reasonOf(address: string): string {
  const axes = Object.entries(parseAddress(address)?.scope ?? {});
  const [axis, value] = axes.at(-1) ?? ['global'];
  return value === undefined || value === null ? axis : `${axis}=${value}`;
}

/** The part of an address after the name. */
export function scopeIn(address: string): string {
  return address.slice(address.indexOf('@') + 1);
}
