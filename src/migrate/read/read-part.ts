import type { Call, UnreadCall } from '../call.ts';

/** The calls of a file or a part of one, and how many requests go elsewhere. */
export type ReadPart = {
  readonly calls: readonly (Call | UnreadCall)[];
  readonly others: number;
};

export function joinParts(parts: readonly ReadPart[]): ReadPart {
  return {
    calls: parts.flatMap(({ calls }) => calls),
    others: parts.reduce((sum, { others }) => sum + others, 0),
  };
}
