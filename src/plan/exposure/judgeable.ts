import { linksIn } from '../../effective/effective-state.ts';
import { memoize, present } from '../../model/collect.ts';
import type { Chain, ChainLink } from '../../model/principal.ts';
import { isStep } from '../change/change.ts';
import type { PrincipalClass } from './classes.ts';
import type { LinkTimeline } from './models.ts';
import type { World } from './weakenings.ts';

type Side = 'before' | 'after';

/** The same classes, with interceptors as they can be judged. A chain in several classes stays one. */
export function judgeable(
  classes: readonly PrincipalClass[],
  { redaction: { judgedAt }, kinds }: Pick<World, 'redaction' | 'kinds'>,
): readonly PrincipalClass[] {
  const open = (side: Side) => {
    const link = memoize((one: ChainLink): ChainLink => {
      const judged = judgedAt(one.address, side);
      const [open] = judged === undefined ? [] : linksIn(one.address, judged, kinds);
      return open === undefined ? one : { ...open, ...present({ isIdle: one.isIdle }) };
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
  const links = memoize((all: PrincipalClass['links']) => all.map(timeline));
  return classes.map((one) => ({
    ...one,
    before: before.chain(one.before),
    after: after.chain(one.after),
    get links() {
      return links(one.links); // few ask
    },
  }));
}

/** The same world, with resources as they can be judged. */
export function judgeableWorld({ live, changes, ...world }: World): World {
  const { judgedAt } = world.redaction;
  let open: World['live'] | undefined;
  return {
    ...world,
    get live() {
      return (open ??= new Map(
        Array.from(live, ([address, one]) => [address, judgedAt(address, 'before') ?? one] as const),
      ));
    },
    changes: changes.map((change) => {
      if (isStep(change)) return change;
      const [before, after] = [judgedAt(change.address, 'before'), judgedAt(change.address, 'after')];
      if (before === undefined && after === undefined) return change;
      return {
        ...change,
        ...('before' in change && before !== undefined ? { before } : {}),
        ...('after' in change && after !== undefined ? { after } : {}),
      }; // the same sort of change, with other values
    }),
  };
}
