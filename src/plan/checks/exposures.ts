import { groupBy, memoize, present } from '../../model/collect.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import type { ProblemCode } from '../../model/problem-codes.ts';
import { parentOf, valueAt, type Pointer } from '../../model/json/json.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { ExposureRule, Rules } from '../../model/rules.ts';
import { placeOf } from '../../model/state.ts';
import { compileGlobs, compileRules } from '../../model/text/glob.ts';
import { formatCount, list } from '../../model/text/list.ts';
import {
  arePlural,
  namePrincipalIn,
  namePrincipals,
  nameProtection,
  describeWeakening,
} from '../change/name-principals.ts';
import { LEFT_BEHIND, isStep, type ChangeId, type DraftChange } from '../change/change.ts';
import type { Exposure, Plan, Weakening } from '../change/plan.ts';
import { isExpired } from './ownership.ts';
import type { DesiredWorld, PlannedWorld } from './world.ts';

const LOSSES: ReadonlySet<string> = new Set<ProblemCode>([
  'lost-protection',
  'weakened-protection',
  'unjudged-protection',
  'exposure',
]);

/** Whether a problem is a loss that a plan tells: one of those below. */
export function isLoss({ code }: { readonly code: string }): boolean {
  return LOSSES.has(code);
}

/** Protection that principals lose, on the way or permanently, and that nothing accepts. */
export function* checkExposures({
  exposures = [],
  ...world
}: Pick<
  PlannedWorld,
  'exposures' | 'changes' | 'desired' | 'removals' | 'rules' | 'today'
>): Generator<Problem> {
  const open = exposures.filter(({ accepted }) => accepted === undefined);
  if (open.length === 0) return;
  const { changes, desired, removals, rules, today } = world;
  const placesOfRemovals = new Map(removals.map(({ address, place }) => [address, place]));
  const expired = findRule((rules.exposures ?? []).filter((rule) => isExpired(rule, today)));
  const groups = groupBy(open, ({ lasting, protection, lost, from, until }) =>
    JSON.stringify([lasting, protection, lost, from, until]),
  );
  for (const [of, group] of groups) {
    const [first] = group;
    const { lasting, protection, lost, from } = first;
    const address = addressOf(from, changes);
    const declared = desired.get(address);
    const rule = lost.map((one) => expired(one, protection)).find((one) => one !== undefined);
    const was = rule === undefined ? '' : `; that was accepted until ${rule.until}`;
    const own = declared === undefined ? placesOfRemovals.get(address) : placeOf(declared, '/metadata/name');
    const at = own ?? rule?.place;
    yield {
      code: lasting ? 'lost-protection' : 'exposure',
      severity: lasting ? 'warning' : 'error',
      message: `${describe(group, first, changes)}${was}`,
      ...present({ at, also: own && rule?.place }),
      address,
      hint: `to accept it, use ${waysToAccept(lost)}`,
      extent: { of, each: group.map(namePrincipalIn) },
    };
  }
}

