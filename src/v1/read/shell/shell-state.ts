import type { Coproc, Function as FunctionNode, Statement } from 'unbash';
import { makePlaceholder } from '../../../declare/declared.ts';
import type { Call, UnreadCall } from '../request.ts';
import { credentialsInUrl, credentialsOf } from '../credentials.ts';
import type { Fault, Reason, Reasons } from '../unknown.ts';
import type { Tracer } from '../uses.ts';

/** The files that a script can name. Nothing else of the machine is read. */
export type FilesBeside = {
  /** The text of a file; undefined if there is none that may be read. */
  readonly read: (path: string) => string | undefined;
  /** The names in a folder. */
  readonly list?: (folder: string) => readonly string[];
};

/** A shell script, also one within another file. */
export type Script = {
  /** For messages. */
  readonly path: string;
  readonly text: string;
  readonly lineAt: (offset: number) => number;
};

export type Value = string | readonly string[];

/** Why it is not known whether a command succeeds. */
export type Doubt = Reason & {
  /** A command that was not run is taken to succeed; a test can go either way. */
  readonly of: 'command' | 'test';
  /** The result if a variable that is not set here is empty: that way is followed, and the calls of the other are named. */
  readonly assumed?: boolean;
};
export type Status = boolean | Doubt;

export type FunctionDefinition = { readonly node: FunctionNode; readonly script: Script };

/** What a run of a script and all that it calls have in common. */
export type Run = {
  readonly reasons: Reasons;
  readonly tracer: Tracer;
  readonly files: FilesBeside;
  /** The folder in which the script begins. */
  readonly home: string;
  /** Files that the script writes. */
  readonly written: Map<string, string>;
  readonly calls: (Call | UnreadCall)[];
  /** URLs of other requests are not kept: they may have credentials. */
  others: number;
  /** Credentials that were found, so that they can be hidden. */
  readonly credentials: Set<string>;
  readonly sourced: Set<string>;
  /** What may make or be a call and cannot be read, by its place: told of where there are others. */
  readonly missing: Map<string, UnreadCall>;
  readonly called: Set<FunctionNode>;
  readonly defined: Map<FunctionNode, FunctionDefinition>;
  /** Commands that were run, at least once. */
  readonly ran: Set<Statement['command']>;
  /** Commands that are certainly not reached, where they stand first: their calls are named in the end. */
  readonly passedOver: Map<Statement['command'], (run: Run) => void>;
  readonly limits: Limits;
};

type Limits = { steps: number; work: number; depth: number };

/** What a command can read. What is left of a text without unknown parts has none. */
export type Input = { text: string; isKnown?: boolean };

/** What ends commands before their last one. */
export type Flow = 'exit' | 'return' | 'break' | 'continue';

/** What a command can see and change. A subshell has a copy. */
export type State = {
  readonly run: Run;
  /** Runs commands; passed in, because words have commands and commands have words. */
  readonly runCommands: (commands: readonly Statement[], state: State) => void;
  readonly variables: Map<string, Value>;
  readonly functions: Map<string, FunctionDefinition>;
  script: Script;
  /** undefined: those of the script, which are not known. */
  args?: readonly string[] | undefined;
  folder: string;
  /** undefined: not known. */
  stdin?: Input | undefined;
  out: string;
  status: Status;
  flow?: Flow | undefined;
  /** Whether a command that fails ends the script: `set -e`, and not in a condition. */
  stopsOnFailure: boolean;
  /** How many loops the command is in, and how many of them a `break` or `continue` leaves. */
  loops: number;
  leaves: number;
  /** Why it is not known whether the commands run. */
  doubt?: Fault | undefined;
  /** What may have been ended before the commands, and why that is not known. */
  open?: { readonly end: Exclude<Flow, 'exit'>; readonly doubt: Doubt } | undefined;
  /** What may have ended the script before the commands. */
  choice?: string | undefined;
  /** Whether the commands run an unknown number of times. */
  repeats: boolean;
  /** What `local` has hidden in the current function. */
  hidden?: Map<string, Value | undefined> | undefined;
  /** In a script within a script, all commands are at this line. */
  line?: number | undefined;
};

/** What a program, or a command of the shell itself, does. */
export type Builtin = (args: readonly string[], state: State) => void;

/** A script that does more than this is not read to its end. */
const MOST_STEPS = 100_000;
const MOST_WORK = 20_000_000;
const MOST_LEVELS = 150;
export const MOST_FIELDS = 10_000;

/** Thrown where a script exceeds a limit, and caught where it is read. */
export class LimitError extends Error {}

export const NOTHING_SPENT: Limits = { steps: 0, work: 0, depth: 0 };

/** Counts a step, and the characters that it handles. */
export function spend({ run: { limits } }: State, work = 0): void {
  limits.steps += 1;
  limits.work += work;
  if (limits.steps > MOST_STEPS || limits.work > MOST_WORK)
    throw new LimitError(`the script takes more than ${MOST_STEPS} steps or handles too much text`);
}

