import { describe, expect, it } from 'vitest';
import { WriteAheadQueue, type Intent } from '../../../src/apply/journal/call-journal.ts';
import type { Address } from '../../../src/model/resource.ts';
import type { Change } from '../../../src/plan/change/change.ts';
import { resource } from '../../support/kinds.ts';

const CHANGE: Change = {
  address: 'VirtualCluster/a' as Address,
  action: 'create',
  after: resource('VirtualCluster', { name: 'a' }),
  dependsOn: [],
  stage: 1,
};
const told: string[] = [];
const intent = (isSafe: boolean): Intent => ({
  synced: isSafe ? Promise.resolve(undefined) : new Promise(() => undefined),
  isSynced: () => isSafe,
  recordResult: (answer) => void told.push(answer),
});
const SAFE = intent(true);
const ON_ITS_WAY = intent(false);

/** Adds what is wanted, and takes so many, a turn at a time; gives how many were left ahead at the end. */
function rounds(ahead: WriteAheadQueue, one: Intent, count: number): number {
  for (let round = 0; round < count; round += 1) {
    for (let more = ahead.countToAdd(1); more > 0; more -= 1) ahead.add(CHANGE, one);
    ahead.take();
  }
  let left = 0;
  while (ahead.take() !== undefined) left += 1;
  return left;
}

describe('the changes whose intents are ahead', () => {
  it('are one while none has to wait for the disk', () => {
    expect(rounds(new WriteAheadQueue(), SAFE, 1000)).toBe(1);
  });

  it('become more, up to a bound, while they have to wait', () => {
    expect(rounds(new WriteAheadQueue(), ON_ITS_WAY, 3)).toBeLessThan(8);
    const left = rounds(new WriteAheadQueue(), ON_ITS_WAY, 1000);
    expect(left).toBeGreaterThanOrEqual(128);
    expect(left).toBeLessThanOrEqual(256);
  });

  it('are added some at a time, so that they go to the disk together', () => {
    const ahead = new WriteAheadQueue();
    rounds(ahead, ON_ITS_WAY, 1000);
    const added: number[] = [];
    for (let round = 0; round < 800; round += 1) {
      const more = ahead.countToAdd(1);
      if (more > 0) added.push(more);
      for (let one = 0; one < more; one += 1) ahead.add(CHANGE, SAFE);
      ahead.take();
    }
    expect(Math.min(...added)).toBeGreaterThan(120);
  });

  it('are known never to have left when they are withdrawn', () => {
    const ahead = new WriteAheadQueue();
    ahead.add(CHANGE, SAFE);
    ahead.add(CHANGE, ON_ITS_WAY);
    ahead.withdraw();
    expect(told).toEqual(['unsent', 'unsent']);
    expect(ahead.take()).toBeUndefined();
  });
});
