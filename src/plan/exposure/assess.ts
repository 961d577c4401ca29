import { hasInterceptor } from '../../effective/effective-state.ts';
import { compareNaturally } from '../../model/text/natural-order.ts';
import { makeProtection, sortsOf, type ProtectionOf } from '../../effective/protection.ts';
import type { Chain, Principal } from '../../model/principal.ts';
import { knownKind, type KindSet } from '../../model/kind.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import type { ProtectionRules } from '../../model/rules.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { beforeOf, type ChangeId, type Change } from '../change/change.ts';
import type { Effect, Exposure, ShownLink, Weakening } from '../change/plan.ts';
import { classifyPrincipals, type Classes, type JudgedClass, type PrincipalClass } from './classes.ts';
import { findGaps, orderOf, sortByPlace, type Order } from './gaps.ts';
import { findPartGaps, type KeptParts } from './kept-parts.ts';
import { findKept } from './passing.ts';
import { isProtected, makeModel, type Model } from './models.ts';
import { findLoosened } from './loosened.ts';
import { findOtherNames, findShownNames, findUndone } from './taken-off.ts';
import { findWeakenings, judgeableWorld, type World } from './weakenings.ts';
import { redactChains, type ChainRedaction, type KnownSecrets } from '../secrets/hide-in-chains.ts';

/** What is known beside live objects and changes. */
export type Known = KnownSecrets & Pick<World, 'topics'>;

/** What changes mean for principals; empty lists where no interceptor and no membership changes. */
export type Assessment = {
  readonly effects: readonly Effect[];
  readonly exposures: readonly Exposure[];
  readonly weakenings: readonly Weakening[];
  /** Of how many clients the changes are too many to look for parts of protections that are missing between two of them. */
  readonly unjudged: number;
};

/** What is told without a look at the strength of what protects. */
export type SortsAssessment = Omit<Assessment, 'weakenings' | 'unjudged'>;

/**
 * What changes mean for principals: whose chain changes, who loses a sort of protection for good, and who lacks one between
 * two calls, in any order that a run may take. The changes are in the order of a plan.
 */
export function assessChanges(
  live: ReadonlyMap<Address, Resource>,
  changes: readonly Change[],
  kinds: KindSet,
  protection: ProtectionRules = {},
  known: Known = {},
): Assessment {
  const protectionOf = makeProtection(protection);
  const redaction = redactChains(live, changes, kinds, known);
  const world = { live, changes, kinds, protectionOf, redaction, topics: known.topics };
  const classes = classifyPrincipals(world);
  return withStrength(assessClasses(classes.lasting, changes, protectionOf, redaction), classes, world);
}

/** With the protection that gets weaker, for good or for a while. */
export function withStrength(
  told: SortsAssessment,
  classes: Classes,
  world: Omit<World, 'changes'> & { readonly changes: readonly Change[] },
  { kept, unjudged }: KeptParts = findKept(classes, world),
): Assessment {
  const { lasting, coming } = classes;
  const { changes, protectionOf, redaction } = world;
  const order = orderOf(changes);
  const lost = coming.flatMap((one) => exposuresOf(one, protectionOf, order, redaction, true));
  const forGood = assessStrength([...lasting, ...coming], world);
  const passing = findPartGaps(kept, world.changes, told.exposures, world.redaction);
  const exposures = lost.length === 0 ? told.exposures : [...told.exposures, ...lost].sort(byPrincipal);
  return { ...told, exposures, weakenings: [...forGood, ...passing], unjudged };
}

/** Whose protection gets weaker, judged without what is hidden: the verdict would tell of it. */
function assessStrength(classes: readonly PrincipalClass[], world: World): readonly Weakening[] {
  const { redaction, changes, live, kinds } = world;
  if (changes.length === 0) return [];
  if (!hasInterceptor(live, kinds)) {
    // Only what objects enforce themselves can get weaker.
    const enforces = (address: Address): boolean => kinds.get(kindOf(address))?.loosens !== undefined;
    const was = changes.filter((change) => beforeOf(change) !== undefined);
    if (![...live.keys(), ...was.map(({ address }) => address)].some(enforces)) return [];
    const own = changes.filter(
      (change) =>
        ['movedTo', 'movedFrom'].some((key) => key in change) ||
        knownKind(change.address, kinds).loosens !== undefined ||
        knownKind(change.address, kinds).facts !== undefined ||
        knownKind(change.address, kinds).standsFor !== undefined,
    );
    return findLoosened(judgeableWorld({ ...world, changes: own }))
      .map(redaction.principalOf)
      .sort(byPrincipal);
  }
  const judged = judgeableWorld(world);
  const found = [
    ...findWeakenings(classes, judged),
    ...findUndone(classes, judged),
    ...findLoosened(judged),
    ...findOtherNames(judged),
    ...findShownNames(classes, judged),
  ];
  return found.map(redaction.principalOf).sort(byPrincipal);
}

