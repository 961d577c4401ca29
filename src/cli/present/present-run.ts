import { formatCount } from '../../model/text/list.ts';
import { formatEstimate } from '../../apply/estimate.ts';
import type { ApplyEvent } from '../../apply/events.ts';
import type { LocatedProblem, Problem } from '../../model/problem.ts';
import { formatDuration } from '../../model/text/quantities.ts';
import { describeEntry } from '../../outcome/apply.ts';
import type { ChangeId } from '../../plan/change/change.ts';
import { isNarrowed } from '../../plan/change/plan.ts';
import { onOneLine } from '../../report/escape.ts';
import { lineOf } from '../../report/page/apply-page.ts';
import { formatCounts } from '../../report/phrases.ts';
import { renderLoss, renderLedgerLine } from '../../report/text/text.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import type { RunEvent, RunResult } from '../../workflow/run/start-run.ts';
import type { RuleArgs } from '../connect/read-flags.ts';
import type { Io } from '../io.ts';
import { type PlaceArgs, resumeHint, undoHint } from './command-line.ts';
import { type Ending, tellProblems } from './finish.ts';
import { showPlan } from './output.ts';
import type { Output } from './parse-output.ts';

type Stage = {
  readonly io: Io;
  readonly output: Output;
  /** The name of the environment in gwconf.yaml, if one is chosen. */
  readonly environment: string | undefined;
  /** About the connection. */
  readonly warnings: readonly Problem[];
  /** The flags that led to the gateway, and that take the place of rules. */
  readonly place: PlaceArgs & RuleArgs;
  /** Whether the plan is shown before it is applied. */
  readonly showsPlan: boolean;
};

/** Presents a run: its events as they come, and how it ends. */
export class RunPresenter {
  readonly #stage: Stage;
  readonly #printed = new Set<Problem>();
  readonly #over = new AbortController();
  #progress: Progress | undefined;
  #isResumed = false;
  /** Prints the last line of the plan, which problems come before. */
  #endPlan: (() => void) | undefined;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  readonly onEvent = (event: RunEvent): void => {
    const { io, output, warnings, showsPlan, environment } = this.#stage;
    const { err, errPaint } = io;
    switch (event.type) {
      case 'planned':
        if (showsPlan) this.#endPlan = showPlan(event.shown, environment, output, io);
        break;
      case 'warned': {
        const fresh = [...warnings, ...event.problems].filter((one) => !this.#printed.has(one));
        for (const problem of fresh) this.#printed.add(problem);
        err(tellProblems(locateProblems(fresh), output.detail === 'full', io));
        this.#endPlan?.();
        this.#endPlan = undefined;
        break;
      }
      case 'held-back':
        err(tellProblems(event.problems, true, io));
        for (const { address, isDependent } of event.addresses) {
          const why = isDependent ? ', since it depends on an object that does' : '';
          err(`${errPaint.yellow('stays as it is:')} ${onOneLine(address)}${why}\n`);
        }
        break;
      case 'losses':
        for (const loss of event.losses) err(`${renderLoss(loss, errPaint)}\n`);
        break;
      case 'resuming':
        this.#isResumed = true;
        err(`Resuming run ${onOneLine(event.run)}, which began at ${onOneLine(event.at)}.\n`);
        break;
      case 'waiting-for-lock':
        err(
          `Another run is in progress: ${onOneLine(event.holder)}; waiting up to ${formatDuration(Math.ceil(event.forMs / 1000))}.\n`,
        );
        break;
      case 'waiting-for-writes':
        err(
          `The gateway does not show ${formatCount(event.objects, 'object')} as written yet; waiting up to ${formatDuration(Math.ceil(event.forMs / 1000))}.\n`,
        );
        break;
      case 'no-journal':
        err('No journal is kept: this run can neither be resumed nor undone.\n');
        break;
      case 'began':
        this.#begin(event);
        break;
      default:
        this.#progress?.tell(event);
    }
  };

  #begin({ total, counts, estimate }: Extract<RunEvent, { type: 'began' }>): void {
    const { io } = this.#stage;
    io.err(
      estimate.writes === 0
        ? 'Nothing is left to do.\n'
        : `Applying ${formatCounts(counts)}: ${formatEstimate(estimate)}.\n`,
    );
    this.#progress = new Progress(total, io);
    io.interrupted.addEventListener(
      'abort',
      () => {
        this.flush();
        const [what, again] =
          io.interrupted.reason === 'SIGTERM'
            ? ['Interrupted by SIGTERM', 'a second signal ends gwconf at once']
            : ['Interrupted', 'press Ctrl-C again to end at once'];
        io.err(`${what}: no new change is started; ${again}.\n`);
      },
      { signal: this.#over.signal },
    );
  }

  /** Prints the progress that is not printed yet. */
  flush(): void {
    this.#progress?.flush();
  }

