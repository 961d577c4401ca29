import { groupBy } from '../../model/collect.ts';
import { canonicalText } from '../../model/json/json.ts';
import type { Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import type { Declared, DesiredState, LiveState } from '../../model/state.ts';
import type { RuleChange } from '../../model/rules.ts';
import type { Plan, Undeclared } from '../change/plan.ts';

/** The objects that a base declares and its branch does not, and that stay on the gateway as they are. */
export function findUndeclared(
  base: DesiredState,
  own: DesiredState,
  live: LiveState['resources'],
  { changes, unclaimed, unmanaged, unselected, manages }: Plan,
): readonly Undeclared[] {
  const gone = [...base.values()].filter(({ address }) => !own.has(address) && live.has(address));
  if (gone.length === 0) return [];
  const told = new Set([...unselected, ...changes.map(({ address }) => address)]);
  const found = gone
    .filter(({ address }) => !told.has(address))
    .sort((one, other) => (one.address < other.address ? -1 : 1));
  const managed = new Set(manages === undefined ? unmanaged : unclaimed);
  const successors = findSuccessors(
    found,
    [...own.values()].filter(({ address }) => !base.has(address)),
  );
  return found.map(({ address, at }): Undeclared => {
    const to = successors.get(address);
    return { address, was: at, managed: managed.has(address), ...(to === undefined ? {} : { to }) };
  });
}

/** What two documents of one object have in common when its name or scope changes, the surest first. */
const LIKENESSES: readonly ((declared: Declared) => string | undefined)[] = [
  ({ resource: { metadata, spec } }) => (isEmpty(spec) ? undefined : canonicalText([metadata.name, spec])),
  ({ resource: { spec } }) => (isEmpty(spec) ? undefined : canonicalText(spec)),
  ({ resource }) => resource.metadata.name,
  ({ document }) => `${document.file.path} ${document.index}`,
];

/** An empty spec is like any other. */
function isEmpty(spec: Declared['resource']['spec']): boolean {
  return Object.keys(spec).length === 0;
}

/** The new addresses of objects; none where several objects are equally alike. */
function findSuccessors(olds: readonly Declared[], news: readonly Declared[]): ReadonlyMap<Address, Address> {
  const found = new Map<Address, Address>();
  const taken = new Set<Address>();
  for (const likenessOf of LIKENESSES) {
    const keyOf = (declared: Declared): string => {
      const likeness = likenessOf(declared);
      return likeness === undefined ? '' : `${kindOf(declared.address)} ${likeness}`;
    };
    const byKey = groupBy(
      news.filter(({ address }) => !taken.has(address)),
      keyOf,
    );
    const rest = olds.filter(({ address }) => !found.has(address));
    for (const [key, [old, another]] of groupBy(rest, keyOf)) {
      const [successor, ambiguous] = byKey.get(key) ?? [];
      if (key === '' || another !== undefined || successor === undefined || ambiguous !== undefined) continue;
      found.set(old.address, successor.address);
      taken.add(successor.address);
    }
  }
  return found;
}

/** What becomes of such an object, behind its address. */
export function fateOf({ managed, to }: Undeclared): string {
  const stays = 'stays on the gateway';
  if (!managed) return `${stays}; this branch does not manage it any more, either`;
  return to === undefined
    ? `${stays}, and nobody manages it any more`
    : `${stays} beside ${to}, which looks like its new name, and nobody manages it any more`;
}

/** A problem for each of them. */
export function checkUndeclared(
  undeclared: readonly Undeclared[],
  { manages }: Pick<Plan, 'manages'>,
): readonly Problem[] {
  return undeclared.map((one): Problem => ({
    code: 'no-longer-declared',
    severity: 'warning',
    message: `${one.address} is no longer declared by this branch: it ${fateOf(one)}`,
    address: one.address,
    hint: cureFor(one, manages !== undefined),
  }));
}

function cureFor({ address, managed, to }: Undeclared, canPrune: boolean): string {
  if (!managed) return 'declare it where it is managed now; or keep it in manages, and write a Removal';
  if (to !== undefined) return `write a Removal with moved: [{ from: ${address}, to: ${to} }]`;
  return `write a Removal with remove: [${address}]${canPrune ? ', or use --prune' : ''}`;
}

/** What becomes of a rule, behind its name. */
export function describeRuleChange({ before, after }: RuleChange): string {
  if (before === undefined) return `added: ${after ?? 'nothing'}`;
  return after === undefined ? `removed: ${before}` : `changed from ${before} to ${after}`;
}

/** A problem for each rule that a branch loosens. */
export function checkRuleChanges(changes: readonly RuleChange[]): readonly Problem[] {
  return changes
    .filter(({ loosens }) => loosens)
    .map((change) => ({
      code: 'loosened-rule',
      severity: 'warning',
      message: `this branch loosens a rule: ${change.rule} ${describeRuleChange(change)}`,
      hint: 'have those who are responsible for the rule review it',
    }));
}
