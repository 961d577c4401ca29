import { expect } from 'vitest';
import { applyPlan } from '../../src/apply/apply.ts';
import { checkFresh } from '../../src/apply/verify/check-plan.ts';
import { findUndoMisstatements } from '../../src/apply/verify/find-misstatements.ts';
import type { EmbeddedGateway } from '../../src/emulator/memory.ts';
import { readLive } from '../../src/gateway/read-live.ts';
import { normalForm } from '../../src/model/normal/normal-form.ts';
import { kindOf as kindNameOf, type Address, type Resource } from '../../src/model/resource.ts';
import type { Change } from '../../src/plan/change/change.ts';
import { decodePlan } from '../../src/plan/saved/decode-plan.ts';
import type { SavedChange } from '../../src/plan/saved/saved-plan.ts';
import { sign, sealUndo } from '../../src/plan/saved/seal-plan.ts';
import { makeUndo, withoutHalves } from '../../src/plan/undo/undo.ts';
import { catalog } from '../../src/schema/kinds/index.ts';
import { virtualClock } from './clock.ts';
import { kindOf } from './kinds.ts';
import { textOf } from './plans.ts';
import { findingDigester } from './quick-key.ts';

const { kinds } = catalog;

/** The changes of the undo, as they are read again from its file. */
export function undoOf(
  changes: readonly Change[],
  order?: Parameters<typeof makeUndo>[2],
): readonly SavedChange[] {
  const undo = makeUndo(changes, kinds, order);
  expect(undo.losses.filter(({ leftOut }) => leftOut)).toEqual([]);
  const about = { tool: 'gwconf', createdAt: '2025-01-01T00:00:00Z', salt: 'salt', gateway: 'memory:' };
  const { value, problems } = decodePlan(
    textOf(sign(sealUndo(undo, 'run', kinds, about, findingDigester))),
    'undo.json',
    kinds,
  );
  expect(problems).toEqual([]);
  return value?.changes ?? [];
}

/** Makes an undo eight calls at a time; no call is refused, and nothing is stale. */
export async function takeBack(undo: readonly SavedChange[], gateway: EmbeddedGateway): Promise<void> {
  const { resources } = await readLive(gateway, [...kinds.values()]);
  const changes = withoutHalves(undo, resources, kinds);
  const fresh = [...checkFresh(changes, resources, kinds, 'salt', undefined, findingDigester)];
  expect(fresh.filter(([, state]) => state === 'stale')).toEqual([]);
  const already = new Set(fresh.flatMap(([id, state]) => (state === 'already' ? [id] : [])));
  expect(findUndoMisstatements(changes, already, resources, kinds)).toEqual([]);
  for await (const event of applyPlan(changes, gateway, kinds, { clock: virtualClock(), already })) {
    expect(event.type).not.toBe('retrying');
    if (event.type !== 'finished') continue;
    const failed = event.ledger.entries.filter(({ outcome }) => outcome !== 'done' && outcome !== 'already');
    expect(failed).toEqual([]);
  }
}

/** What is live, without what the gateway fills in. */
export async function stateOf(gateway: EmbeddedGateway): Promise<ReadonlyMap<Address, Resource>> {
  const { resources } = await readLive(gateway, [...kinds.values()]);
  return new Map(
    [...resources].map(([address, one]) => [address, normalForm(kindOf(kindNameOf(address)), one)]),
  );
}
