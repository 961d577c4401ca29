import { groupBy, addTo } from '../../model/collect.ts';
import { standsForMany, type ChainLink, type Principal } from '../../model/principal.ts';
import { makeProblem, type Place, type Problem } from '../../model/problem.ts';
import type { LocatedText, TestCase } from '../../model/test-case.ts';
import { list } from '../../model/text/list.ts';
import { suggest } from '../../model/text/suggest.ts';
import { compileLinkGlobs } from '../protection.ts';
import { groupsOf, identityOf } from '../list-present.ts';
import {
  isGlob,
  matchPrincipals,
  linksOf,
  type Tested,
  namePrincipal,
  knownPrincipals,
  shownPrincipals,
} from './tested.ts';

export type CheckedCase = {
  readonly principals: readonly Principal[];
  /** The interceptors that its expectations depend on. */
  readonly touched: ReadonlySet<ChainLink>;
  /** An expectation that does not hold is an error. */
  readonly problems: readonly Problem[];
};

/** A chain, as far as it covers the topic of the case. */
type Narrowed = {
  readonly links: readonly ChainLink[];
  /** Interceptors that may cover the topic, and why that cannot be told. */
  readonly unclear: readonly { readonly link: ChainLink; readonly reason: string }[];
  /** Interceptors whose config is about others than these clients: they run, and protect nothing of theirs. */
  readonly idle: readonly ChainLink[];
  /** Masks that are of no use, since what they mask is decrypted after them, each with what does that. */
  readonly early: () => ReadonlyMap<ChainLink, ChainLink>;
};

type Context = { readonly tested: Tested; readonly touched: Set<ChainLink> };

/** An expectation: what clients with a chain have instead; undefined if it holds. */
type Check = { readonly at: Place; readonly fault: (chain: Narrowed) => string | undefined };

export function checkCase(one: TestCase, tested: Tested): CheckedCase {
  const { value: principals, problems } = matchPrincipals(one.as, tested);
  const context: Context = { tested, touched: new Set() };
  const narrowed = narrowChains(one, principals, tested);
  const failed = checksOf(one, context).flatMap(({ at, fault }): readonly Problem[] => {
    const faults = narrowed.flatMap(({ chain, group }) => {
      const found = fault(chain);
      return found === undefined ? [] : [{ found, group }];
    });
    const [first] = faults;
    const group = faults.flatMap((one) => one.group);
    return first === undefined
      ? []
      : [failure(at, one.as, group.map(tested.shownAs), ['has', 'have'], first.found)];
  });
  return {
    principals,
    touched: context.touched,
    problems: [...problems, ...findUnknown(one, tested), ...failed, ...findLosses(one, principals, tested)],
  };
}

/** The chains of principals. Those with the same chain are one group; with a topic, what it covers may depend on their names. */
function narrowChains(
  { topic }: TestCase,
  principals: readonly Principal[],
  { state, coverageOf, audienceOf, earlyOf }: Tested,
): readonly { readonly chain: Narrowed; readonly group: readonly Principal[] }[] {
  const linksFor = linksOf(state);
  if (topic === undefined)
    return [...groupBy(principals, linksFor)].flatMap(([links, all]) => {
      const idleFor = (one: Principal): readonly ChainLink[] =>
        links.filter((link) => audienceOf(link, one).covers === 'no');
      const groups = groupBy(all, (one) => JSON.stringify(idleFor(one).map(({ address }) => address)));
      return Array.from(groups.values(), (group) => ({
        chain: {
          ...{ links, unclear: [], idle: idleFor(group[0]) },
          early: () => earlyOf(links, group[0].virtualCluster),
        },
        group,
      }));
    });
  return principals.map((principal) => {
    const running = linksFor(principal);
    const judged = running.map((link) => ({ link, ...coverageOf(link, topic, principal) }));
    const links = judged.filter(({ covers }) => covers === 'yes').map(({ link }) => link);
    return {
      chain: {
        ...{ links, unclear: judged.filter(({ covers }) => covers === 'unknown'), idle: [] },
        early: () => earlyOf(running, principal.virtualCluster, topic),
      },
      group: [principal],
    };
  });
}

