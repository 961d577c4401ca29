import type { Call, UnreadCall } from './call.ts';

/** The calls of a file or a part of one, and how many requests go elsewhere. */
export type ReadPart = {
  readonly calls: readonly (Call | UnreadCall)[];
  readonly others: number;
  /** Credentials of the calls, which must not be shown anywhere. */
  readonly credentials?: Iterable<string>;
};

export function joinParts(parts: readonly ReadPart[]): ReadPart {
  return {
    credentials: parts.flatMap(({ credentials = [] }) => [...credentials]),
    calls: parts.flatMap(({ calls }) => calls),
    others: parts.reduce((sum, { others }) => sum + others, 0),
  };
}
