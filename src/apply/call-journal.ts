import { GatewayError, type Gateway } from '../gateway/gateway.ts';
import type { Kind } from '../model/kind.ts';
import { identify } from '../model/normal-form.ts';
import type { Resource } from '../model/resource.ts';
import type { Answer, JournalRecord } from './journal.ts';
import { isLost } from './verdict.ts';

/** Where records go. Resolves when the record is safe; rejects when it cannot be written. */
export type Recorder = (record: JournalRecord) => Promise<void>;

export type JournaledOptions = {
  /** ISO 8601. */
  readonly now: () => string;
  /** How many calls earlier sittings have made. */
  readonly before: number;
};

/**
 * The same gateway, each of whose writes is in the journal before it leaves, and again when it is answered. A write whose
 * intent cannot be recorded is not made, and rejects with an unsent GatewayError.
 */
export function journaled(gateway: Gateway, record: Recorder, { now, before }: JournaledOptions): Gateway {
  let calls = before;
  const write = async <T>(
    call: 'put' | 'delete',
    kind: Kind,
    resource: Resource,
    make: () => Promise<T>,
    answerOf: (given: T) => Answer,
  ): Promise<T> => {
    calls += 1;
    const n = calls;
    try {
      await record({ type: 'intent', n, call, address: identify(kind, resource), at: now() });
    } catch (cause) {
      throw new GatewayError('unreachable', 'the journal could not be written before it', {
        unsent: true,
        cause,
      });
    }
    // Nobody waits for a result: without it the intent stands, and what became of it is found out by reading.
    const answered = (answer: Answer, status?: number): void => {
      const said = status === undefined ? {} : { status };
      record({ type: 'result', n, answer, ...said, at: now() }).catch(() => undefined);
    };
    try {
      const given = await make();
      answered(answerOf(given));
      return given;
    } catch (error) {
      if (error instanceof GatewayError) answered(refusalOf(error), error.status);
      throw error;
    }
  };
  return {
    ...gateway,
    put: (kind, resource) =>
      write(
        'put',
        kind,
        resource,
        () => gateway.put(kind, resource),
        (given) => (given === 'unchanged' ? 'unchanged' : 'done'),
      ),
    remove: (kind, resource) =>
      write(
        'delete',
        kind,
        resource,
        () => gateway.remove(kind, resource),
        (given) => (given === 'absent' ? 'absent' : 'done'),
      ),
  };
}

function refusalOf(error: GatewayError): Answer {
  if (error.unsent) return 'unsent';
  return isLost(error) ? 'lost' : 'refused';
}