function checksOf({ expect }: TestCase, context: Context): readonly Check[] {
  const { chain, includes = [], excludes = [], protectedBy = [] } = expect;
  return [
    ...(chain === undefined ? [] : [checkChain(chain, context)]),
    ...includes.map((one) => checkIncluded(one, context)),
    ...excludes.map((one) => checkExcluded(one, context)),
    ...protectedBy
      .filter(({ text }) => context.tested.sorts.includes(text))
      .map((one) => checkProtected(one, context)),
  ];
}

/** Interceptors of one priority may come in any order, as on the gateway. */
function checkChain(
  { at, links: expected }: NonNullable<TestCase['expect']['chain']>,
  { touched }: Context,
): Check {
  const place = new Map(expected.map(({ text }, index) => [text, index]));
  return {
    at,
    fault: ({ links, unclear }) => {
      for (const link of links) touched.add(link);
      const [doubt] = unclear;
      if (doubt !== undefined) return `${doubt.link.address}, which may cover the topic: ${doubt.reason}`;
      const sorted = [...links].sort(
        (one, other) =>
          one.priority - other.priority || (place.get(one.address) ?? 0) - (place.get(other.address) ?? 0),
      );
      const addresses = sorted.map(({ address }) => address);
      const isEqual =
        addresses.length === expected.length &&
        addresses.every((one, index) => one === expected[index]?.text);
      return isEqual ? undefined : wordChain(addresses);
    },
  };
}

function checkIncluded({ text, at }: LocatedText, { touched }: Context): Check {
  const matches = compileLinkGlobs([text]);
  return {
    at,
    fault: ({ links, unclear }) => {
      const found = links.filter(matches);
      for (const link of found) touched.add(link);
      if (found.length > 0) return undefined;
      const doubt = unclear.find(({ link }) => matches(link));
      if (doubt !== undefined) return `${doubt.link.address}, which may not cover the topic: ${doubt.reason}`;
      return `no ${text}, but ${wordChain(links.map(({ address }) => address))}`;
    },
  };
}

function checkExcluded({ text, at }: LocatedText, { tested, touched }: Context): Check {
  const matches = compileLinkGlobs([text]);
  for (const link of tested.state.links()) if (matches(link)) touched.add(link);
  return {
    at,
    fault: ({ links, unclear }) => {
      const found = links.find(matches);
      if (found !== undefined) return found.address;
      const doubt = unclear.find(({ link }) => matches(link));
      return doubt && `${doubt.link.address}, which may cover the topic: ${doubt.reason}`;
    },
  };
}

function checkProtected({ text, at }: LocatedText, { tested, touched }: Context): Check {
  const gives = (link: ChainLink): boolean => tested.protectionOf(link).includes(text);
  return {
    at,
    fault: ({ links, unclear, idle, early }) => {
      const found = links.filter((link) => gives(link) && !idle.includes(link));
      for (const link of found) touched.add(link);
      const [mask] = found;
      if (mask !== undefined) {
        const by = found.every((link) => early().has(link)) ? early().get(mask) : undefined;
        return by && `${mask.address}, which runs before ${by.address} decrypts what it masks`;
      }
      const doubt = unclear.find(({ link }) => gives(link));
      return doubt === undefined
        ? `no ${text}`
        : `${doubt.link.address}, which may not cover the topic: ${doubt.reason}`;
    },
  };
}

function wordChain(addresses: readonly string[]): string {
  return addresses.length === 0 ? 'no interceptor' : addresses.join(', ');
}

/** The problem of an expectation that does not hold for these principals. */
function failure(
  at: Place,
  as: TestCase['as'],
  group: readonly Principal[],
  [singular, plural]: readonly [string, string],
  what: string,
): Problem {
  const [first, ...others] = group;
  const { groups = [] } = isGlob(as) ? {} : as;
  const inGroups =
    groups.length === 0 ? '' : ` (${groups.length === 1 ? 'group' : 'groups'} ${list(groups)})`;
  const name =
    first === undefined
      ? ''
      : `${namePrincipal(first)}${inGroups} ${standsForMany(first) ? plural : singular}`;
  const more =
    others.length === 0
      ? ''
      : `; ${others.length} more fail, such as ${list(others.slice(0, 3).map(namePrincipal))}`;
  return makeProblem({
    code: 'failed-expectation',
    message: `${name} ${what}${more}`,
    at,
    hint: 'gwconf effective --why shows what runs for each client',
  });
}

