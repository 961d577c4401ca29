import { memoize, once } from '../model/collect.ts';
import type { KindSet } from '../model/kind.ts';
import type { ChainLink } from '../model/principal.ts';
import { claimsReader, nearReader, topicsOfClaim } from './claim-reader.ts';
import type { Claim } from './claims.ts';
import { clusterOf, isFor } from './overtaken.ts';
import { areContained, type Names } from './reach.ts';
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
                liesIn(one, on) &&
                lifting.some((first) => first.priority < late.priority && liesIn(one, topicsOf(first))),
            );
          const three = [topics, topicsOfClaim(encrypted), topicsOf(by)];
          const asked = topic === undefined ? piecesOfOne(three) : [{ type: 'one', name: topic } as const];
          return asked.some((one) => three.every((other) => meets(one, other)) && !isMasked(one));
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
  const listed = all.flatMap((names) => listIn(names).names ?? [])[0];
  return listed === undefined
    ? all.slice(0, 1).flatMap(piecesOf)
    : Array.from(listed, (name) => ({ type: 'one', name }));
}

/** The names that a pattern lists, where it has no special characters: they are looked up, as no expression can be asked of thousands. */
const listIn = memoize((names: Names): { readonly names?: ReadonlySet<string> } => {
  const texts = piecesOf(names).flatMap((one) => {
    if (one.type === 'one') return one.name;
    return one.type === 'pattern' && /^[\w.-]+$/.test(one.text) ? one.text : [];
  });
  return texts.length === piecesOf(names).length ? { names: new Set(texts) } : {};
});

function isListed(one: Names, others: Names): boolean | undefined {
  return one.type === 'one' ? listIn(others).names?.has(one.name) : undefined;
}

const meets = (one: Names, others: Names): boolean => isListed(one, others) ?? !isApart(one, others);
const liesIn = (one: Names, others: Names): boolean =>
  isListed(one, others) ?? areContained(one, [others], 'topic') === 'yes';
