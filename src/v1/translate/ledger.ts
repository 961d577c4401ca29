import { addTo } from '../../model/collect.ts';
import type { Address } from '../../model/resource.ts';
import type { Outcome } from './outcome.ts';

/** What a call turned out to be. */
export type Note = 'fact' | 'choice' | 'command' | 'refusal';

/** What is known of each call, by its number. */
export class Ledger {
  readonly #notes = new Map<number, { readonly note: Note; readonly text: string }[]>();
  /** Whether a resource is what the call is about, and not only something that this needs. */
  readonly #to = new Map<number, Map<Address, boolean>>();
  readonly #calls = new Map<Address, number[]>();
  readonly #places: readonly string[];

  /** `places` has the file and line of each call. */
  constructor(places: readonly string[]) {
    this.#places = places;
  }

  add(call: number, note: Note, text: string): void {
    const notes = this.#notes.get(call) ?? [];
    if (notes.length < MOST_NOTES && !notes.some((one) => one.text === text)) notes.push({ note, text });
    this.#notes.set(call, notes);
  }

  addAll(calls: Iterable<number>, note: Note, text: string): void {
    for (const call of calls) this.add(call, note, text);
  }

  /** The resource at `address` is what these calls make, or what that needs. */
  declare(calls: Iterable<number>, address: Address, isNeeded = false): void {
    for (const call of calls) {
      const to = this.#to.get(call) ?? new Map<Address, boolean>();
      to.set(address, to.get(address) === true || !isNeeded);
      this.#to.set(call, to);
      addTo(this.#calls, address, call);
    }
  }

  /** The resource at `address` is not declared after all. */
  refuse(address: Address, text: string): void {
    for (const call of this.#calls.get(address) ?? [])
      if (this.#to.get(call)?.delete(address) === true) this.add(call, 'refusal', text);
  }

  placeOf(call: number): string {
    return this.#places[call] ?? '';
  }

  resultOf(call: number): {
    readonly outcome: Outcome;
    readonly why?: string;
    readonly to: readonly Address[];
  } {
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
