import { addTo, getOrAdd } from '../../model/collect.ts';
import type { Address } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import type { MigratedCallRecord } from '../../outcome/migrate.ts';

/** What a call turned out to be. */
export type Note = 'fact' | 'choice' | 'command' | 'refusal';

/** The notes on each call, by its number. */
export class Ledger {
  readonly #notes = new Map<number, { readonly note: Note; readonly text: string }[]>();
  /** Whether a resource is what the call is about, and not only something that this needs. */
  readonly #to = new Map<number, Map<Address, boolean>>();
  readonly #calls = new Map<Address, number[]>();
  readonly #places: readonly string[];
  readonly #parts: readonly string[];

  /** `places` has the file and line of each call, `parts` what of the file makes it. */
  constructor(places: readonly string[], parts: readonly string[]) {
    this.#places = places;
    this.#parts = parts;
  }

  add(calls: Iterable<number>, note: Note, text: string): void {
    for (const call of calls) {
      const notes = getOrAdd(this.#notes, call, () => []);
      if (notes.length < MOST_NOTES && !notes.some((one) => one.text === text)) notes.push({ note, text });
    }
  }

  /** The resource at `address` is what these calls make, or what that needs. */
  declare(calls: Iterable<number>, address: Address, isNeeded = false): void {
    for (const call of calls) {
      const to = getOrAdd(this.#to, call, () => new Map<Address, boolean>());
      to.set(address, to.get(address) === true || !isNeeded);
      addTo(this.#calls, address, call);
    }
  }

  /** The resource at `address` is not declared after all. */
  refuse(address: Address, text: string): void {
    for (const call of this.#calls.get(address) ?? [])
      if (this.#to.get(call)?.delete(address) === true) this.add([call], 'refusal', text);
  }

  placeOf(call: number): string {
    return this.#places[call] ?? '';
  }

  partOf(call: number): string | undefined {
    return this.#parts[call];
  }

  resultOf(call: number): Pick<TranslatedCall, 'outcome' | 'why' | 'to'> {
    const notes = this.#notes.get(call) ?? [];
    const to = this.#to.get(call) ?? new Map<Address, boolean>();
    const isMade = [...to.values()].includes(true);
    const has = (wanted: Note): boolean => notes.some(({ note }) => note === wanted);
    const outcome =
      has('refusal') && !isMade
        ? 'cannot'
        : has('command')
          ? 'imperative'
          : has('choice') || has('refusal')
            ? 'converted with a choice'
            : 'converted';
    return {
      outcome,
      ...(notes.length === 0 ? {} : { why: notes.map(({ text }) => text).join('; ') }),
      to: [...to.keys()],
    };
  }
}

const MOST_NOTES = 8;

export type TranslatedCall = Omit<MigratedCallRecord, 'to'> & {
  /** The resources that declare what the call did. */
  readonly to: readonly Address[];
};

/** A client as a gateway sees it, by its old names or its new ones. */
export type Client = {
  readonly vCluster: string;
  readonly username?: string;
  readonly groups: readonly string[];
};

/** What the calls to one gateway leave there. */
export type TranslatedGateway = {
  readonly gateway: string;
  readonly state: LiveState;
  /** The clients that the calls name: each account, each user of an interceptor, and one without a name in each virtual cluster. */
  readonly clients: readonly { readonly before: Client; readonly after: Client }[];
  /** The address that an interceptor has now, by what its old one would be. */
  readonly moved: ReadonlyMap<Address, Address>;
};

export type Translated = {
  /** The gateways that have something to declare, in the order of their first calls. */
  readonly gateways: readonly TranslatedGateway[];
  /** In the order of the calls. */
  readonly calls: readonly TranslatedCall[];
};
