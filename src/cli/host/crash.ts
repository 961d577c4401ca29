import { onOneLine } from '../../report/escape.ts';
import { TOOL } from '../../workflow/tool.ts';

/** A stack may be very deep. */
const MOST_FRAMES = 20;

/**
 * The report of a bug in gwconf: what failed and where, without the values it worked on, since they may be secret. The
 * messages of engine errors name functions and keys; those of other errors can quote any value and are left out.
 */
export function crashText(error: unknown): string {
  const { version, platform, arch } = process;
  return [
    `gwconf: this is a bug in gwconf; please report it with these lines and the command that you ran`,
    `${TOOL}, Node.js ${version}, ${platform} ${arch}`,
    error instanceof Error ? headline(error) : `thrown: ${typeof error}`,
    ...(error instanceof Error ? framesOf(error) : []),
    'These lines hold no values. Check the command, and any files that you attach, for secrets before you post them.\n',
  ].join('\n');
}

function headline(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? ` (${onOneLine(error.code)})` : '';
  const isEngines =
    error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
  const message = isEngines && code === '' ? `: ${onOneLine(error.message).slice(0, 200)}` : code;
  return `${onOneLine(error.name)}${message}`;
}

/** The frames of the stack; the message, which may have any number of lines that look like frames, comes before them. */
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
