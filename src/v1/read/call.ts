import type { Json } from '../../model/json/json.ts';
import type { Address } from '../../model/resource.ts';
import type { Problem } from '../../model/problem.ts';

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
export type UnreadCall = Pick<Call, 'file' | 'line'> & {
  readonly method?: string;
  readonly path?: string;
  readonly why: string;
};

export type ReadCalls = {
  readonly calls: readonly (Call | UnreadCall)[];
  readonly problems: readonly Problem[];
};