/** Runs something one level deeper. */
export function deeper<T>({ run: { limits } }: State, work: () => T): T {
  limits.depth += 1;
  if (limits.depth > MOST_LEVELS)
    throw new LimitError(`the script is nested deeper than ${MOST_LEVELS} levels`);
  const result = work();
  limits.depth -= 1;
  return result;
}

export function setVariable(state: State, name: string, value: Value): void {
  spend(state, typeof value === 'string' ? value.length : value.length * 10);
  if (state.variables.get(name) === value) return;
  if (typeof value === 'string') learnVariable(name, value, state.run);
  state.variables.set(name, value);
}

/** A variable with the name of a secret, or a text with a password in its URL. */
export function learnVariable(name: string, value: string, { credentials }: Pick<Run, 'credentials'>): void {
  for (const one of [...credentialsOf(name, value), ...credentialsInUrl(value)]) credentials.add(one);
}

/** A copy for commands whose changes are lost. */
export function fork(state: State, changes: Partial<State>): State {
  spend(state, state.variables.size * 10);
  return { ...state, variables: new Map(state.variables), functions: new Map(state.functions), ...changes };
}

/** Runs commands in a copy, of which the output and the result stay. */
export function runApart(state: State, run: (within: State) => void, changes: Partial<State> = {}): void {
  const within = fork(state, changes);
  run(within);
  state.out = within.out;
  state.status = within.status;
}

/** Gives variables the values that they had. */
export function restore({ variables }: State, before: Iterable<readonly [string, Value | undefined]>): void {
  for (const [name, value] of before) {
    if (value === undefined) variables.delete(name);
    else variables.set(name, value);
  }
}

/** Runs commands whose output is only shown. */
export function runPrinting(commands: readonly Statement[], state: State): void {
  state.runCommands(commands, state);
  state.run.tracer.take(state.out);
}

/**
 * Behind a loop or function, its own doubt whether something has ended it is over. What ends more than that, such as an `exit` behind a
 * loop that waits, is not certain to be reached.
 */
export function settleDoubt(
  state: State,
  before: Pick<State, 'doubt' | 'open'>,
  ...ends: readonly Flow[]
): void {
  const { open, flow, status } = state;
  if (open === undefined || open === before.open || !ends.includes(open.end)) return;
  if (flow !== undefined && !ends.includes(flow)) {
    if (flow === 'exit' && status !== false && open.doubt.isAnswer !== true) state.choice ??= open.doubt.why;
    state.flow = undefined;
  }
  state.status = { ...open.doubt, of: 'command' };
  Object.assign(state, { doubt: before.doubt, open: before.open });
}

/** Leaves out commands, from one on, that are certainly not reached. */
export function passOver(commands: readonly Statement[], why: string, state: State, from = 0): void {
  const first = commands[from];
  const { passedOver } = state.run;
  if (first === undefined || passedOver.has(first.command)) return;
  const within = fork(state, { doubt: { why }, flow: undefined, repeats: true });
  passedOver.set(first.command, (run) => runPrinting(commands.slice(from), { ...within, run }));
}

/** What stands for something that is not known, because of `source` if that is given. */
export function unknown(state: State, why: string, source: Omit<Reason, 'why' | 'isOutput'> = {}): string {
  const { isAnswer, needsRecording } = source;
  return state.run.reasons.mark({
    why,
    ...(isAnswer === true && { isAnswer }),
    ...(needsRecording === true && { needsRecording }),
  });
}

/** What stands for the value of a part of the shell language that is not read here. */
export function notRead(state: State, what: string): string {
  return state.run.reasons.mark({ why: `${what}, which gwconf does not read`, needsRecording: true });
}

/** What stands for the output of a command that is not run; what it depends on comes first. */
export function unknownOutput(state: State, command: string, inputs: readonly string[]): string {
  const { reasons } = state.run;
  for (const input of inputs) {
    const reason = reasons.find(input);
    if (reason !== undefined) return reasons.mark(reason);
  }
  const name = /^[\w./-]{1,40}$/.test(command) ? command : 'a command';
  const needsRecording = /^(?:awk|cut|jq|sed|tr)$/.test(name);
  return reasons.mark({
    why: `the output of ${name}`,
    ...(needsRecording ? { needsRecording } : { isOutput: true }),
  });
}

/** Stands for the value of a variable that cannot be known: one for a run, or another in each round of a loop. */
export function unknownValue(name: string, state: State): string {
  return state.repeats ? unknown(state, `$${name}, which changes in a loop`) : makePlaceholder(name);
}

export function lineOf(state: State, offset: number): number {
  return state.line ?? state.script.lineAt(offset);
}

/** Writes to the output of the current command. */
export function write(state: State, text: string): void {
  spend(state, text.length);
  state.out += text;
}

/** The body of a function or the like as a list of commands. */
export function statementsOf(body: FunctionNode['body'] | Coproc['body']): readonly Statement[] {
  return body.type === 'CompoundList'
    ? body.commands
    : [{ type: 'Statement', pos: body.pos, end: body.end, command: body, background: undefined }];
}
