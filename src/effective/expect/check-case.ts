import { groupBy } from '../../model/collect.ts';
import type { ChainLink } from '../../model/principal.ts';
import type { Place, Problem } from '../../model/problem.ts';
import type { LocatedText, TestCase } from '../../model/test-case.ts';
import type { Principal } from '../../model/principal.ts';
import { compileLinkGlobs } from '../protection.ts';
import { failure } from './failure.ts';
import { findLosses } from './find-losses.ts';
import { findUnknown } from './find-unknown.ts';
import { matchPrincipals } from './match-principals.ts';
import { linksOf, type Tested } from './tested.ts';

/** What came of a case. */
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
};

type Context = { readonly tested: Tested; readonly touched: Set<ChainLink> };

/** An expectation: why it does not hold for a chain; undefined if it does. */
type Check = { readonly at: Place; readonly fault: (chain: Narrowed) => string | undefined };

export function checkCase(one: TestCase, tested: Tested): CheckedCase {
  const { value: principals, problems } = matchPrincipals(one.as, tested.state);
  const context: Context = { tested, touched: new Set() };
  const narrowed = narrowChains(one, principals, tested);
  const failed = checksOf(one, context).flatMap(({ at, fault }): readonly Problem[] => {
    const faults = narrowed.flatMap(({ chain, group }) => {
      const found = fault(chain);
      return found === undefined ? [] : [{ found, group }];
    });
    const [first] = faults;
    const group = faults.flatMap((one) => one.group);
    return first === undefined ? [] : [failure(at, group, first.found)];
  });
  return {
    principals,
    touched: context.touched,
    problems: [...problems, ...findUnknown(one, tested), ...failed, ...findLosses(one, principals, tested)],
  };
}

type Group = { readonly chain: Narrowed; readonly group: readonly Principal[] };

/** The chains of principals. Those with the same chain are one group; with a topic, what it covers may depend on their names. */
function narrowChains(
  { topic }: TestCase,
  principals: readonly Principal[],
  { state, coverageOf }: Tested,
): readonly Group[] {
  const linksFor = linksOf(state);
  if (topic === undefined)
    return [...groupBy(principals, linksFor)].map(([links, group]) => ({
      chain: { links, unclear: [] },
      group,
    }));
  return principals.map((principal) => {
    const judged = linksFor(principal).map((link) => ({ link, ...coverageOf(link, topic, principal) }));
    const links = judged.filter(({ covers }) => covers === 'yes').map(({ link }) => link);
    return {
      chain: { links, unclear: judged.filter(({ covers }) => covers === 'unknown') },
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
      if (doubt !== undefined) return `has ${doubt.link.address}, which may cover the topic: ${doubt.reason}`;
      const sorted = [...links].sort(
        (one, other) =>
          one.priority - other.priority || (place.get(one.address) ?? 0) - (place.get(other.address) ?? 0),
      );
      const addresses = sorted.map(({ address }) => address);
      const isEqual =
        addresses.length === expected.length &&
        addresses.every((one, index) => one === expected[index]?.text);
      return isEqual ? undefined : `has ${wordChain(addresses)}`;
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
      if (doubt !== undefined)
        return `has ${doubt.link.address}, which may not cover the topic: ${doubt.reason}`;
      return `has no ${text}, but ${wordChain(links.map(({ address }) => address))}`;
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
      if (found !== undefined) return `has ${found.address}`;
      const doubt = unclear.find(({ link }) => matches(link));
      return doubt && `has ${doubt.link.address}, which may cover the topic: ${doubt.reason}`;
    },
  };
}

function checkProtected({ text, at }: LocatedText, { tested, touched }: Context): Check {
  const gives = (link: ChainLink): boolean => tested.protectionOf(link).includes(text);
  return {
    at,
    fault: ({ links, unclear }) => {
      const found = links.filter(gives);
      for (const link of found) touched.add(link);
      if (found.length > 0) return undefined;
      const doubt = unclear.find(({ link }) => gives(link));
      return doubt === undefined
        ? `has no ${text}`
        : `has ${doubt.link.address}, which may not cover the topic: ${doubt.reason}`;
    },
  };
}

function wordChain(addresses: readonly string[]): string {
  return addresses.length === 0 ? 'no interceptor' : addresses.join(', ');
}
