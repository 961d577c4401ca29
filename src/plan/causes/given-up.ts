import { compareNaturally } from '../../model/text/natural-order.ts';
import { groupBy } from '../../model/collect.ts';
import { canonicalText } from '../../model/json/json.ts';
import { makeProblem, type Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import type { Declared, DesiredState, LiveState } from '../../model/state.ts';
import type { Removal, RuleChange } from '../../model/rules.ts';
import type { Plan, Undeclared } from '../change/plan.ts';

/** How a problem begins that only the rules of the base tell. */
export const BY_BASE = 'by the rules of the base, ';

/** What a base declares, and what it deletes by name. */
type BaseFiles = { readonly value: DesiredState; readonly removals: readonly Removal[] };

/** The objects that a base declares and its branch does not, and that stay on the gateway as they are. */
export function findUndeclared(
  { value: base, removals }: BaseFiles,
  own: DesiredState,
  live: LiveState['resources'],
  { changes, unclaimed, unmanaged, unselected, manages }: Plan,
): readonly Undeclared[] {
  const told = new Set([...unselected, ...changes.map(({ address }) => address)]);
  const isLeft = ({ address }: { readonly address: Address }): boolean =>
    !own.has(address) && live.has(address) && !told.has(address);
  const gone = [...base.values()].filter(isLeft);
  const managed = new Set(manages === undefined ? unmanaged : unclaimed);
  const successors = findSuccessors(
    gone,
    gone.length === 0 ? [] : [...own.values()].filter(({ address }) => !base.has(address)),
  );
  const found = [
    ...gone.map(({ address, at }): Undeclared => {
      const to = successors.get(address);
      return { address, was: at, managed: managed.has(address), ...(to === undefined ? {} : { to }) };
    }),
    ...removals.filter(isLeft).map(({ address, at }): Undeclared => ({
      address,
      was: at,
      managed: managed.has(address),
      removed: true,
    })),
  ];
  return found.sort(({ address: one }, { address: other }) => compareNaturally(one, other));
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
export function fateOf({ managed, to, removed }: Undeclared): string {
  const stays = 'stays on the gateway';
  if (!managed) return `${stays}; this branch does not manage it any more, either`;
  if (removed === true) return `${stays}, although the base deletes it by name`;
  return to === undefined
    ? `${stays}, and no file declares it any more`
    : `${stays} beside ${to}, which looks like its new name, and no file declares it any more`;
}

/** A problem for each of them. */
export function checkUndeclared(
  undeclared: readonly Undeclared[],
  { manages }: Pick<Plan, 'manages'>,
): readonly Problem[] {
  return undeclared.map((one): Problem =>
    makeProblem({
      code: 'no-longer-declared',
      message: `${one.address} is no longer ${one.removed === true ? 'removed' : 'declared'} by this branch: it ${fateOf(one)}`,
      address: one.address,
      hint: cureFor(one, manages !== undefined),
    }),
  );
}

function cureFor({ address, managed, to, removed }: Undeclared, canPrune: boolean): string {
  if (removed === true) return 'keep the Removal until it is applied';
  if (!managed) return 'declare it where it is managed now; or keep it in manages, and write a Removal';
  if (to !== undefined) return `write a Removal with moved: [{ from: ${address}, to: ${to} }]`;
  return `write a Removal with remove: [${address}]${canPrune ? ', or use --prune' : ''}`;
}

/** What becomes of a rule, behind its name; values stand apart. */
export function partsOfRuleChange({
  before,
  after,
}: RuleChange): readonly (string | { readonly code: string })[] {
  if (before === undefined) return ['added:', { code: after ?? '' }];
  return after === undefined
    ? ['removed:', { code: before }]
    : ['changed from', { code: before }, 'to', { code: after }];
}

export function describeRuleChange(change: RuleChange): string {
  return partsOfRuleChange(change)
    .map((part) => (typeof part === 'string' ? part : part.code))
    .join(' ');
}

/** A problem for each rule that a branch loosens. Without a place: the branch could ignore it by a comment there. */
export function checkRuleChanges(changes: readonly RuleChange[]): readonly Problem[] {
  return changes
    .filter(({ loosens }) => loosens)
    .map((change) =>
      makeProblem({
        code: 'loosened-rule',
        message: `this branch loosens a rule: ${change.rule} ${describeRuleChange(change)}`,
        hint: 'have those who are responsible for the rule review it',
      }),
    );
}
