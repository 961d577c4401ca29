import { makeProtection } from '../../effective/protection.ts';
import { linksIn } from '../../effective/effective-state.ts';
import { memoize } from '../../model/collect.ts';
import type { Chain, ChainLink } from '../../model/principal.ts';
import { knownKind } from '../../model/kind.ts';
import { isAsWanted } from '../../model/normal/normal-form.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { DesiredState } from '../../model/state.ts';
import type { WeakerProtection } from '../../plan/change/plan.ts';
import { applyIgnoreRules } from '../../plan/change/ignore.ts';
import { isExpired } from '../../plan/checks/ignore-rules.ts';
import { adoptUnsetFields } from '../../plan/diff/unset-fields.ts';
import { weakeningTeller } from '../../plan/exposure/weakenings.ts';
import { redactChains } from '../../plan/secrets/hide-in-chains.ts';
import { catalog } from '../../schema/kinds/index.ts';
import type { Workspace } from '../project/workspace.ts';
import type { ChainClass } from './ask-gateway.ts';
import { redactDeclaredChains } from './find-chains.ts';

type World = {
  readonly desired: DesiredState;
  /** What the gateway has. */
  readonly resources: ReadonlyMap<Address, Resource>;
  /** For ignore rules. */
  readonly today: string;
  /** Topics of each virtual cluster, beside those that objects are. */
  readonly topics?: readonly string[] | undefined;
};
/** What principals of a class have weaker on the gateway, where their chain there is this one; by principal. */
type FindWeaker = (
  one: ChainClass,
  answer: readonly ChainLink[],
) => (principal: ChainClass['pairs'][number]['declared']) => readonly WeakerProtection[];

/**
 * Judges what the gateway runs by what is declared. What the files do not manage counts on both sides: it protects, whatever they
 * say. Without the values of secrets.
 */
export function weakerFinder(
  { environment, secrets }: Workspace,
  { desired, resources, today, topics }: World,
  isManaged: (address: Address) => boolean,
): FindWeaker {
  const { kinds } = catalog;
  const live = { resources, unavailable: new Map<never, never>() };
  const rules = (environment?.ignore ?? []).filter((rule) => !isExpired(rule, today));
  const { value: adopted } = adoptUnsetFields(desired, live, () => '');
  const wanted = applyIgnoreRules(adopted, live, rules, kinds).desired;
  // A link that means the same is the one on the gateway, however it is written.
  const asJudged = memoize((link: ChainLink): ChainLink => {
    const { address } = link;
    const [there, own] = [resources.get(address), wanted.get(address)?.resource];
    const isSame =
      there !== undefined && (own === undefined || isAsWanted(knownKind(address, kinds), there, own));
    const resource = isSame ? there : own;
    return (resource && linksIn(address, resource, kinds)[0]) ?? link;
  });
  const [own, there] = [
    redactDeclaredChains(desired),
    redactChains(resources, [], kinds, {
      ...secrets.known,
      declaredOf: (address) => desired.get(address),
    }),
  ];
  const declared = new Map(Array.from(desired, ([address, { resource }]) => [address, resource] as const));
  const tell = weakeningTeller(() => [declared, resources], {
    kinds,
    topics,
    protectionOf: makeProtection(environment?.protection),
    redaction: {
      ...own,
      showsAt: (address, pointer) => own.showsAt(address, pointer) && there.showsAt(address, pointer),
    },
  });
  return (one, answer) => {
    const links = one.declared.map(({ one: link }) => asJudged(link));
    const others = answer.filter(({ address }) => !isManaged(address) && !desired.has(address));
    const judged = tell({
      before: toChain([...links, ...others]),
      after: toChain(answer),
      links: [],
      memberships: new Map(),
    });
    return (principal) => judged(principal).map(({ from: _, ...weaker }) => weaker);
  };
}

function toChain(links: readonly ChainLink[]): Chain {
  return links.map((one) => ({ one, overrides: [] }));
}