  /** The problems that are not told yet. */
  unprinted(found: readonly Problem[]): readonly LocatedProblem[] {
    return locateProblems(found.filter((one) => !this.#printed.has(one)));
  }

  /** How the command ends: problems, ledger or report, hints and result. */
  end({ shown, entries, problems: found, outcome, resumable, undo }: RunResult): Ending {
    this.flush();
    this.#over.abort();
    const { place } = this.#stage;
    const isRejected = entries.some(
      (entry) => entry.outcome === 'failed' && entry.canRetry === 'with-other-login',
    );
    const refusals = entries.flatMap((entry) => (entry.outcome === 'failed' ? [entry.problem] : []));
    const hints = [
      ...(resumable === undefined ? [] : [resumeHint(resumable, place, isRejected)]),
      ...(undo?.needs !== undefined && shown !== undefined
        ? [undoHint(undo, undo.needs, this.#isResumed || shown.undoes !== undefined, place)]
        : []),
    ];
    return {
      changes: entries.filter(({ outcome: one }) => one === 'done').length,
      problems: [...this.unprinted(found), ...refusals],
      view: { report: outcome, problems: [...locateProblems(found), ...refusals] },
      hints: hints.join(''),
      isRefused: refusals.length > 0 && resumable === undefined,
      endPlan: this.#endPlan,
      isNarrowed: shown !== undefined && isNarrowed(shown),
    };
  }
}

/** How long lines are collected before they are written, in milliseconds. */
const LONGEST = 20;
/** Of a terminal. */
const CLEAR_LINE = '\r\u001b[K';

/**
 * Shows the progress of a run: a line for each event, and on a terminal a status line that is overwritten. Elsewhere lines
 * are written in batches, so that ten thousand changes are not slowed down.
 */
class Progress {
  readonly #total: number;
  readonly #io: Io;
  readonly #ended = new Set<ChangeId>();
  readonly #lines: string[] = [];
  /** How often the same was to be said, and of which objects. */
  readonly #said = new Map<string, { times: number; readonly of: Set<string> }>();
  #timer: NodeJS.Timeout | undefined;
  #hasStatus = false;

  constructor(total: number, io: Io) {
    this.#total = total;
    this.#io = io;
  }

  tell(event: Exclude<ApplyEvent, { type: 'finished' }>): void {
    switch (event.type) {
      case 'started':
      case 'unverified': // a problem of the run
        break;
      case 'applying':
        this.#status(() => onOneLine(event.change.address).slice(0, 60));
        break;
      case 'retrying': {
        const retrying = this.#io.errPaint.yellow('retrying');
        const when = event.inMs === 0 ? 'now' : `in ${(event.inMs / 1000).toFixed(1)} s`;
        const why = onOneLine(event.why);
        const { address } = event.change;
        this.#repeated(why, address, (times, objects) =>
          times === 1
            ? `${onOneLine(address)}  ${retrying} ${when}: ${why}`
            : `${retrying} ${formatCount(objects, 'object')}, ${times} times so far: ${why}`,
        );
        break;
      }
      case 'verifying': {
        const text = `reading ${event.kind} again, to see what came of a write`;
        if (event.reason === 'lost-responses')
          this.#repeated(text, '', (times) => `${text}${times === 1 ? '' : `, ${times} times so far`}`);
        else this.#status(() => `reading ${event.kind} again`);
        break;
      }
      case 'unsettled': {
        const writes = event.changes === 1 ? '1 write is' : `${event.changes} writes are`;
        const seconds = Math.ceil(event.forMs / 1000);
        this.#line(`${writes} not seen on the gateway yet: reading again for up to ${seconds} s`);
        break;
      }
      case 'ended':
        this.#ended.add(event.entry.id);
        this.#line(renderLedgerLine(lineOf(describeEntry(event.entry)), this.#io.errPaint));
        break;
      default:
        event satisfies never;
    }
  }

  /** Writes the collected lines, and takes the status line away. */
  readonly flush = (): void => {
    if (this.#hasStatus) this.#io.err(CLEAR_LINE);
    this.#hasStatus = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines.length > 0) this.#io.err(this.#lines.splice(0).join(''));
  };

  get #count(): string {
    return `[${this.#ended.size}/${this.#total}]`;
  }

  /** What may come a hundred times while a gateway is down is told the first time, and each time that it has come twice as often. */
  #repeated(what: string, of: string, text: (times: number, objects: number) => string): void {
    const said = this.#said.get(what) ?? { times: 0, of: new Set() };
    this.#said.set(what, said);
    said.times += 1;
    said.of.add(of);
    if (Number.isInteger(Math.log2(said.times))) this.#line(text(said.times, said.of.size));
  }

  #line(text: string): void {
    if (this.#io.live) {
      this.#io.err(`${CLEAR_LINE}${this.#count} ${text}\n`);
      this.#hasStatus = false;
      return;
    }
    this.#timer ??= setTimeout(this.flush, LONGEST);
    this.#lines.push(`${this.#count} ${text}\n`);
  }

  #status(text: () => string): void {
    if (!this.#io.live) return;
    this.#io.err(`${CLEAR_LINE}${this.#count} ${text()} …`);
    this.#hasStatus = true;
  }
}
