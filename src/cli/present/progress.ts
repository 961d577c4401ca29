import type { ApplyEvent } from '../../apply/events.ts';
import type { ChangeId } from '../../plan/change/plan.ts';
import { onOneLine } from '../../report/escape.ts';
import { lineOf } from '../../report/page/apply-page.ts';
import { renderLedgerLine } from '../../report/text/text.ts';
import { describeEntry } from '../../outcome/apply.ts';
import type { Io } from '../io.ts';

/** How long lines are collected before they are written, in milliseconds. */
const LONGEST = 20;

/**
 * Shows the progress of a run: a line for each event, and on a terminal a status line that is overwritten. Elsewhere lines
 * are written in batches, so that ten thousand changes are not slowed down.
 */
export class Progress {
  readonly #total: number;
  readonly #io: Io;
  readonly #ended = new Set<ChangeId>();
  readonly #lines: string[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(total: number, io: Io) {
    this.#total = total;
    this.#io = io;
  }

  tell(event: Exclude<ApplyEvent, { type: 'finished' }>): void {
    switch (event.type) {
      case 'started':
        break;
      case 'applying':
        this.#status(() => onOneLine(event.change.address).slice(0, 60));
        break;
      case 'retrying': {
        const when = event.inMs === 0 ? 'now' : `in ${(event.inMs / 1000).toFixed(1)} s`;
        const again = `${this.#io.errPaint.yellow('retrying')} ${when}: ${onOneLine(event.why)}`;
        this.#line(`${onOneLine(event.change.address)}  ${again}`);
        break;
      }
      case 'verifying':
        if (event.reason === 'lost-responses') this.#line(`reading ${event.kind} again: a response was lost`);
        else this.#status(() => `reading ${event.kind} again`);
        break;
      case 'unverified':
        this.#line(`${event.kind} could not be read again after the writes: ${onOneLine(event.why)}`);
        break;
      case 'ended':
        this.#ended.add(event.entry.id);
        this.#line(renderLedgerLine(lineOf(describeEntry(event.entry)), this.#io.errPaint));
        break;
      default:
        event satisfies never;
    }
  }

  /** Writes the collected lines. */
  readonly flush = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length > 0) this.#io.err(this.#lines.splice(0).join(''));
  };

  get #count(): string {
    return `[${this.#ended.size}/${this.#total}]`;
  }

  #line(text: string): void {
    if (this.#io.live) {
      this.#io.err(`\r\u001b[K${this.#count} ${text}\n`);
      return;
    }
    this.#timer ??= setTimeout(this.flush, LONGEST);
    this.#lines.push(`${this.#count} ${text}\n`);
  }

  #status(text: () => string): void {
    if (this.#io.live) this.#io.err(`\r\u001b[K${this.#count} ${text()} …`);
  }
}
