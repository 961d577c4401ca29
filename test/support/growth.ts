import { expect } from 'vitest';

/**
 * Expects that work grows no faster than its input: eight times the input takes at most 32 times the processor time, where the
 * square would be 64 times: collecting garbage takes more time for more. The first size is one whose time can be measured. Other work on the machine only ever adds time, so
 * the least times of several rounds count.
 */
export async function expectLinear(work: (size: number) => unknown): Promise<void> {
  await work(1);
  const base = await processorTime(work, 1);
  let size = 16;
  const isEnough = async (): Promise<boolean> => (await processorTime(work, size)) - base >= ENOUGH_MS;
  // Twice, since code is compiled at first.
  while (size < LARGEST && !((await isEnough()) && (await isEnough()))) size *= 2;
  const least = { base, small: Infinity, large: Infinity };
  for (let round = 0; round < ROUNDS; round += 1) {
    least.base = Math.min(least.base, await processorTime(work, 1));
    least.small = Math.min(least.small, await processorTime(work, size));
    least.large = Math.min(least.large, await processorTime(work, size * 8));
    const [small, large] = [least.small - least.base, least.large - least.base];
    // What takes less than that cannot be told from noise.
    if (large < Math.max(small, ENOUGH_MS) * 32) return;
  }
  expect.fail(
    `a size of 1 took ${least.base} ms, ${size} took ${least.small} ms, and ${size * 8} took ${least.large} ms`,
  );
}

const ENOUGH_MS = 10;
const ROUNDS = 5;
/** With so large an input the square would be noticed at once. */
const LARGEST = 100_000;

/** In milliseconds. */
async function processorTime(work: (size: number) => unknown, size: number): Promise<number> {
  const before = process.cpuUsage();
  await work(size);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
