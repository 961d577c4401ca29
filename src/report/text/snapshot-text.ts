import { onOneLine } from '../escape.ts';
import type { Paint } from '../paint.ts';

/** How old what a plan was compared with is. */
export type SnapshotAge = { readonly takenAt: string; readonly ageSeconds: number };

/** What a plan that was made from a snapshot says of itself. */
export type FromSnapshot = SnapshotAge & {
  /** Fields that could not be compared. */
  readonly cannotTell: number;
};

/** Says before a plan that it was made from a snapshot, from how old a one, and what it cannot know. */
export function snapshotText({ takenAt, ageSeconds, cannotTell }: FromSnapshot, paint: Paint): string {
  const age = `Snapshot of ${onOneLine(takenAt)}, ${durationText(ageSeconds)} old; no gateway was asked`;
  const untold =
    cannotTell === 0 ? '' : `${fields(cannotTell)} cannot be told, and count as being as declared\n`;
  return `${paint.bold(age)}\n${untold}`;
}

function fields(count: number): string {
  return count === 1 ? '1 field' : `${count} fields`;
}

const UNITS = [
  ['day', 24 * 60 * 60],
  ['hour', 60 * 60],
  ['minute', 60],
  ['second', 1],
] as const;

/** `3 hours`: the largest unit of which there are two, so that nothing is rounded far. */
export function durationText(seconds: number): string {
  const [name, length] = UNITS.find(([, size]) => seconds >= 2 * size) ?? ['second', 1];
  const count = Math.floor(seconds / length);
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
