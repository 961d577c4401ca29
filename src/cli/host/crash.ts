import { onOneLine } from '../../report/escape.ts';
import { TOOL } from '../version.ts';

/** Of a stack, which may be as deep as it can be. */
const MOST_FRAMES = 20;

/**
 * What is said of a bug of ours: what broke and where, and nothing of what it worked on, since that may hold a secret.
 * The engine's own words name functions and keys; the words of other errors can quote any value, and are left out.
 */
export function crashText(error: unknown): string {
  const { version, platform, arch } = process;
  return [
    `gwconf: this is a bug of ours, please report it with these lines and the command that you ran`,
    `${TOOL}, Node.js ${version}, ${platform} ${arch}`,
    error instanceof Error ? headline(error) : `thrown: ${typeof error}`,
    ...(error instanceof Error ? framesOf(error) : []),
    'No values are in these lines. Look through the command, and through files that you add, before others can read them.\n',
  ].join('\n');
}

function headline(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? ` (${onOneLine(error.code)})` : '';
  const isEngines =
    error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  const said = isEngines && code === '' ? `: ${onOneLine(error.message).slice(0, 200)}` : code;
  return `${onOneLine(error.name)}${said}`;
}

/** The lines of the stack that say where; those of the message, however many and whatever they look like, come before. */
function framesOf({ name, message, stack = '' }: Error): readonly string[] {
  const head = `${name}: ${message}`;
  const rest = stack.startsWith(head)
    ? stack.slice(head.length)
    : stack.startsWith(name) && message === ''
      ? stack
      : '';
  const frames = rest.split('\n').filter((line) => /^ {4}at /.test(line));
  return frames.slice(0, MOST_FRAMES).map(onOneLine);
}
