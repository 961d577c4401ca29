import type { GatewayError } from '../gateway/gateway.ts';
import { canonicalText, placesOf } from '../model/json/json.ts';
import type { Kind } from '../model/kind.ts';
import { identify } from '../model/identity.ts';
import { withDefaults } from '../model/normal/normal-form.ts';
import type { Address, Resource } from '../model/resource.ts';
import { referencesOf } from '../model/normal/references-of.ts';

/** One write; a replace is two of them. */
export type Write = { readonly call: 'put' | 'remove'; readonly resource: Resource };

type Noted = { readonly step: Write; readonly before: Resource | undefined; readonly kind: Kind };

/**
 * What a run has written and deleted so far. The gateway is eventually consistent (gateway-api B.8): what it was told a
 * moment ago, it may not know yet, and refuse what builds on that.
 */
export class Effects {
  readonly #written = new Set<Address>();
  /** Of those, what was there before. */
  readonly #changed = new Set<Address>();
  readonly #removed = new Set<Address>();
  /** Values that had an owner which gave them up. */
  readonly #freed = new Set<string>();
  /** What had a user which is gone, or uses it no more. */
  readonly #unused = new Set<Address>();
  readonly #last = new Map<Address, Resource | undefined>();
  /** Steps that nobody has asked about yet: mostly nobody ever does. */
  readonly #noted: Noted[] = [];

  record(step: Write, before: Resource | undefined, kind: Kind): void {
    this.#noted.push({ step, before, kind });
  }

  /** What the run left there; `before` where it has not been. */
  lastWritten(address: Address, before: Resource | undefined): Resource | undefined {
    this.#catchUp();
    return this.#left(address, before);
  }

  /** Whether the gateway may refuse this only because it has not heard yet of what this run did. */
  explains({ code }: GatewayError, { call, resource }: Write, kind: Kind): boolean {
    if (code !== 'not-found' && code !== 'conflict') return false;
    this.#catchUp();
    const address = identify(kind, resource);
    if (call === 'remove') return code === 'conflict' && this.#unused.has(address);
    const used = [...referencedBy(kind, resource)];
    if (code === 'not-found') return used.some((one) => this.#written.has(one));
    return (
      this.#removed.has(address) ||
      used.some((one) => this.#changed.has(one)) ||
      [...uniqueKeys(kind, resource)].some((value) => this.#freed.has(value))
    );
  }

  #left(address: Address, before: Resource | undefined): Resource | undefined {
    return this.#last.has(address) ? this.#last.get(address) : before;
  }

  #catchUp(): void {
    for (const noted of this.#noted.splice(0)) this.#take(noted);
  }

  #take({ step: { call, resource }, before, kind }: Noted): void {
    const address = identify(kind, resource);
    const now = call === 'put' ? resource : undefined;
    const kept = { values: uniqueKeys(kind, now), used: referencedBy(kind, now) };
    const earlier = this.#left(address, before);
    for (const value of uniqueKeys(kind, earlier)) if (!kept.values.has(value)) this.#freed.add(value);
    for (const used of referencedBy(kind, earlier)) if (!kept.used.has(used)) this.#unused.add(used);
    (call === 'put' ? this.#written : this.#removed).add(address);
    if (call === 'put' && earlier !== undefined) this.#changed.add(address);
    this.#last.set(address, now);
  }
}

function referencedBy(kind: Kind, resource: Resource | undefined): ReadonlySet<Address> {
  return new Set(resource === undefined ? [] : referencesOf(resource, kind).map(({ to }) => to));
}

function uniqueKeys(kind: Kind, resource: Resource | undefined): ReadonlySet<string> {
  if (resource === undefined) return new Set();
  const filled = withDefaults(kind, resource);
  return new Set(
    kind.unique.flatMap((tokens, at) =>
      placesOf(filled, tokens).map(({ value }) => `${kind.name} ${at} ${canonicalText(value)}`),
    ),
  );
}
