import { memoize, once } from '../model/collect.ts';
import type { KindSet } from '../model/kind.ts';
import type { ChainLink } from '../model/principal.ts';
import { claimsReader, nearReader, topicsOfClaim } from './claim-reader.ts';
import type { Claim } from './claims.ts';
import { clusterOf, isFor } from './overtaken.ts';
import { areContained, isPlain, type Names } from './reach.ts';
import { piecesOf } from './topic-views.ts';
import { isApart, isAsStrong, undoingReader } from './undoing.ts';

/**
 * Finds the masks of a chain that run before what they mask is decrypted, where none masks it after that, each with the last interceptor that
 * decrypts it; with a topic, what is so of this one. What a mask does with an encrypted value is not documented (gateway-api B.4: a lower
 * priority runs first). `all` are the interceptors of all clients: what one encrypts another one reads. Only topics that are known count.
 */
export const earlyFinder = memoize((kinds: KindSet) => {
  const { undoesOf, isUndoing, topicsOf, lifts } = undoingReader(kinds);
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
      /** Whether something encrypts, for whomever, what a claim of a mask is about and an interceptor decrypts, and nothing masks it after that. */
      const isShown = (claim: Claim, mask: ChainLink, by: ChainLink): boolean => {
        const topics = topicsOfClaim(claim);
        const masking = nearby(topics).flatMap((late) =>
          late.pluginClass === mask.pluginClass
            ? read(late).flatMap((own) => (isAsStrong(claim, own) ? [{ late, on: topicsOfClaim(own) }] : []))
            : [],
        );
        const isIt = (encrypted: Claim): boolean => {
          if (encrypted.what === 'field' && encrypted.name !== claim.name) return false;
          if (lifts(by, encrypted) !== 'yes') return false;
          const lifting = undoing.filter((one) => lifts(one, encrypted) === 'yes');
          const isMasked = (one: Names): boolean =>
            masking.some(
              ({ late, on }) =>
                areContained(one, [on], 'topic') === 'yes' &&
                lifting.some(
                  (first) =>
                    first.priority < late.priority && areContained(one, [topicsOf(first)], 'topic') === 'yes',
                ),
            );
          const three = [topics, topicsOfClaim(encrypted), topicsOf(by)];
          const asked = topic === undefined ? piecesOfOne(three) : [{ type: 'one', name: topic } as const];
          return asked.some((one) => !three.some((other) => isApart(one, other)) && !isMasked(one));
        };
        return nearAll()(topics).some(
          (link) =>
            link.protects.some((sort) => sort === undoesOf(by)?.protection) &&
            isFor(clusterOf(link), virtualCluster) &&
            read(link).some(isIt),
        );
      };

      for (const by of undoing) {
        const isEarly = (mask: ChainLink): boolean =>
          mask.priority < by.priority &&
          mask.protects.some((sort) => sort === undoesOf(by)?.after) &&
          read(mask).some((claim) => lifts(by, claim) === 'yes' && isShown(claim, mask, by));
        for (const mask of nearby(topicsOf(by))) if (isEarly(mask)) found.set(mask, by);
      }
      return found;
    };
  };
});

/** The pieces of one of several patterns, of one that is a list of names if there is such: what is in all of them is then found exactly. */
function piecesOfOne(all: readonly Names[]): readonly Names[] {
  const pieces = all.map((names) =>
    piecesOf(names).map((one): Names =>
      one.type === 'pattern' && isPlain(one.text) ? { type: 'one', name: one.text } : one,
    ),
  );
  return pieces.find((some) => some.every(({ type }) => type === 'one')) ?? pieces[0] ?? [];
}
