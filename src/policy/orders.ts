import { HIDDEN } from '../model/secrets/secrets.ts';
import type { ChainValue } from './subjects.ts';

/** Where a chain may have more orders, no policy can judge it. */
export const MOST_ORDERS = 100;

/**
 * All the orders that a chain may have: one, unless priorities are hidden. None if there are too many. Equal priorities are sorted
 * by address, which the gateway does not promise.
 */
export function possibleOrders(chain: readonly ChainValue[]): readonly (readonly ChainValue[])[] {
  const hidden = chain.filter(({ priority }) => priority === HIDDEN);
  if (hidden.length === 0) return [chain];
  const known = chain.filter(({ priority }) => priority !== HIDDEN);
  known.sort((one, other) => Number(one.priority) - Number(other.priority));
  let orders: readonly (readonly ChainValue[])[] = [known];
  for (const link of hidden) {
    orders = orders.flatMap((order) =>
      Array.from({ length: order.length + 1 }, (_, at) => order.toSpliced(at, 0, link)),
    );
    if (orders.length > MOST_ORDERS) return [];
  }
  return orders;
}
