import type { Log } from './host.ts';

/** The same log, with these fields in each line. */
export function logWith(about: object, { info, debug, trace }: Log): Log {
  const within =
    (log: Log['info']): Log['info'] =>
    (fields, message) =>
      log({ ...about, ...fields }, message);
  return {
    info: within(info),
    ...(debug && { debug: within(debug) }),
    ...(trace && { trace: within(trace) }),
  };
}
