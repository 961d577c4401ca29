import { memoize, once } from '../model/collect.ts';
import type { KindSet } from '../model/kind.ts';
import type { ChainLink } from '../model/principal.ts';
import { claimsReader, nearReader, topicsOfClaim } from './claim-reader.ts';
import type { Claim } from './claims.ts';
import { clusterOf, isFor } from './overtaken.ts';
import { areContained, holds, type Names } from './reach.ts';
import { isApart, undoingReader } from './undoing.ts';

/**
 * Finds the masks of a chain that run before what they mask is decrypted, where none runs after that, each with the last interceptor that
 * decrypts it; with a topic, what is so of this one. What a mask does with an encrypted value is not documented (gateway-api B.4: a lower
 * priority runs first). `all` are the interceptors of all clients: what one encrypts another one reads. Only topics that are known count.
 */
export const earlyFinder = memoize((kinds: KindSet) => {
  const { undoesOf, isUndoing, topicsOf, lifts, namesLate } = undoingReader(kinds);
  const read = claimsReader(kinds);
  const { near } = nearReader(kinds);
  return (all: readonly ChainLink[]) => {
    const nearAll = once(() => near(all));
    return (
      running: readonly ChainLink[],
      virtualCluster: string,
      topic?: string,
    ): ReadonlyMap<ChainLink, ChainLink> => {
      const found = new Map<ChainLink, ChainLink>();
      const undoing = running.filter(isUndoing);
      if (undoing.length === 0) return found;
      const nearby = near(running);
      const isAsked = (names: Names): boolean => topic === undefined || holds(names, topic) === 'yes';

      /** Whether something encrypts what a claim is about and an interceptor decrypts, on topics other than these. */
      const isLifted = (claim: Claim, by: ChainLink, late: readonly Names[]): boolean => {
        const isLate = (names: Names): boolean => areContained(names, late, 'topic') === 'yes';
        const topics = topicsOfClaim(claim);
        if (isLate(topics) || isLate(topicsOf(by))) return false;
        const isIt = (own: Claim): boolean =>
          (own.what !== 'field' || own.name === claim.name) &&
          isAsked(topicsOfClaim(own)) &&
          !isApart(topicsOfClaim(own), topics) &&
          lifts(by, own) === 'yes' &&
          !isLate(topicsOfClaim(own));
        return nearAll()(topics).some(
          (link) =>
            link.protects.some((sort) => sort === undoesOf(by)?.protection) &&
            isFor(clusterOf(link), virtualCluster) &&
            read(link).some(isIt),
        );
      };

      for (const by of undoing) {
        if (!isAsked(topicsOf(by))) continue;
        const isEarly = (mask: ChainLink): boolean =>
          mask.priority < by.priority &&
          mask.protects.some((sort) => sort === undoesOf(by)?.after) &&
          read(mask).some(
            (claim) =>
              lifts(by, claim) === 'yes' &&
              isLifted(claim, by, namesLate(claim, mask, nearby(topicsOfClaim(claim)))),
          );
        for (const mask of nearby(topicsOf(by))) if (isEarly(mask)) found.set(mask, by);
      }
      return found;
    };
  };
});
