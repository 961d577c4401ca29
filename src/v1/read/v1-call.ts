import type { Json } from '../../model/json/json.ts';
import type { Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { Fault } from './unknown.ts';

/** One HTTP call that a file makes to a gateway. */
export type Call = {
  readonly file: string;
  /** Line in `file`, from 1. */
  readonly line: number;
  /** Scheme, host and port as written, without credentials: calls of different gateways build different states. */
  readonly gateway: string;
  /** Upper case. */
  readonly method: string;
  /** From the first slash, without query, percent-encoded as sent. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Json | undefined;
  /** The object on the gateway that it was read from, where the path does not tell. */
  readonly object?: Address;
};

/** A call whose URL, method or body could not be read. */
export type UnreadCall = Pick<Call, 'file' | 'line'> &
  Fault & {
    readonly method?: string;
    readonly path?: string;
  };

export type ReadCalls = {
  readonly calls: readonly (Call | UnreadCall)[];
  readonly problems: readonly Problem[];
};

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
