import type { Address } from '../../model/resource.ts';
import type { ExposureRule, Rules } from '../../model/rules.ts';
import { compileGlobs, compileRules } from '../../model/text/glob.ts';
import type { Exposure } from '../change/exposure.ts';
import { isExpired } from './ignore-rules.ts';

/** What accepts exposures: globs of the command line, and rules of the project until their last day. */
export type Acceptance = Pick<Rules, 'exposures'> & {
  readonly accepted?: readonly string[] | undefined;
  /** `YYYY-MM-DD`; without it no rule expires. */
  readonly today?: string | undefined;
};

/** Marks the exposures that are accepted: those of which all lost interceptors are. */
export function markAccepted(
  exposures: readonly Exposure[],
  { accepted = [], exposures: rules = [], today }: Acceptance,
): readonly Exposure[] {
  if (accepted.length + rules.length === 0) return exposures;
  const isAccepted = compileGlobs(accepted);
  const ruleFor = findRule(rules.filter((rule) => !isExpired(rule, today)));
  const find = ({ lost, protection }: Exposure): Exposure['accepted'] => {
    const rest = lost.filter((address) => !isAccepted(address));
    const found = rest.map((address) => ruleFor(address, protection));
    if (lost.length === 0 || found.includes(undefined)) return undefined;
    const [first] = found.filter((rule) => rule !== undefined).sort(byDay);
    return first === undefined ? {} : { reason: first.reason, until: first.until };
  };
  // Thousands of principals can lose the same.
  const known = new Map<string, Exposure['accepted']>();
  return exposures.map((exposure) => {
    const key = JSON.stringify([exposure.protection, exposure.lost]);
    if (!known.has(key)) known.set(key, find(exposure));
    const found = known.get(key);
    return found === undefined ? exposure : { ...exposure, accepted: found };
  });
}

/** Finds the first of the rules that is for an interceptor and a sort of protection. */
export function findRule(
  rules: readonly ExposureRule[],
): (address: Address, protection: string) => ExposureRule | undefined {
  const rulesFor = compileRules(rules, ({ address }) => address);
  return (address, sort) =>
    rulesFor(address).find(({ protection }) => protection === undefined || protection === sort);
}

function byDay(one: ExposureRule, other: ExposureRule): number {
  return one.until < other.until ? -1 : 1;
}
