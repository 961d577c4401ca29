import { addAll } from '../../model/collect.ts';
import {
  isList,
  isObject,
  parsePointer,
  placesOf,
  printPointer,
  sameJson,
  valueAt,
  valueOf,
  type Json,
  type JsonObject,
  type Pattern,
  type Pointer,
} from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { normalForm } from '../../model/normal/normal-form.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import type { IgnoreRule } from '../../model/rules.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import { compileRules } from '../../model/text/glob.ts';
import { afterOf, type DraftChange } from './change.ts';
import type { Ignored } from './plan.ts';
import type { Matcher } from './select.ts';

export type IgnoreResult = {
  /** What files ask for, with the value of the gateway wherever a difference is ignored. */
  readonly desired: DesiredState;
  /** Whether the whole object is left alone. */
  readonly isIgnored: Matcher;
  readonly ignored: readonly Ignored[];
  /** Rules that match nothing. */
  readonly unusedRules: readonly IgnoreRule[];
};

/** Applies the ignore rules of a project before anything is compared. */
export function applyIgnoreRules(
  desired: DesiredState,
  live: LiveState,
  rules: readonly IgnoreRule[],
  kinds: KindSet,
): IgnoreResult {
  if (rules.length === 0) return { desired, isIgnored: () => false, ignored: [], unusedRules: [] };
  const rulesFor = compileRules(rules, ({ address }) => address);
  const used = new Set<IgnoreRule>();
  const ignored: Ignored[] = [];
  const result = new Map(desired);
  const alone = new Set<Address>();
  for (const address of new Set([...desired.keys(), ...live.resources.keys()])) {
    const kind = kinds.get(kindOf(address));
    const found = rulesFor(address);
    const whole = found.find(({ path }) => path === undefined);
    if (whole !== undefined) {
      used.add(whole);
      alone.add(address);
      result.delete(address);
      ignored.push({ address, reason: whole.reason });
      continue;
    }
    for (const rule of found) {
      const [declared, before] = [result.get(address), live.resources.get(address)];
      const there =
        kind === undefined || rule.path === undefined
          ? []
          : placesIn(kind, rule.path, declared?.resource, before);
      if (there.length > 0) used.add(rule);
      if (declared === undefined || before === undefined) continue;
      const { after, paths } = adopted(declared.resource, there);
      addAll(
        ignored,
        paths.map((path) => ({ address, path, reason: rule.reason })),
      );
      if (paths.length > 0) result.set(address, { ...declared, resource: after });
    }
  }
  return {
    desired: result,
    isIgnored: (address) => alone.has(address),
    ignored,
    unusedRules: rules.filter((rule) => !used.has(rule)),
  };
}

/** What rules leave as it is of objects that changes touch, with the rule. */
export function findIgnored(
  changes: Iterable<DraftChange>,
  live: LiveState,
  rules: readonly IgnoreRule[],
  kinds: KindSet,
): readonly (Ignored & { readonly rule: IgnoreRule })[] {
  const rulesFor = compileRules(rules, ({ address }) => address);
  return [...changes].flatMap((change) => {
    const { address } = change;
    const kind = kinds.get(kindOf(address));
    return rulesFor(address).flatMap((rule): readonly (Ignored & { readonly rule: IgnoreRule })[] => {
      const { path: pattern, reason } = rule;
      if (pattern === undefined) return [{ address, reason, rule }];
      const [before, after] = [live.resources.get(address), afterOf(change)];
      if (kind === undefined || before === undefined || after === undefined) return [];
      const found = placesIn(kind, pattern, after, before);
      return found.filter(({ differs }) => differs).map(({ path }) => ({ address, path, reason, rule }));
    });
  });
}

type MatchedField = {
  readonly path: Pointer;
  readonly declared: Json | undefined;
  readonly live: Json | undefined;
  readonly differs: boolean;
};

/** The places that a pattern matches in the declared or the live resource. */
function placesIn(
  kind: Kind,
  pattern: Pattern,
  declared: Resource | undefined,
  before: Resource | undefined,
): readonly MatchedField[] {
  const [is, was] = [declared, before].map((one) =>
    one === undefined ? undefined : (normalForm(kind, one) as JsonObject),
  );
  const tokens = parsePointer(pattern);
  const sides = [is, was].filter((side) => side !== undefined);
  const paths = new Set(sides.flatMap((side) => placesOf(side, tokens).map(({ pointer }) => pointer)));
  return [...paths].sort().flatMap((path) => {
    if (sides.some((side) => liesInList(side, path))) return [];
    const [value, kept] = [valueAt(is, path), valueAt(was, path)];
    return [{ path, declared: value, live: kept, differs: !sameJson(value, kept) }];
  });
}

/** Items of a list cannot be matched between the two sides. */
function liesInList(value: Json, path: Pointer): boolean {
  const tokens = parsePointer(path);
  return tokens.some((_, at) => isList(valueAt(value, printPointer(tokens.slice(0, at)))));
}

function adopted(
  resource: Resource,
  found: readonly MatchedField[],
): { readonly after: Resource; readonly paths: readonly Pointer[] } {
  const differing = found.filter(({ differs }) => differs);
  const after = differing.reduce<Json>(
    (changed, { path, live }) => setAt(changed, parsePointer(path), live),
    resource,
  );
  return { after: after as Resource, paths: differing.map(({ path }) => path) }; // only fields below spec have changed
}

/** A copy with the value at a place set, or removed for undefined. */
function setAt(value: Json | undefined, [token, ...rest]: readonly string[], to: Json | undefined): Json {
  if (token === undefined) return to ?? null;
  const fields = isObject(value) ? value : {};
  const others = Object.entries(fields).filter(([key]) => key !== token);
  if (rest.length === 0 && to === undefined) return Object.fromEntries(others);
  return Object.fromEntries([...others, [token, setAt(valueOf(fields, token), rest, to)]]);
}
