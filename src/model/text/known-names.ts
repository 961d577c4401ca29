import { isAscii, lookOf } from './confusables.ts';

/** What of a name is compared: with what may be read for another changed. */
type KeyOf<Name> = (name: Name, change: (text: string) => string) => string;

/** Names by what they look like. */
export class KnownNames<Name extends string> {
  readonly #allAscii: boolean;
  readonly #keyOf: KeyOf<Name>;
  /** The first name of those that are the same in lower case as a whole. */
  readonly #byWholeCase = new Map<string, Name>();
  readonly #byCase = new Map<string, Name>();
  /** By look: the first name, and the first outside of ASCII. */
  readonly #byLook = new Map<string, { readonly first: Name; exotic: Name | undefined }>();

  constructor(allAscii: boolean, keyOf: KeyOf<Name>) {
    this.#allAscii = allAscii;
    this.#keyOf = keyOf;
  }

  /** Adds a name; returns one that looks like it. */
  add(name: Name): Name | undefined {
    const same = this.#addByCase(name);
    if (this.#allAscii) return same;
    const look = this.#keyOf(name, lookOf);
    const alike = this.#byLook.get(look);
    const exotic = isAscii(name) ? undefined : name;
    if (alike === undefined) this.#byLook.set(look, { first: name, exotic });
    else alike.exotic ??= exotic;
    const other = exotic === undefined ? alike?.exotic : alike?.first;
    return same ?? other;
  }

  /** Most names differ from all others in more than case, and need no key. */
  #addByCase(name: Name): Name | undefined {
    const whole = name.toLowerCase();
    const first = this.#byWholeCase.get(whole);
    if (first === undefined) {
      this.#byWholeCase.set(whole, name);
      return undefined;
    }
    this.#byCase.set(this.#keyOf(first, lowerCase), first);
    const key = this.#keyOf(name, lowerCase);
    const same = this.#byCase.get(key);
    if (same === undefined) this.#byCase.set(key, name);
    return same;
  }
}

function lowerCase(text: string): string {
  return text.toLowerCase();
}
