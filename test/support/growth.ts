import { expect } from 'vitest';

/**
 * Expects that work grows no faster than its input: eight times the input takes at most 24 times the processor time, where the
 * square would be 64 times. The first size is one whose time can be measured, so a slow or busy machine makes no difference.
 */
export async function expectLinear(work: (size: number) => unknown): Promise<void> {
  const base = await processorTime(work, 1);
  let size = 500;
  let small = await processorTime(work, size);
  while (small - base < ENOUGH_MS && size < LARGEST) {
    size *= 4;
    small = await processorTime(work, size);
  }
  small = Math.max(ENOUGH_MS, Math.min(small, await processorTime(work, size)) - base);
  const large = await processorTime(work, size * 8);
  const isLinear = large < small * 24 || (await processorTime(work, size * 8)) < small * 24;
  expect(isLinear, `${size} took ${small} ms, and ${size * 8} took ${large} ms`).toBe(true);
}

const ENOUGH_MS = 10;
/** With so large an input the square would be noticed at once. */
const LARGEST = 100_000;

/** In milliseconds. */
async function processorTime(work: (size: number) => unknown, size: number): Promise<number> {
  const before = process.cpuUsage();
  await work(size);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
