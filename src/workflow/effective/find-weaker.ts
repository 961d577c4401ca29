import { makeProtection } from '../../effective/protection.ts';
import { linksIn } from '../../effective/effective-state.ts';
import { groupBy, memoize } from '../../model/collect.ts';
import type { KindSet } from '../../model/kind.ts';
import type { Chain, ChainLink, Principal } from '../../model/principal.ts';
import { knownKind } from '../../model/kind.ts';
import { isAsWanted } from '../../model/normal/normal-form.ts';
import type { Pointer } from '../../model/json/json.ts';
import type { Address, Resource } from '../../model/resource.ts';
import type { DesiredState } from '../../model/state.ts';
import type { DraftChange } from '../../plan/change/change.ts';
import type { WeakerProtection, Weakening } from '../../plan/change/plan.ts';
import { isBuiltIn } from '../../plan/change/select.ts';
import { applyIgnoreRules } from '../../plan/change/ignore.ts';
import { isExpired } from '../../plan/checks/ownership.ts';
import { findLoosened } from '../../plan/exposure/loosened.ts';
import { findOtherNames, findShownNames, findUndone } from '../../plan/exposure/taken-off.ts';
import { weakeningTeller } from '../../plan/exposure/weakenings.ts';
import { redactChains } from '../../plan/secrets/hide-in-chains.ts';
import type { Workspace } from '../project/workspace.ts';
import type { ChainClass } from './ask-gateway.ts';
import { redactDeclaredChains } from './find-chains.ts';

type World = {
  readonly desired: DesiredState;
  /** The same; fields that cannot be compared, since a variable has no value, are as the gateway has them. */
  readonly adopted: DesiredState;
  /** What the gateway has. */
  readonly resources: ReadonlyMap<Address, Resource>;
  /** For ignore rules. */
  readonly today: string;
  /** Topics of each virtual cluster, beside those that objects are. */
  readonly topics?: readonly string[] | undefined;
};
type Finder = {
  /** What principals of a class have weaker on the gateway, where their chain there is this one; by principal. */
  readonly findWeaker: (
    one: ChainClass,
    answer: readonly ChainLink[],
  ) => (principal: Principal) => readonly WeakerProtection[];
  /** What others than these have weaker, such as a user that only an object names. */
  readonly findOthers: (
    known: readonly Principal[],
  ) => readonly { readonly principal: Principal; readonly weaker: readonly WeakerProtection[] }[];
};

/**
 * Judges what the gateway runs by what is declared. What the files do not manage counts on both sides: it protects, whatever they
 * say. Without the values of secrets.
 */
export function weakerFinder(
  workspace: Workspace,
  { desired, adopted, resources, today, topics }: World,
  isManaged: (address: Address) => boolean,
): Finder {
  const { environment, secrets, catalog } = workspace;
  const { kinds } = catalog;
  const live = { resources, unavailable: new Map<never, never>() };
  const rules = (environment?.ignore ?? []).filter((rule) => !isExpired(rule, today));
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
    redactDeclaredChains(workspace, desired),
    redactChains(resources, [], kinds, {
      ...secrets.known,
      declaredOf: (address) => desired.get(address),
    }),
  ];
  const declared = new Map(Array.from(desired, ([address, { resource }]) => [address, resource] as const));
  const redaction = {
    ...own,
    showsAt: (address: Address, pointer: Pointer) =>
      own.showsAt(address, pointer) && there.showsAt(address, pointer),
  };
  const protectionOf = makeProtection(environment?.protection);
  const tell = weakeningTeller(() => [declared, resources], { kinds, topics, protectionOf, redaction });
  const { before, changes } = asChanges(wanted, resources, kinds, isManaged);
  const world = { live: before, changes, kinds, protectionOf, redaction, topics };
  const byPrincipal = groupBy([...findLoosened(world), ...findOtherNames(world)], keyOf);
  return {
    findWeaker: (one, answer) => {
      const links = one.declared.map(({ one: link }) => asJudged(link));
      const others = answer.filter(({ address }) => !isManaged(address) && !desired.has(address));
      const chains = {
        before: toChain([...links, ...others]),
        after: toChain(answer),
        links: [],
        memberships: new Map<never, never>(),
      };
      const judged = tell(chains);
      const principals = one.pairs.map((pair) => pair.declared);
      const classes = [{ ...chains, principals }];
      const shown = groupBy([...findUndone(classes, world), ...findShownNames(classes, world)], keyOf);
      return (principal) => {
        const key = keyOf(principal);
        const found = [...judged(principal), ...(shown.get(key) ?? []), ...(byPrincipal.get(key) ?? [])];
        return found.map(withoutWho);
      };
    },
    findOthers: (known) => {
      const keys = new Set(known.map(keyOf));
      return [...byPrincipal].flatMap(([key, all]) => {
        const [{ virtualCluster, username, groups }] = all;
        return keys.has(key)
          ? []
          : [{ principal: { virtualCluster, username, groups }, weaker: all.map(withoutWho) }];
      });
    },
  };
}

function keyOf({ virtualCluster, username, externalGroup, identity }: Principal): string {
  return JSON.stringify([virtualCluster, username, externalGroup ?? null, identity ?? null]);
}

function withoutWho({
  protection,
  certainty,
  by,
  fields,
  parts,
}: Pick<Weakening, keyof WeakerProtection>): WeakerProtection {
  return { protection, certainty, by, fields, parts };
}

/** What the gateway has otherwise than declared, as changes of what is declared. */
function asChanges(
  wanted: DesiredState,
  resources: ReadonlyMap<Address, Resource>,
  kinds: KindSet,
  isManaged: (address: Address) => boolean,
): { readonly before: ReadonlyMap<Address, Resource>; readonly changes: readonly DraftChange[] } {
  const before = new Map(resources);
  const changes: DraftChange[] = [];
  for (const [address, { resource: own }] of wanted) {
    const kind = kinds.get(own.kind);
    const there = resources.get(address);
    if (kind === undefined || !isManaged(address)) continue;
    if (there !== undefined && isAsWanted(kind, there, own)) continue;
    before.set(address, own);
    if (there === undefined) changes.push({ action: 'delete', address, before: own });
    else changes.push({ action: 'update', address, before: own, after: there, fields: [] });
  }
  for (const [address, there] of resources) {
    if (wanted.has(address) || !isManaged(address) || isBuiltIn(address, kinds)) continue;
    before.delete(address);
    changes.push({ action: 'create', address, after: there });
  }
  return { before, changes };
}

function toChain(links: readonly ChainLink[]): Chain {
  return links.map((one) => ({ one, overrides: [] }));
}
