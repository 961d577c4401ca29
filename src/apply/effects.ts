import type { GatewayError } from '../gateway/gateway.ts';
import type { Kind } from '../model/kind.ts';
import { identify } from '../model/identity.ts';
import type { Address, Resource } from '../model/resource.ts';
import { referencesOf } from '../model/normal/normal-form.ts';
import type { Change } from '../plan/change/change.ts';
import { uniqueKeysOf } from '../model/normal/constrained-values.ts';

/** One write; a replace is two. */
export type Write = { readonly call: 'put' | 'remove'; readonly resource: Resource };

/** A write that was made, and its change. */
type Recorded = { readonly write: Write; readonly change: Change; readonly kind: Kind };

/**
 * What a run has written and deleted so far. The gateway is eventually consistent (gateway-api B.8): it may not see yet
 * what it just confirmed, and refuse a write that builds on it.
 */
export class Effects {
  readonly #written = new Set<Address>();
  /** Those of `#written` that existed before. */
  readonly #changed = new Set<Address>();
  readonly #removed = new Set<Address>();
  /** Unique values given up by their holder. */
  readonly #freed = new Set<string>();
  /** Objects that lost a referrer. */
  readonly #released = new Set<Address>();
  readonly #last = new Map<Address, Resource | undefined>();
  readonly #lastRecorded = new Map<Address, Recorded>();
  /** Not evaluated until the first question: most runs never ask one. */
  readonly #pending: Recorded[] = [];

  record(recorded: Recorded): void {
    this.#pending.push(recorded);
  }

  /** What the run last wrote there; `before` if it wrote nothing. */
  lastWritten(address: Address, before: Resource | undefined): Resource | undefined {
    this.#evaluate();
    return this.#lastOr(address, before);
  }

  /** Whether the gateway may refuse this write only because it does not see yet what this run did. */
  explains({ code }: GatewayError, { call, resource }: Write, kind: Kind): boolean {
    if (code !== 'not-found' && code !== 'conflict') return false;
    this.#evaluate();
    const address = identify(kind, resource);
    if (call === 'remove') return code === 'conflict' && this.#released.has(address);
    const references = [...referencesIn(kind, resource)];
    if (code === 'not-found') return references.some((to) => this.#written.has(to));
    return (
      this.#removed.has(address) ||
      references.some((to) => this.#changed.has(to)) ||
      [...uniqueKeysOf(kind, resource)].some((value) => this.#freed.has(value))
    );
  }

  /** The writes of this run that made the objects which `resource` refers to. */
  writesOfReferences({ resource }: Write, kind: Kind): readonly Recorded[] {
    this.#evaluate();
    return [...referencesIn(kind, resource)].flatMap((address) => {
      const recorded = this.#written.has(address) ? this.#lastRecorded.get(address) : undefined;
      return recorded?.write.call === 'put' ? [recorded] : [];
    });
  }

  #lastOr(address: Address, before: Resource | undefined): Resource | undefined {
    return this.#last.has(address) ? this.#last.get(address) : before;
  }

  #evaluate(): void {
    for (const recorded of this.#pending.splice(0)) this.#add(recorded);
  }

  #add(recorded: Recorded): void {
    const { write, change, kind } = recorded;
    const { call, resource } = write;
    const address = identify(kind, resource);
    const before = 'before' in change ? change.before : undefined;
    this.#lastRecorded.set(address, recorded);
    const now = call === 'put' ? resource : undefined;
    const earlier = this.#lastOr(address, before);
    const values = uniqueKeysOf(kind, now);
    const references = referencesIn(kind, now);
    for (const value of uniqueKeysOf(kind, earlier)) if (!values.has(value)) this.#freed.add(value);
    for (const to of referencesIn(kind, earlier)) if (!references.has(to)) this.#released.add(to);
    (call === 'put' ? this.#written : this.#removed).add(address);
    if (call === 'put' && earlier !== undefined) this.#changed.add(address);
    this.#last.set(address, now);
  }
}

function referencesIn(kind: Kind, resource: Resource | undefined): ReadonlySet<Address> {
  return new Set(resource === undefined ? [] : referencesOf(resource, kind).map(({ to }) => to));
}