/** Protection of principals that gets weaker, where a hidden value decides that, or of which it cannot be told, and that nothing accepts. */
export function* checkWeakenings({
  weakenings = [],
  changes,
  desired,
  removals,
  unjudged = 0,
}: Pick<PlannedWorld, 'weakenings' | 'changes' | 'desired' | 'removals' | 'unjudged'>): Generator<Problem> {
  const open = weakenings.filter(({ accepted }) => accepted === undefined);
  const placesOfRemovals = new Map(removals.map(({ address, place }) => [address, place]));
  const partsOf = memoize((parts: Weakening['parts']) => ({ text: JSON.stringify(parts) }));
  const groups = groupBy(open, ({ protection, certainty, by, fields, parts, from, until }) =>
    JSON.stringify([protection, certainty, by, fields, partsOf(parts).text, from, until]),
  );
  for (const [of, group] of groups) {
    const [first] = group;
    const { by: address, fields, from, until } = first;
    const declared = desired.get(address);
    const [path] = fields.map((field) => presentPart(field, declared?.resource));
    const sources = [...new Set(from.map((id) => addressOf(id, changes)))];
    const own = sources.length === 1 && sources[0] === address ? '' : `, with ${list(sources)}`;
    const source = until === undefined ? own : `, ${describeTime(from[0] ?? until, until, changes)}`;
    // Where its own config makes no difference, something else does.
    const [other = address] = changes.has(address) ? [] : sources;
    const cause = desired.get(other) ?? declared;
    const at = cause === undefined ? placesOfRemovals.get(other) : placeOf(cause, path ?? '/metadata/name');
    yield {
      ...(first.certainty !== 'cannot-tell'
        ? { code: 'weakened-protection', severity: 'warning' }
        : { code: 'unjudged-protection', severity: 'info' }),
      message: `${describeWeakening(namePrincipals(group), arePlural(group) ? 'have' : 'has', first)}${source}`,
      ...(at === undefined ? {} : { at }),
      address,
      ...(path === undefined ? {} : { path }),
      hint: `to accept it, use ${waysToAccept([address])}`,
      extent: { of, each: group.map(namePrincipalIn) },
    };
  }
  if (unjudged > 0)
    yield {
      code: 'unjudged-order',
      severity: 'warning',
      message: `the plan changes too much at once to tell whether parts of protections are missing between two changes, for ${formatCount(unjudged, 'client')}`,
      hint: 'make several plans of it, for example with --target',
    };
}

/** What a plan tells of losses that nothing accepts, without the files that it was made of. */
export function lossesOf({
  changes,
  exposures = [],
  weakenings = [],
}: Pick<Plan, 'changes' | 'exposures' | 'weakenings'>): readonly Problem[] {
  const world = {
    changes: new Map(
      changes.flatMap((change) => (isStep(change) ? [] : [[change.address, change] as const])),
    ),
    desired: new Map(),
    removals: [],
    rules: {},
  };
  return [...checkExposures({ ...world, exposures }), ...checkWeakenings({ ...world, weakenings })];
}

/** A place in a resource, or the part of it that is there. */
function presentPart(pointer: Pointer, resource: Resource | undefined): Pointer | undefined {
  if (resource === undefined || pointer === '') return undefined;
  if (valueAt({ spec: resource.spec }, pointer) !== undefined) return pointer;
  return presentPart(parentOf(pointer), resource);
}

/** How to accept that the protection of these interceptors is lost. */
export function waysToAccept(lost: readonly Address[]): string {
  const [first = 'GLOB', ...others] = lost;
  return `--accept-exposure ${others.length === 0 ? first : 'GLOB'}, or exposures in gwconf.yaml`;
}

function describe(
  group: readonly [Exposure, ...Exposure[]],
  { protection, lost, from, until }: Exposure,
  changes: PlannedWorld['changes'],
): string {
  const who = namePrincipals(group);
  const what = nameProtection(protection);
  const [lack, lose] = arePlural(group) ? ['lack', 'lose'] : ['lacks', 'loses'];
  const source = addressOf(from, changes);
  const gave = lost.every((one) => one === source) ? '' : `; ${list(lost)} gave it`;
  if (until === undefined)
    return `${who} ${lose} ${what} permanently, with ${nameChange(from, changes)}${gave}`;
  return `protection gap: ${who} ${lack} ${what} ${describeTime(from, until, changes)}${gave}`;
}

function describeTime(from: ChangeId, until: ChangeId, changes: PlannedWorld['changes']): string {
  const start = nameChange(from, changes);
  return from === until ? `during ${start}` : `between ${start} and ${nameChange(until, changes)}`;
}

function nameChange(id: ChangeId, changes: PlannedWorld['changes']): string {
  const address = addressOf(id, changes);
  const action = address === (id as string) ? changes.get(address)?.action : 'extra step';
  return `the ${action ?? 'change'} of ${address}`;
}

