import { compareNaturally } from '../../model/text/natural-order.ts';
import { type Pattern, type Pointer, sameJson, anyItem } from '../../model/json/json.ts';
import { sameWithDefaults } from '../../model/defaults.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { comparable, normalForm } from '../../model/normal/normal-form.ts';
import { makeProblem, type Position, type Problem } from '../../model/problem.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import type { DiffersRule } from '../../model/rules.ts';
import { compileRules } from '../../model/text/glob.ts';
import type { Matcher } from '../change/select.ts';
import { nameOf } from '../checks/ownership.ts';
import type { FieldDifference, Uncompared } from '../../model/field-difference.ts';
import { diffFields } from '../diff/diff.ts';
import { isInside, splitByRules } from './drift.ts';
import { hideInFields } from '../secrets/redact.ts';

/** One of two states of the same kinds of objects: of files, of a gateway, or of a snapshot. */
export type Side = {
  readonly resources: ReadonlyMap<Address, Resource>;
  /** Kinds that it does not have, with the reason. */
  readonly unavailable: ReadonlyMap<string, string>;
  /** The places of all secrets of one of its resources. */
  readonly secretsOf: (address: Address, resource: Resource, kind: Kind) => Iterable<Pointer>;
  /** Where files declare a resource. */
  readonly placeOf: (address: Address) => Position | undefined;
};

export type Difference = {
  readonly address: Address;
  readonly difference: 'only-from' | 'only-to' | 'differs';
  /** Where files declare it. */
  readonly at?: { readonly from?: Position | undefined; readonly to?: Position | undefined } | undefined;
  /** Only of what both have: `before` is from, `after` is to. Secrets are hidden. */
  readonly fields: readonly FieldDifference[];
};

export type Compared = {
  /** By address. */
  readonly differences: readonly Difference[];
  /** How many objects are the same on both sides. */
  readonly same: number;
  readonly unselected: number;
};

/** Compares all selected objects. Kinds that one side does not have are left out. */
export function compareStates(from: Side, to: Side, kinds: KindSet, isSelected: Matcher): Compared {
  const differences: Difference[] = [];
  let [same, unselected] = [0, 0];
  for (const address of new Set([...from.resources.keys(), ...to.resources.keys()])) {
    const kind = kinds.get(kindOf(address));
    if (kind === undefined || [from, to].some(({ unavailable }) => unavailable.has(kind.name))) continue;
    if (!isSelected(address)) {
      unselected += 1;
      continue;
    }
    const found = compareOne(address, kind, from, to);
    if (found === undefined) same += 1;
    else differences.push(found);
  }
  differences.sort(({ address: one }, { address: other }) => compareNaturally(one, other));
  return { differences, same, unselected };
}

function compareOne(address: Address, kind: Kind, from: Side, to: Side): Difference | undefined {
  const [before, after] = [from, to].map(({ resources }) => resources.get(address));
  const about = { address, ...placesOf(address, from, to) };
  if (before === undefined) return { ...about, difference: 'only-to', fields: [] };
  if (after === undefined) return { ...about, difference: 'only-from', fields: [] };
  // Fast path: nearly all are the same, and this comparison copies nothing.
  if (sameWithDefaults(before, after, kind.defaultTree)) return undefined;
  if (sameJson(normalForm(kind, before), normalForm(kind, after))) return undefined;
  const fields = diffFields(comparable(kind, before), comparable(kind, after), [
    ...kind.sets(before),
    ...kind.sets(after),
  ]);
  // A value is hidden on both sides if it is a secret on one, at any index of its list.
  const places = [...from.secretsOf(address, before, kind), ...to.secretsOf(address, after, kind)];
  const shapes = new Set<Pattern>(places.map(anyItem));
  const hidden = hideInFields(fields, (pointer) => shapes.has(anyItem(pointer)));
  return { ...about, difference: 'differs', fields: hidden };
}

function placesOf(address: Address, from: Side, to: Side): Pick<Difference, 'at'> {
  const [here, there] = [from, to].map(({ placeOf }) => placeOf(address));
  if (here === undefined && there === undefined) return {};
  return {
    at: { ...(here === undefined ? {} : { from: here }), ...(there === undefined ? {} : { to: there }) },
  };
}

/** A difference that is meant to be. */
export type Expected = Difference & { readonly reason: string };

export type SplitDifferences = {
  readonly differences: readonly Difference[];
  readonly expected: readonly Expected[];
  readonly problems: readonly Problem[];
};

/** The rules for two environments; none are for two states of one environment, which should be equal. */
export function rulesBetween(
  rules: readonly DiffersRule[],
  from: string | undefined,
  to: string | undefined,
): readonly DiffersRule[] {
  if (from !== undefined && from === to) return [];
  return rules.filter(
    ({ between }) =>
      between === undefined || [from, to].every((name) => name !== undefined && between.includes(name)),
  );
}

/**
 * Splits off the differences that rules name. A rule without a difference is a problem where everything was compared; fields that
 * could not be compared may differ.
 */
export function splitDifferences(
  found: readonly Difference[],
  uncompared: readonly UncomparedBetween[],
  rules: readonly DiffersRule[],
  isComplete: boolean,
): SplitDifferences {
  const rulesFor = compileRules(rules, ({ address }) => address);
  const { open: differences, closed } = splitByRules(found, rules);
  const expected = closed.map(({ one, rule: { reason } }): Expected => ({ ...one, reason }));
  const used = new Set(closed.map(({ rule }) => rule));
  for (const one of uncompared)
    if (one.reason === 'cannot-tell')
      for (const rule of rulesFor(one.address))
        if (rule.path === undefined || isInside(rule.path, one.path)) used.add(rule);
  const unused = isComplete ? rules.filter((rule) => !used.has(rule)) : [];
  return { differences, expected, problems: unused.map(unusedProblem) };
}

function unusedProblem(rule: DiffersRule): Problem {
  return makeProblem({
    code: 'unmatched-differs',
    message: `${nameOf(rule)} does not differ`,
    at: rule.place,
    hint: 'correct or remove the entry of differs',
  });
}

/** What could not be compared of two states. */
export type UncomparedBetween = Uncompared<
  { readonly side: 'from' | 'to' },
  /** A variable has no value here, or the secret of a snapshot is known as a digest only. */
  { readonly because: 'variable' | 'digest' }
>;
