import { largestOf } from '../model/collect.ts';
import type { Action } from '../plan/change/change.ts';
import type { Counts } from '../plan/change/plan.ts';

/** `2 ignored`, as a list; nothing for none. */
export function ifAny(count: number, words: string): readonly string[] {
  return count === 0 ? [] : [`${count} ${words}`];
}

/** What a comparison leaves alone. */
export function countLeftAlone({
  ignored,
  unmanaged,
}: Pick<Counts, 'ignored' | 'unmanaged'>): readonly string[] {
  return [...ifAny(ignored, 'ignored'), ...ifAny(unmanaged, 'not managed by this project')];
}

/** `Plan` of `plan`. */
export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What could not be compared, or is not selected, may differ. */
export function comparedOnly(uncompared: number, selection?: object): string {
  return `${selection === undefined ? '' : ' in the selection'}${uncompared === 0 ? '' : ' in what was compared'}`;
}

export function formatCounts(counts: Pick<Counts, Action>): string {
  return `${counts.create} to create, ${counts.update} to update, ${counts.replace} to replace, ${counts.delete} to delete`;
}

/** Pads the cells of every column to one width. */
export function alignColumns(rows: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const widths = (rows[0] ?? []).map((_, column) => largestOf(rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)));
}
