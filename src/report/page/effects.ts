import { groupBy, memoize } from '../../model/collect.ts';
import type { Address } from '../../model/resource.ts';
import { list } from '../../model/text/list.ts';
import type { Action } from '../../plan/change/change.ts';
import type { Effect, ShownLink } from '../../plan/change/plan.ts';
import { formatChain, shortenNames } from './chain-lines.ts';
import type { DiffLine } from './edits.ts';
import type { Consequence } from './principals.ts';
import { describePrincipals } from '../../plan/change/name-principals.ts';

/** The actions of a plan, by address. */
export type Actions = ReadonlyMap<string, Action>;

/** Effects with the same difference together: first those that lose something, then those on the most principals. */
export function groupEffects(
  effects: readonly Effect[],
  actions: Actions = new Map(),
): readonly Consequence[] {
  const compare = compareOnce();
  const rankOf = ([first]: Group): number => (compare(first).difference.lost.length > 0 ? 0 : 1);
  return [...groupBy(effects, (one) => compare(one).key).values()]
    .sort((one, other) => rankOf(one) - rankOf(other) || other.length - one.length)
    .map((group) => consequenceOf(group, compare, actions));
}

type Group = readonly [Effect, ...Effect[]];

/** How a chain differs. */
type Difference = {
  readonly lost: readonly Address[];
  readonly gained: readonly Address[];
  /** Interceptors that stay, with another class or priority. */
  readonly classes: readonly Address[];
  readonly priorities: readonly Address[];
  /** Interceptors that stay, if they run in another order. */
  readonly reordered: readonly Address[];
};

type Comparison = {
  readonly difference: Difference;
  /** The same for the same difference. */
  readonly key: string;
  /** The same for the same chains. */
  readonly chains: string;
};

/** Compares each pair of chains once: principals share them. */
function compareOnce(): (effect: Effect) => Comparison {
  const compare = memoize((before: Effect['before']) =>
    memoize((after: Effect['after']) => compareChains(before, after)),
  );
  return ({ before, after }) => compare(before)(after);
}

function compareChains(before: readonly ShownLink[], after: readonly ShownLink[]): Comparison {
  const former = new Map(before.map((link) => [link.address, link]));
  const later = new Map(after.map((link) => [link.address, link]));
  const stay = (chain: readonly ShownLink[]): readonly Address[] =>
    chain.map(({ address }) => address).filter((address) => former.has(address) && later.has(address));
  const [was, is] = [stay(before), stay(after)];
  const differIn = (field: 'pluginClass' | 'priority'): readonly Address[] =>
    is.filter((address) => former.get(address)?.[field] !== later.get(address)?.[field]);
  const shown: Difference = {
    lost: [...former.keys()].filter((address) => !later.has(address)),
    gained: [...later.keys()].filter((address) => !former.has(address)),
    classes: differIn('pluginClass'),
    priorities: differIn('priority'),
    reordered: was.some((address, at) => address !== is[at]) ? is : [],
  };
  // An effect in which nothing differs that is shown is one of priorities that are hidden.
  const isHidden = Object.values(shown).every(({ length }) => length === 0);
  const hidden = is.filter((address) => later.get(address)?.priority === '(hidden)');
  const difference = isHidden ? { ...shown, priorities: hidden } : shown;
  const chains = JSON.stringify([[...former.keys()], [...later.keys()]]);
  return { difference, key: JSON.stringify(difference), chains };
}

function consequenceOf(group: Group, compare: (effect: Effect) => Comparison, actions: Actions): Consequence {
  const [first] = group;
  const { difference, chains } = compare(first);
  const { subject, isPlural, names } = describePrincipals(group);
  const hasOneChain = group.every((one) => compare(one).chains === chains);
  return {
    count: group.length,
    text: `${subject} ${describeDifference(difference, isPlural)}`,
    names,
    notes: [],
    lines: hasOneChain ? chainLines(first, difference) : [],
    causes: causesOf(difference, actions),
  };
}

/** An interceptor that is deleted runs for nobody, one that is created ran for nobody. Groups can cause an effect, too. */
function causesOf({ lost, gained, classes, priorities }: Difference, actions: Actions): readonly Address[] {
  const among = (addresses: readonly Address[], ...wanted: readonly Action[]): readonly Address[] =>
    addresses.filter((address) => wanted.some((action) => action === actions.get(address)));
  const changed = [...new Set([...classes, ...priorities])];
  return [...among(lost, 'delete'), ...among(gained, 'create'), ...among(changed, 'update', 'replace')];
}

function describeDifference(
  { lost, gained, classes, priorities, reordered }: Difference,
  isPlural: boolean,
): string {
  const shorten = shortenNames([...lost, ...gained, ...classes, ...priorities, ...reordered]);
  const nameAll = (addresses: readonly Address[]): string => list(addresses.map(shorten));
  const [lose, gain, run] = isPlural ? ['lose', 'gain', 'run'] : ['loses', 'gains', 'runs'];
  return [
    ...(lost.length > 0 ? [`${lose} ${nameAll(lost)}`] : []),
    ...(gained.length > 0 ? [`${gain} ${nameAll(gained)}`] : []),
    ...(classes.length > 0 ? [`${run} another class as ${nameAll(classes)}`] : []),
    ...(reordered.length > 0
      ? [`${run} ${nameAll(reordered)} in another order`]
      : priorities.length > 0
        ? [`${run} ${nameAll(priorities)} with another priority`]
        : []),
  ].join(', ');
}

/** Both chains, if they tell more than their difference does. */
function chainLines({ before, after }: Effect, { lost, gained, reordered }: Difference): readonly DiffLine[] {
  const stays = before.length > lost.length;
  const differs = lost.length + gained.length + reordered.length > 0;
  return stays && differs ? [chainLine('-', before), chainLine('+', after)] : [];
}

function chainLine(sign: '-' | '+', chain: readonly ShownLink[]): DiffLine {
  return { sign, text: `${sign === '-' ? 'before' : 'after'}: ${formatChain(chain)}` };
}
