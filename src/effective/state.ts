import { knownKind, type KindSet } from '../model/kind.ts';
import { withDefaults } from '../model/normal/normal-form.ts';
import type { ChainLink, Fact, Principal } from '../model/principal.ts';
import { parseAddress, type Address, type Resource } from '../model/resource.ts';

/**
 * What resources say about principals and interceptors. It can change step by step, as a gateway does during an apply; a step
 * costs as much as its resource says.
 */
export class EffectiveState {
  readonly #kinds: KindSet;
  readonly #facts = new Map<Address, readonly Fact[]>();
  /** The interceptors of each scope. */
  readonly #links = new Map<string, Map<Address, ChainLink>>();
  /** The groups that interceptors are for: the others make no difference. */
  readonly #targeted = new Map<string, number>();
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
  scopesOf({ virtualCluster, username, groups }: Principal): readonly string[] {
    const targeted = groups.filter((group) => this.#targeted.has(group));
    const users = username === undefined ? [null] : [null, username];
    return [null, virtualCluster]
      .flatMap((vCluster) =>
        [null, ...targeted].flatMap((group) => users.map((user) => scopeKey(vCluster, group, user))),
      )
      .filter((key) => this.#links.has(key));
  }

  /** The interceptors of these scopes. */
  linksOf(scopes: readonly string[]): readonly ChainLink[] {
    return scopes.flatMap((key) => [...(this.#links.get(key)?.values() ?? [])]);
  }

  #add(address: Address, fact: Fact): void {
    switch (fact.type) {
      case 'interceptor': {
        const { scope, priority, pluginClass, config, protects } = fact;
        const name = parseAddress(address)?.name ?? '';
        const key = keyOf(fact);
        const links = this.#links.get(key) ?? new Map<Address, ChainLink>();
        this.#links.set(
          key,
          links.set(address, { address, name, scope, priority, pluginClass, config, protects }),
        );
        if (typeof scope['group'] === 'string')
          this.#targeted.set(scope['group'], (this.#targeted.get(scope['group']) ?? 0) + 1);
        return;
      }
      case 'member':
      case 'external-group': {
        const key = groupKeyOf(fact);
        this.#groups.set(key, (this.#groups.get(key) ?? new Set()).add(fact.group));
        return;
      }
      case 'account':
      case 'virtual-cluster':
        return;
      default:
        fact satisfies never;
    }
  }

  #remove(address: Address, fact: Fact): void {
    if (fact.type === 'interceptor') {
      const key = keyOf(fact);
      const links = this.#links.get(key);
      links?.delete(address);
      if (links?.size === 0) this.#links.delete(key);
      const { group } = fact.scope;
      if (typeof group !== 'string') return;
      const left = (this.#targeted.get(group) ?? 0) - 1;
      if (left > 0) this.#targeted.set(group, left);
      else this.#targeted.delete(group);
    } else if (fact.type === 'member' || fact.type === 'external-group') {
      const groups = this.#groups.get(groupKeyOf(fact));
      groups?.delete(fact.group);
      if (groups?.size === 0) this.#groups.delete(groupKeyOf(fact));
    }
  }
}

/** What one resource says about principals and interceptors. */
export function factsOf(address: Address, resource: Resource, kinds: KindSet): readonly Fact[] {
  const kind = knownKind(address, kinds);
  return kind.facts?.(withDefaults(kind, resource)) ?? [];
}

export function makeEffectiveState(
  resources: Iterable<readonly [Address, Resource]>,
  kinds: KindSet,
): EffectiveState {
  const state = new EffectiveState(kinds);
  for (const [address, resource] of resources) state.put(address, resource);
  return state;
}

// Names may contain any character, so keys are made by JSON.
function scopeKey(vCluster: string | null, group: string | null, username: string | null): string {
  return JSON.stringify([vCluster, group, username]);
}

function keyOf({
  scope: { vCluster = null, group = null, username = null },
}: Pick<ChainLink, 'scope'>): string {
  return scopeKey(vCluster, group, username);
}

function userKey(virtualCluster: string, username: string): string {
  return JSON.stringify([virtualCluster, username]);
}

function externalKey(name: string): string {
  return JSON.stringify([name]);
}

function groupKeyOf(fact: Extract<Fact, { type: 'member' | 'external-group' }>): string {
  return fact.type === 'member' ? userKey(fact.virtualCluster, fact.username) : externalKey(fact.name);
}