/** Chains and exposures of principals in classes. */
export function assessClasses(
  classes: readonly JudgedClass[],
  changes: readonly Change[],
  protectionOf: ProtectionOf,
  redaction: ChainRedaction,
): SortsAssessment {
  if (classes.length === 0) return { effects: [], exposures: [] };
  const order = orderOf(changes);
  return {
    effects: classes.flatMap((one) => effectsOf(one, redaction)).sort(byPrincipal),
    exposures: classes.flatMap((one) => exposuresOf(one, protectionOf, order, redaction)).sort(byPrincipal),
  };
}

function effectsOf(
  { principals, shown: { before, after } }: JudgedClass,
  redaction: ChainRedaction,
): readonly Effect[] {
  if (sameLinks(before, after)) return [];
  // The place of a hidden priority among the others would tell how large it is.
  const show = (chain: Chain, side: 'before' | 'after'): readonly ShownLink[] => {
    const [shown, hidden]: [ShownLink[], ShownLink[]] = [[], []];
    for (const { one } of chain) {
      const { address, pluginClass } = one;
      const priority = redaction.priorityOf(one, side);
      (priority === HIDDEN ? hidden : shown).push({ address, pluginClass, priority });
    }
    return [...shown, ...hidden.sort((one, other) => (one.address < other.address ? -1 : 1))];
  };
  const [was, is] = [show(before, 'before'), show(after, 'after')];
  return principals.map((principal) => ({ ...redaction.principalOf(principal), before: was, after: is }));
}

function exposuresOf(
  one: PrincipalClass,
  protectionOf: ProtectionOf,
  order: Order,
  redaction: ChainRedaction,
  isComing = false,
): readonly Exposure[] {
  const { principals, before, after } = one;
  const kept = new Set(sortsOf(after, protectionOf));
  return sortsOf(before, protectionOf).flatMap((protection): readonly Exposure[] => {
    if (isComing && kept.has(protection)) return []; // nobody lacks anything on the way
    const model = makeModel(one, protection, (link) => protectionOf(link).includes(protection));
    const lost = before.flatMap(({ one: link }) =>
      protectionOf(link).includes(protection) ? [link.address] : [],
    );
    const found = kept.has(protection)
      ? findGaps(model, order).gaps.map((gap) => ({ lasting: false, ...gap }))
      : [{ lasting: true, from: findLoss(model, order) }];
    return found.flatMap((gap) =>
      principals.map((principal) => ({ ...redaction.principalOf(principal), protection, lost, ...gap })),
    );
  });
}

/** The change after which the protection does not come back, in the order of the plan. */
function findLoss(model: Model, order: Order): ChangeId {
  const ids = sortByPlace(model.steps, order);
  const made = new Set(ids);
  for (const id of ids.toReversed()) {
    made.delete(id);
    if (isProtected(model, (one) => made.has(one))) return id;
  }
  throw new Error('a protection is lost, and no change takes it');
}

function sameLinks(chain: Chain, other: Chain): boolean {
  return (
    chain.length === other.length &&
    chain.every(({ one: { address, pluginClass, priority } }, at) => {
      const link = other[at]?.one;
      return (
        link?.address === address && link.pluginClass === pluginClass && Object.is(link.priority, priority)
      );
    })
  );
}

/** Anybody else comes last in its virtual cluster, as in lists of principals; hidden names come in the order of what is told of them. */
function byPrincipal(one: Principal, other: Principal): number {
  return (
    compareNaturally(one.virtualCluster, other.virtualCluster) ||
    Number(one.username === null) - Number(other.username === null) ||
    compareNaturally(one.username ?? one.externalGroup ?? '', other.username ?? other.externalGroup ?? '') ||
    ([one.externalGroup, one.identity?.externalName].includes(HIDDEN)
      ? compareNaturally(JSON.stringify(one), JSON.stringify(other))
      : 0)
  );
}
