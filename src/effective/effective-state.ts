import { getOrAdd, memoize } from '../model/collect.ts';
import { addDefaults } from '../model/defaults.ts';
import { knownKind, type Kind, type KindSet } from '../model/kind.ts';
import { type ChainLink, type Fact, type Principal, explainChain, type Chain } from '../model/principal.ts';
import { protectsNothing } from './claims.ts';
import { parseAddress, type Address, type Resource, type Scope } from '../model/resource.ts';

/**
 * What resources say about principals and interceptors. It can change step by step, as a gateway does during an apply; a step
 * costs as much as its resource says.
 */
export class EffectiveState {
  readonly #kinds: KindSet;
  readonly #facts = new Map<Address, readonly Fact[]>();
  /** The interceptors of each scope. */
  readonly #links = new Map<string, Map<Address, ChainLink>>();
  /** The groups of each user, and of each external group. */
  readonly #groups = new Map<string, Set<string>>();

  constructor(kinds: KindSet) {
    this.#kinds = kinds;
  }

  /** Adds a resource, or puts it in place of the one with its address. Kinds that say nothing about principals are ignored. */
  put(address: Address, resource: Resource): void {
    this.delete(address);
    const facts = factsOf(address, resource, this.#kinds);
    if (facts.length === 0) return;
    this.#facts.set(address, facts);
    for (const fact of facts) this.#add(address, fact);
  }

  delete(address: Address): void {
    for (const fact of this.#facts.get(address) ?? []) this.#remove(address, fact);
    this.#facts.delete(address);
  }

  *facts(): Generator<Fact> {
    for (const facts of this.#facts.values()) yield* facts;
  }

  /** The groups of a user, sorted. */
  groupsOf(virtualCluster: string, username: string): readonly string[] {
    return [...(this.#groups.get(userKey(virtualCluster, username)) ?? [])].sort();
  }

  /** The groups that an external group is mapped to, sorted. */
  groupsOfExternal(name: string): readonly string[] {
    return [...(this.#groups.get(externalKey(name)) ?? [])].sort();
  }

  /** The scopes with interceptors that a principal is in. Principals with the same ones have the same chain. */
  scopesOf(principal: Principal): readonly string[] {
    return possibleScopes(principal).filter((key) => this.hasLinks(key));
  }

  hasLinks(scope: string): boolean {
    return this.#links.has(scope);
  }

  /** The interceptors of these scopes. */
  linksOf(scopes: readonly string[]): readonly ChainLink[] {
    return scopes.flatMap((key) => [...(this.#links.get(key)?.values() ?? [])]);
  }

  /** All interceptors, sorted by address. */
  links(): readonly ChainLink[] {
    const links = [...this.#links.values()].flatMap((inScope) => [...inScope.values()]);
    return links.sort((one, other) => (one.address < other.address ? -1 : 1));
  }

  #add(address: Address, fact: Fact): void {
    switch (fact.type) {
      case 'interceptor': {
        const key = scopeKeyOf(fact.scope);
        getOrAdd(this.#links, key, () => new Map<Address, ChainLink>()).set(address, linkOf(address, fact));
        return;
      }
      case 'member':
      case 'external-group': {
        getOrAdd(this.#groups, memberKeyOf(fact), () => new Set()).add(fact.group);
        return;
      }
      case 'account':
      case 'external-name':
      case 'virtual-cluster':
        return;
      default:
        fact satisfies never;
    }
  }

  #remove(address: Address, fact: Fact): void {
    if (fact.type === 'interceptor') {
      const key = scopeKeyOf(fact.scope);
      const links = this.#links.get(key);
      links?.delete(address);
      if (links?.size === 0) this.#links.delete(key);
    } else if (fact.type === 'member' || fact.type === 'external-group') {
      const groups = this.#groups.get(memberKeyOf(fact));
      groups?.delete(fact.group);
      if (groups?.size === 0) this.#groups.delete(memberKeyOf(fact));
    }
  }
}

/** What one resource says about principals and interceptors. */
export function factsOf(address: Address, resource: Resource, kinds: KindSet): readonly Fact[] {
  return factsBy(knownKind(address, kinds))(resource);
}

/** The same, worked out again, for one look at each of many. */
export function readFacts(kind: Kind, resource: Resource): readonly Fact[] {
  const facts = kind.facts?.(addDefaults(resource, kind.defaultTree) as Resource) ?? []; // defaults add to a map
  return facts.map((fact) => (isIdle(fact, kind) ? { ...fact, protects: [] } : fact));
}

/** Whether a fact is an interceptor of a class that protects, whose config protects nothing. */
function isIdle(fact: Fact, { variants }: Kind): boolean {
  if (fact.type !== 'interceptor' || fact.protects.length === 0) return false;
  const { pluginClass, config } = fact;
  return protectsNothing(variants?.known.find(({ name }) => name === pluginClass)?.strength, config);
}

/** An editor looks again and again at resources of which few have changed. */
const factsBy = memoize((kind: Kind) => memoize((resource: Resource) => readFacts(kind, resource)));

export function makeEffectiveState(
  resources: Iterable<readonly [Address, Resource]>,
  kinds: KindSet,
): EffectiveState {
  const state = new EffectiveState(kinds);
  for (const [address, resource] of resources) state.put(address, resource);
  return state;
}

/** The interceptor that a resource is, if it is one. */
export function linksIn(address: Address, resource: Resource, kinds: KindSet): readonly ChainLink[] {
  return factsOf(address, resource, kinds).flatMap((fact) =>
    fact.type === 'interceptor' ? [linkOf(address, fact)] : [],
  );
}

export function hasInterceptor(resources: ReadonlyMap<Address, Resource>, kinds: KindSet): boolean {
  for (const [address, one] of resources) if (linksIn(address, one, kinds).length > 0) return true;
  return false;
}

/** The interceptor that a fact is about: one object, by which what is found out about it is found again. */
export function linkOf(address: Address, fact: Extract<Fact, { type: 'interceptor' }>): ChainLink {
  const { scope, priority, pluginClass, config, protects } = fact;
  return getOrAdd(linksBy(fact), address, () => ({
    ...{ address, name: parseAddress(address)?.name ?? '', scope, priority, pluginClass, config, protects },
  }));
}

const linksBy = memoize<Fact, Map<Address, ChainLink>>(() => new Map());

/** The scopes that a principal is in, from the widest to the narrowest. */
export function possibleScopes({ virtualCluster, username, groups }: Principal): readonly string[] {
  const users = username === null ? [null] : [null, username];
  return [null, virtualCluster].flatMap((vCluster) =>
    users.flatMap((user) => [null, ...groups].map((group) => keyOf([vCluster, group, user]))),
  );
}

export function scopeKeyOf({ vCluster = null, group = null, username = null }: Scope): string {
  return keyOf([vCluster, group, username]);
}

export function userKey(virtualCluster: string, username: string): string {
  return keyOf([virtualCluster, username]);
}

/** The key of anybody in a group of the identity provider. */
export function externalKey(name: string): string {
  return keyOf([name]);
}

/** The key of those whom a fact makes members of a group. */
export function memberKeyOf(fact: Extract<Fact, { type: 'member' | 'external-group' }>): string {
  return fact.type === 'member' ? userKey(fact.virtualCluster, fact.username) : externalKey(fact.name);
}

// Names may contain any character.
function keyOf(parts: readonly (string | null)[]): string {
  return JSON.stringify(parts);
}

/**
 * The interceptors that run for a principal, in order: of each name the most specific ones, by ascending priority
 * (gateway-api B.4). The order of equal priorities is undefined on the gateway; here they are sorted by address.
 */
export function effectiveChain(state: EffectiveState, principal: Principal): readonly ChainLink[] {
  return explainEffectiveChain(state, principal).map(({ one }) => one);
}

/** The same, with what each one overrides. */
export function explainEffectiveChain(state: EffectiveState, principal: Principal): Chain {
  return explainScopes(state, principal, state.scopesOf(principal));
}

function explainScopes(state: EffectiveState, principal: Principal, scopes: readonly string[]): Chain {
  const links = [...state.linksOf(scopes)].sort((one, other) => (one.address < other.address ? -1 : 1));
  return explainChain(principal, links);
}

/**
 * `explainEffectiveChain` for many principals, while the state does not change. Principals with the same interceptors share
 * one list.
 */
export function chainsOf(state: EffectiveState): (principal: Principal) => Chain {
  const known = new Map<string, Chain>();
  return (principal) => {
    const scopes = state.scopesOf(principal);
    return getOrAdd(known, scopes.join(), () => explainScopes(state, principal, scopes));
  };
}
