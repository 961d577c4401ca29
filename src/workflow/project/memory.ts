/**
 * Heap bytes that a plan needs: at all, and for each byte of YAML in files and of JSON in lists. Measured with 100,000
 * resources of all kinds, as the smallest heap with which a plan ends well.
 */
const BASE = 70e6;
const HEAP_PER_BYTE = { file: 8.5, list: 2 } as const;

/** Why something does not fit, and what helps. */
export type TooLarge = { readonly message: string; readonly hint: string };

/**
 * Finds out that files and lists are too large for the heap before they are taken apart: Node.js ends a process without
 * memory at once, and nothing could be said.
 */
export class MemoryBudget {
  readonly #heapLimitBytes: number;
  readonly #needs = new Map<string, number>();

  constructor(heapLimitBytes: number) {
    this.#heapLimitBytes = heapLimitBytes;
  }

  /** The bytes of files that fit. */
  get mostFileBytes(): number {
    return (this.#heapLimitBytes - BASE) / HEAP_PER_BYTE.file;
  }

  /** Notes the length of a file or list, in place of the one that had this name before. Undefined while all of them fit. */
  note(type: keyof typeof HEAP_PER_BYTE, name: string, bytes: number): TooLarge | undefined {
    this.#needs.set(name, bytes * HEAP_PER_BYTE[type]);
    let needed = BASE;
    for (const one of this.#needs.values()) needed += one;
    if (needed <= this.#heapLimitBytes) return undefined;
    const [least, most] = [megabytes(needed), megabytes(this.#heapLimitBytes)];
    return {
      message: `the files and the lists of the gateway need at least ${least} MB of memory, and Node.js may use ${most} MB`,
      hint: `set NODE_OPTIONS=--max-old-space-size=${Math.ceil((least * 1.5) / 1024) * 1024}, or split the files and plan a part at a time`,
    };
  }
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1e6);
}
