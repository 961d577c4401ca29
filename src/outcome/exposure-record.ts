import type { Plain } from '../model/shape.ts';
import type { exposure, weakening } from './shapes/plan.ts';
import { type Exposure, idOf, type Change, type ChangeId } from '../plan/change/plan.ts';

export type ExposureRecord = Plain<typeof exposure>;
export type WeakeningRecord = Plain<typeof weakening>;

export function describeExposures(
  exposures: readonly Exposure[],
  changes: readonly Change[],
): readonly ExposureRecord[] {
  if (exposures.every(({ until }) => until === undefined)) return exposures;
  const ends = new Map<ChangeId, number>();
  let calls = 0;
  for (const change of changes) ends.set(idOf(change), (calls += change.action === 'replace' ? 2 : 1));
  return exposures.map((one): ExposureRecord => {
    const [start, end] = [ends.get(one.from), one.until === undefined ? undefined : ends.get(one.until)];
    return start === undefined || end === undefined ? one : { ...one, calls: Math.max(1, end - start) };
  });
}
