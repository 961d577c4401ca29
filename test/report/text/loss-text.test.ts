import { expect, it } from 'vitest';
import type { Address } from '../../../src/model/resource.ts';
import { renderLoss } from '../../../src/report/text/text.ts';
import { NO_PAINT } from '../../../src/report/text/layout.ts';

const VC = 'VirtualCluster/vc' as Address;

it('distinguishes what cannot be undone from what is restored in part', () => {
  const reason = 'is restored without its topics';
  expect(renderLoss({ address: VC, leftOut: true, reason: 'it needs a' }, NO_PAINT)).toBe(
    'cannot be undone: VirtualCluster/vc: it needs a',
  );
  expect(renderLoss({ address: VC, leftOut: false, reason }, NO_PAINT)).toBe(
    'cannot be undone completely: VirtualCluster/vc is restored without its topics',
  );
});

it('is one line without control characters', () => {
  const hostile = 'a\nresult: applied\u001b[2J' as Address;
  for (const leftOut of [true, false]) {
    expect(renderLoss({ address: hostile, leftOut, reason: hostile }, NO_PAINT)).not.toMatch(/[\n\u001b]/);
  }
});
