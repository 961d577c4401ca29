import { memoize } from '../model/collect.ts';
import { canonicalText } from '../model/json/json.ts';
import type { Undoes } from '../model/kind.ts';
import type { ChainLink } from '../model/principal.ts';
import type { Address } from '../model/resource.ts';
import { claimsReader, nearReader, topicsOfClaim } from './claim-reader.ts';
import type { Claim } from './claims.ts';
import { areContained } from './reach.ts';
import { findTopics, type Views } from './topic-views.ts';
import { isApart, isLater, undoingReader } from './undoing.ts';
import type { JudgeOptions, Weakened } from './weakening.ts';

/** Something that is protected, and that an interceptor takes the protection off for a client: decryption, for example. */
export type Undone = Pick<Weakened, 'protection' | 'certainty' | 'by' | 'claim'> & {
  /** The interceptor that takes it off. */
  readonly through: ChainLink;
  /** The known topics where that is so; none: all that it is for. */
  readonly topics: readonly string[];
  /** The objects that give clients the names of these, where it is told because of those. */
  readonly named?: readonly Address[];
};

/** What is asked about a client: what runs, for it and for all, and what it has of the topics of others. */
export type Setting = {
  readonly before: readonly ChainLink[];
  readonly after: readonly ChainLink[];
  readonly virtualCluster: string;
  readonly protecting: Protecting;
  readonly views: Views;
};

/** All interceptors, for whomever they are: what one client encrypts another one reads. */
export type Protecting = { readonly before: readonly ChainLink[]; readonly after: readonly ChainLink[] };

/** The virtual cluster that an interceptor is for; undefined if it is for all. */
export function clusterOf({ scope }: ChainLink): string | undefined {
  return typeof scope['vCluster'] === 'string' ? scope['vCluster'] : undefined;
}

/** Whether what is for a virtual cluster, or for all, is for this one. */
export function isFor(own: string | undefined, virtualCluster: string): boolean {
  return own === undefined || own === virtualCluster;
}

/** What an interceptor does, whatever its name. */
export const textOf = ({ pluginClass, config }: ChainLink): string =>
  `${pluginClass} ${canonicalText(config)}`;

/** Finds what runs on a record, such as a mask, before it is decrypted, and ran after that, or had nothing to wait for. What it does then is not documented. */
export function overtakenFinder({ protectionOf, kinds, topicsIn }: JudgeOptions) {
  const read = claimsReader(kinds);
  const { undoesOf, isUndoing, topicsOf, lifts, namesLate } = undoingReader(kinds);
  const { near } = nearReader(kinds);
  const nearOf = memoize(({ before, after }: Protecting) => {
    const known = new Set(before.map(textOf));
    return { before: near(before), fresh: near(after.filter((link) => !known.has(textOf(link)))) };
  });
  /** Whether changes encrypt, perhaps, what a mask is for, and nothing encrypted it before. */
  const isNewlyEncrypted = (
    claim: Claim,
    undoes: Undoes,
    { virtualCluster, protecting }: Setting,
  ): boolean => {
    const topics = topicsOfClaim(claim);
    const isIt = (own: Claim): boolean =>
      (own.what !== 'field' || own.name === claim.name) && !isApart(topicsOfClaim(own), topics);
    const encrypts = (by: ChainLink): boolean =>
      isFor(clusterOf(by), virtualCluster) &&
      protectionOf(by).includes(undoes.protection) &&
      read(by).some(isIt);
    const { before, fresh } = nearOf(protecting);
    return fresh(topics).some(encrypts) && !before(topics).some(encrypts);
  };

  return (setting: Setting): readonly Undone[] => {
    const { before, after, virtualCluster } = setting;
    return after.flatMap((link) => {
      const undoes = undoesOf(link);
      if (undoes === undefined) return [];
      const overtaken = after.filter((by) => protectionOf(by).includes(undoes.after) && isLater(link, by));
      return overtaken.flatMap((by) =>
        read(by).flatMap((claim): readonly Undone[] => {
          if (lifts(link, claim) === 'no') return [];
          const running = isNewlyEncrypted(claim, undoes, setting)
            ? before.filter((one) => !isUndoing(one))
            : before;
          const [had, has] = [namesLate(claim, by, running), namesLate(claim, by, after)];
          if (had.every((names) => areContained(names, has, 'topic') === 'yes')) return [];
          const found = findTopics(topicsOfClaim(claim), topicsOf(link), has, topicsIn(virtualCluster));
          const overtaken = { protection: undoes.after, certainty: 'cannot-tell', by, claim } as const;
          return found.map((topics) => ({ ...overtaken, through: link, topics }));
        }),
      );
    });
  };
}
