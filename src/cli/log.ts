import { pino } from 'pino';
import type { Log } from './io.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'];

export function isLogLevel(level: string): boolean {
  return LEVELS.includes(level);
}

/** JSON lines on stderr; what could hold a credential is taken out whatever the caller hands in. */
export function createLog(level: string): Log {
  const paths = ['password', 'authorization', 'headers', 'body', 'token', 'secret'];
  const redact = { paths: paths.flatMap((path) => [path, `*.${path}`]), censor: '(hidden)' };
  const logger = pino({ name: 'gwconf', level, redact }, pino.destination({ fd: 2, sync: true }));
  return {
    info: (fields, message) => logger.info(fields, message),
    debug: (fields, message) => logger.debug(fields, message),
  };
}