/** The object of a change: an object's own change has its address, and an extra step more. */
function addressOf(id: ChangeId, changes: PlannedWorld['changes']): Address {
  const address = id as string as Address;
  return changes.has(address) ? address : (address.replace(/ \([^()]*\)$/, '') as Address);
}

/** Acceptances whose last day has passed: they accept nothing any more. */
export function* checkExpiredExposures({
  rules,
  today,
}: Pick<DesiredWorld, 'rules' | 'today'>): Generator<Problem> {
  for (const rule of rules.exposures ?? []) {
    if (!isExpired(rule, today)) continue;
    yield makeProblem({
      code: 'expired-exposure',
      message: `exposures of ${rule.address} were accepted until ${rule.until}`,
      at: rule.place,
      hint: 'remove the entry, or set a later day',
    });
  }
}

/** What accepts exposures: globs of the command line, and rules of the project until their last day. */
export type Acceptance = Pick<Rules, 'exposures'> & {
  readonly accepted?: readonly string[] | undefined;
  /** `YYYY-MM-DD`; without it no rule expires. */
  readonly today?: string | undefined;
  /** Why a file removes interceptors by name. */
  readonly removed?: ReadonlyMap<Address, string> | undefined;
};

/** Why files remove objects for good: whoever names one accepts that what it protects is protected no more. */
export function reasonsOf(changes: readonly DraftChange[]): ReadonlyMap<Address, string> {
  return new Map(
    changes.flatMap((change) => {
      if (change.action !== 'delete') return [];
      const { address, removal = LEFT_BEHIND, movedTo } = change;
      return removal === LEFT_BEHIND || movedTo !== undefined ? [] : [[address, removal] as const];
    }),
  );
}

/** Marks the exposures and weakenings that are accepted: those of which all interceptors are that gave the protection. */
export function markAccepted<T extends Exposure | Weakening>(
  exposures: readonly T[],
  { accepted = [], exposures: rules = [], today, removed = new Map() }: Acceptance,
): readonly T[] {
  if (accepted.length + rules.length + removed.size === 0) return exposures;
  const isAccepted = compileGlobs(accepted);
  const ruleFor = findRule(rules.filter((rule) => !isExpired(rule, today)));
  const find = (lost: readonly Address[], protection: string, isLasting: boolean): Exposure['accepted'] => {
    const rest = lost.filter((address) => !isAccepted(address));
    const found = rest.map((address) => {
      const reason = isLasting ? removed.get(address) : undefined;
      return reason === undefined ? ruleFor(address, protection) : { reason, until: undefined };
    });
    if (lost.length === 0 || found.includes(undefined)) return undefined;
    const [first] = found
      .filter((rule) => rule !== undefined)
      .sort((one, other) => ((one.until ?? '9') < (other.until ?? '9') ? -1 : 1));
    return first === undefined ? {} : { reason: first.reason, until: first.until };
  };
  // Thousands of principals can lose the same.
  const known = new Map<string, Exposure['accepted']>();
  return exposures.map((exposure) => {
    const { protection } = exposure;
    const isLasting = 'by' in exposure ? exposure.until === undefined : exposure.lasting;
    const lost = 'by' in exposure ? [exposure.by] : exposure.lost;
    const key = JSON.stringify([protection, lost, isLasting]);
    if (!known.has(key)) known.set(key, find(lost, protection, isLasting));
    const found = known.get(key);
    return found === undefined ? exposure : { ...exposure, accepted: found };
  });
}

/** Finds the first of the rules that is for an interceptor and a sort of protection. */
function findRule(
  rules: readonly ExposureRule[],
): (address: Address, protection: string) => ExposureRule | undefined {
  const rulesFor = compileRules(rules, ({ address }) => address);
  return (address, sort) =>
    rulesFor(address).find(({ protection }) => protection === undefined || protection === sort);
}
