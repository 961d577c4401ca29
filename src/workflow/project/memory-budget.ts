import type { Host, TooLarge } from '../host.ts';

/**
 * Heap bytes that a plan needs: at all, and for each byte of YAML in files and of JSON in lists. Measured with 100,000
 * resources of all kinds, as the smallest heap with which a plan ends well.
 */
const BASE = 70e6;
const HEAP_PER_BYTE = { file: 8.5, list: 2 } as const;
/** For each value of a file or list that has little else, such as a list of a million empty maps. */
const HEAP_PER_VALUE = 80;

/** From this heap on, a run is worth preparing for: some hundred objects. */
const MUCH = 1e6;

type Limits = Pick<Host, 'heapLimitBytes' | 'maxInputBytes' | 'expectMuch'>;

/**
 * Finds out that files and lists are too large before they are taken apart: for the heap, since Node.js ends a process
 * without memory at once, and nothing could be said; or for the limit that the user has set.
 */
export class MemoryBudget {
  readonly #limits: Limits;
  readonly #noted = new Map<string, { readonly fileBytes: number; readonly heap: number }>();
  #fileBytes = 0;
  #heap = 0;
  /** Bytes of files that were read before, and are no longer in memory. */
  readonly #released: number;

  constructor(limits: Limits, released = 0) {
    this.#limits = limits;
    this.#released = released;
  }

  /** The budget for the next environment of the same run: the files of all environments count for the limit of the user. */
  next(): MemoryBudget {
    return new MemoryBudget(this.#limits, this.#released + this.#fileBytes);
  }

  /**
   * Notes the length of a file or list and how many values it has, in place of the one that had this name before. Undefined
   * while all of them fit.
   */
  note(type: keyof typeof HEAP_PER_BYTE, name: string, bytes: number, values = 0): TooLarge | undefined {
    const key = `${type} ${name}`;
    const before = this.#noted.get(key);
    const heap = Math.max(bytes * HEAP_PER_BYTE[type], values * HEAP_PER_VALUE);
    const fileBytes = type === 'file' ? bytes : 0;
    this.#fileBytes += fileBytes - (before?.fileBytes ?? 0);
    this.#heap += heap - (before?.heap ?? 0);
    this.#noted.set(key, { fileBytes, heap });
    if (this.#heap > MUCH) this.#limits.expectMuch();
    return this.findExcess();
  }

  /** Notes files while they are read, by this name. */
  checkFiles(name = 'files'): (bytes: number, values: number) => TooLarge | undefined {
    return (bytes, values) => this.note('file', name, bytes, values);
  }

  /** How many like this one fit into the memory at once. */
  get fitting(): number {
    return this.#heap === 0
      ? Infinity
      : Math.floor((this.#limits.heapLimitBytes(Infinity) - BASE) / this.#heap);
  }

  /** What of all that was noted is too large. */
  findExcess(): TooLarge | undefined {
    const { maxInputBytes } = this.#limits;
    if (this.#released + this.#fileBytes > maxInputBytes) {
      return {
        message: `the files are larger than ${maxInputBytes / 1e6} MB together`,
        hint: 'split them, or raise the limit with --max-input',
      };
    }
    const needed = BASE + this.#heap;
    const heapLimitBytes = this.#limits.heapLimitBytes(needed);
    if (needed <= heapLimitBytes) return undefined;
    const [least, most] = [megabytes(needed), megabytes(heapLimitBytes)];
    return {
      message: `the files and the lists of the gateway need at least ${least} MB of memory, and Node.js may use ${most} MB`,
      hint: `set NODE_OPTIONS=--max-old-space-size=${Math.ceil((least * 1.5) / 1024) * 1024}, or split the files and plan a part at a time`,
    };
  }
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6);
}