/** Sorts of protection that principals had before the plan, and do not have after it. */
function findLosses(
  { as, expect: { noLastingLoss: at } }: TestCase,
  principals: readonly Principal[],
  tested: Tested,
): readonly Problem[] {
  const { state, before, followed = [], protectionOf, audienceOf, shownAs } = tested;
  if (at === undefined || before === undefined) return [];
  const sortsOf = (links: readonly ChainLink[], principal: Principal): readonly string[] =>
    links.flatMap((link) => (audienceOf(link, principal).covers === 'no' ? [] : protectionOf(link)));
  const [linksBefore, linksAfter] = [linksOf(before), linksOf(state)];
  const losers = new Map<string, Principal[]>();
  const isInNamedGroups = as.groups !== undefined && !isGlob(as);
  const coming = new Set(
    knownPrincipals(tested).flatMap(({ principal, isLasting }) => (isLasting ? [] : [identityOf(principal)])),
  );
  const asBefore = (one: Principal): Principal =>
    isInNamedGroups || coming.has(identityOf(one)) ? one : { ...one, groups: groupsOf(one, before) };
  const comersOf = groupBy(followed, ({ principal }) => identityOf(principal));
  for (const one of principals) {
    const left = new Set(sortsOf(linksAfter(one), one));
    const comers = comersOf.get(identityOf(one)) ?? [];
    const former = [one, ...comers.map(({ was }) => was)].map(asBefore);
    const had = new Set(former.flatMap((each) => sortsOf(linksBefore(each), each)));
    const lost = [...had].filter((sort) => !left.has(sort));
    if (lost.length === 0) continue;
    addTo(losers, lost.sort().join(', '), one);
  }
  return [...losers].map(([lost, group]) =>
    failure(at, as, group.map(shownAs), ['loses', 'lose'], `${lost} permanently`),
  );
}

/** Sorts of protection that do not exist, and expectations that cannot fail. */
function findUnknown(
  { expect: { excludes = [], protectedBy = [] } }: TestCase,
  { state, sorts, classes }: Tested,
): readonly Problem[] {
  const links = state.links();
  const known = [
    ...classes.map((pluginClass) => ({ pluginClass, address: '' as ChainLink['address'] })),
    ...links,
  ];
  return [
    ...protectedBy
      .filter(({ text }) => !sorts.includes(text))
      .map(({ text, at }): Problem => {
        const near = suggest(text, sorts);
        return makeProblem({
          code: 'invalid-value',
          message: `there is no protection type ${text}`,
          at,
          hint: near === undefined ? `use one of ${sorts.join(', ')}` : `did you mean ${near}?`,
        });
      }),
    ...excludes
      .filter(({ text }) => !known.some(compileLinkGlobs([text])))
      .map(({ text, at }): Problem => {
        const names = text.includes('/')
          ? links.map(({ address }) => address)
          : classes.map((name) => name.slice(name.lastIndexOf('.') + 1));
        const near = links.find(({ name }) => name === text)?.address ?? suggest(text, names);
        return makeProblem({
          code: 'unmatched-expectation',
          message: `${text} is no address of an interceptor and no plugin class, so this cannot fail`,
          at,
          hint: near === undefined ? 'check the name' : `did you mean ${near}?`,
        });
      }),
  ];
}

/** What of a state the cases are about. */
export type TestCoverage = {
  readonly principals: number;
  readonly interceptors: number;
  /** Principals that no case is for. */
  readonly untestedPrincipals: readonly Principal[];
  /** Interceptors that no expectation depends on. */
  readonly untestedInterceptors: readonly ChainLink[];
};

export function measureCoverage(
  about: Pick<Tested, 'state' | 'shownAs'>,
  cases: readonly CheckedCase[],
): TestCoverage {
  const tested = new Set(cases.flatMap(({ principals }) => principals.map(namePrincipal)));
  const touched = new Set(cases.flatMap((one) => [...one.touched].map(({ address }) => address)));
  const principals = shownPrincipals(about);
  const interceptors = about.state.links();
  return {
    principals: principals.length,
    interceptors: interceptors.length,
    untestedPrincipals: principals.filter((one) => !tested.has(namePrincipal(one))).map(about.shownAs),
    untestedInterceptors: interceptors.filter(({ address }) => !touched.has(address)),
  };
}
