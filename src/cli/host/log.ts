import { pino } from 'pino';
import { forTerminal } from '../../report/escape.ts';
import type { Log } from '../../workflow/host.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'];

export function isLogLevel(level: string): boolean {
  return LEVELS.includes(level);
}

const SECRET = [
  'password',
  'authorization',
  'proxy-authorization',
  'cookie',
  'set-cookie',
  'token',
  'secret',
];

/**
 * JSON lines. Callers log nothing secret; fields named like credentials are removed all the same, and control
 * characters are escaped.
 */
export function createLog(level: string, writeText: (text: string) => void): Log {
  const redact = { paths: SECRET.flatMap((name) => [`["${name}"]`, `*["${name}"]`]), censor: '(hidden)' };
  const write = (line: string): void => {
    writeText(forTerminal(line));
  };
  const logger = pino({ name: 'gwconf', level, redact }, { write });
  return {
    info: (fields, message) => logger.info(fields, message),
    ...(logger.isLevelEnabled('debug') ? { debug: (fields, message) => logger.debug(fields, message) } : {}),
    ...(logger.isLevelEnabled('trace') ? { trace: (fields, message) => logger.trace(fields, message) } : {}),
  };
}
