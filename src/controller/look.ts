import type { GatewayConfig } from './resource.ts';

/** A look at a resource as it was then. */
export type Look = {
  readonly signal: AbortSignal;
  /** What it was asked for is no longer wanted: the resource is suspended or deleted, for example, or an approval is taken back. */
  readonly endIfOther: (now: GatewayConfig, change: 'set' | 'deleted') => void;
};

/** Begins a look, and says what ends it before its time. */
export function beginLook({ metadata: { uid, generation = 0 } }: GatewayConfig): Look {
  const ending = new AbortController();
  return {
    signal: ending.signal,
    endIfOther({ metadata }, change) {
      // What is told may be older than what is looked at.
      const isDeleted = change === 'deleted';
      const isOther =
        metadata.uid === uid ? isDeleted || (metadata.generation ?? 0) > generation : !isDeleted;
      if (isOther) ending.abort();
    },
  };
}
