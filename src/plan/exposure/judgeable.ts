import { linksIn } from '../../effective/effective-state.ts';
import { memoize, present } from '../../model/collect.ts';
import type { Chain, ChainLink } from '../../model/principal.ts';
import type { KindSet } from '../../model/kind.ts';
import type { ChainRedaction } from '../secrets/hide-in-chains.ts';
import type { LinkTimeline, Setting } from './models.ts';

type Side = 'before' | 'after';
type Sides = Readonly<Record<Side, Chain>>;

/** The same classes, with interceptors as they can be judged, and as they are shown. A chain in several classes stays one. */
export function judgeable<C extends Sides & Setting>(
  classes: readonly C[],
  { judgedAt, movesAt }: Pick<ChainRedaction, 'judgedAt' | 'movesAt'>,
  kinds: KindSet,
): readonly (C & { readonly shown: Sides })[] {
  const open = (side: Side) => {
    const link = memoize((one: ChainLink): ChainLink => {
      const judged = judgedAt(one.address, side);
      const [open] = judged === undefined ? [] : linksIn(one.address, judged, kinds);
      if (open === undefined) return one;
      const isMoved = side === 'before' && movesAt(one.address) ? true : undefined;
      return { ...open, ...present({ isIdle: one.isIdle, isMoved }) };
    });
    const chain = memoize((links: Chain): Chain => {
      const opened = links.map((each) =>
        link(each.one) === each.one ? each : { ...each, one: link(each.one) },
      );
      return opened.some((each, at) => each !== links[at]) ? opened : links;
    });
    return { link, chain };
  };
  const [before, after] = [open('before'), open('after')];
  const timeline = memoize((one: LinkTimeline): LinkTimeline => ({
    ...one,
    start: one.start && before.link(one.start),
    steps: one.steps.map(({ id, to }) => ({ id, to: to && after.link(to) })),
  }));
  const links = memoize((all: Setting['links']) => all.map(timeline));
  return classes.map((one) => ({
    ...one,
    shown: one,
    before: before.chain(one.before),
    after: after.chain(one.after),
    get links() {
      return links(one.links); // few ask
    },
  }));
}
