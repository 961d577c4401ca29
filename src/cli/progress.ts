import { entryText, onOneLine, type ApplyEvent } from '../index.ts';
import type { Io } from './io.ts';

/** One line for what happened; on a terminal, what goes on stands on a line that is written over. */
export function tell(event: Exclude<ApplyEvent, { type: 'finished' }>, count: string, io: Io): void {
  const line = (text: string): void => io.err(`${io.live ? '\r\u001b[K' : ''}${count} ${text}\n`);
  const status = (text: string): void => {
    if (io.live) io.err(`\r\u001b[K${count} ${text} …`);
  };
  switch (event.type) {
    case 'started':
      break;
    case 'applying':
      status(onOneLine(event.change.address).slice(0, 60));
      break;
    case 'retrying':
      line(
        `${onOneLine(event.change.address)}  ${io.errPaint.yellow('again')} ${event.inMs === 0 ? 'now' : `in ${(event.inMs / 1000).toFixed(1)} s`}: ${onOneLine(event.why)}`,
      );
      break;
    case 'settling':
      if (event.because === 'lost-answers') line(`reading ${event.kind} again: an answer was lost`);
      else status(`reading ${event.kind} again`);
      break;
    case 'unread':
      line(`${event.kind} could not be read again after the writes: ${onOneLine(event.why)}`);
      break;
    case 'ended':
      line(entryText(event.entry, io.errPaint));
      break;
    default:
      event satisfies never;
  }
}
