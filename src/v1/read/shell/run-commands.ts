import type { AndOr, Case, CompoundList, Pipeline, PipelineNode, Statement } from 'unbash';
import { placeholdersIn } from '../../../declare/declared.ts';
import { inLoop, runFor, runWhile } from './loops.ts';
import { doubtOf, leaveOpen, runInDoubt, runUnread, type Way } from './open-ways.ts';
import { runSimple, withRedirects } from './simple.ts';
import { matchesPattern, negate, testExpression } from './test-expression.ts';
import { expandText, forgetCalculated } from './words.ts';
import {
  deeper,
  fork,
  lineOf,
  notRead,
  passOver,
  runApart,
  setVariable,
  spend,
  statementsOf,
  type Doubt,
  type State,
  type Status,
} from './shell-state.ts';

/** Runs commands in their order, as far as they can be known; nothing of the machine is run. */
export function runCommands(commands: readonly Statement[], state: State): void {
  for (const [at, { command, pos, background }] of commands.entries()) {
    runNode(command, state);
    if (background !== true) endAtFailure(command, state);
    if (state.flow === undefined) continue;
    passOver(commands, endsBefore(state, pos), state, at + 1);
    return;
  }
}

type Node = PipelineNode | AndOr;

/** With `set -e`, a command that certainly fails ends the script. What lists, loops and the like are made of does so itself. */
function endAtFailure(node: Node, state: State): void {
  if (!state.stopsOnFailure || state.status !== false) return;
  const isNegated = node.type === 'Pipeline' && node.prefixes.some(({ type }) => type === 'Negation');
  if (!isNegated && /^(?:Command|Pipeline|Subshell|TestCommand)$/.test(node.type)) state.flow ??= 'exit';
}

/** What fails in a condition ends nothing. */
function asCondition(state: State, run: () => void): void {
  const { stopsOnFailure } = state;
  state.stopsOnFailure = false;
  run();
  state.stopsOnFailure = stopsOnFailure;
}

function runNode(node: Node, state: State): void {
  spend(state);
  if (state.doubt === undefined) state.run.ran.add(node);
  const run = RUNNERS[node.type] as (one: Node, within: State) => void; // that of its type
  deeper(state, () => run(node, state));
}

const RUNNERS: {
  readonly [T in Node['type']]: (node: Extract<Node, { readonly type: T }>, state: State) => void;
} = {
  Command: runSimple,
  AndOr: runAndOr,
  Pipeline: runPipeline,
  If: ({ clause, then, elif, else: otherwise }, state) =>
    runIf([{ clause, then }, ...elif], otherwise, state),
  For: (node, state) => inLoop(state, () => runFor(node, state, wayOf(node.body))),
  While: (node, state) =>
    inLoop(state, () => {
      const condition: Way = (within) => asCondition(within, () => runCommands(node.clause.commands, within));
      runWhile(node, state, condition, wayOf(node.body));
    }),
  Case: runCase,
  BraceGroup: ({ body }, state) => runCommands(body.commands, state),
  Subshell: ({ body }, state) => runApart(state, wayOf(body), { loops: 0 }),
  Redirected: ({ redirects, command }, state) =>
    withRedirects(redirects, state, () => runNode(command, state)),
  Function(node, { functions, script, run }) {
    functions.set(node.name.value, { node, script });
    run.defined.set(node, { node, script });
  },
  TestCommand({ expression }, state) {
    state.status = testExpression(expression, state);
  },
  ArithmeticCommand({ body, pos }, state) {
    forgetCalculated(body, state);
    state.status = doubtOf('a calculation', state, pos);
  },
  ArithmeticFor(node, state) {
    forgetCalculated(state.script.text.slice(node.pos, node.body.pos), state);
    runUnread('the loop', node, state, wayOf(node.body));
  },
  Select(node, state) {
    setVariable(state, node.name.value, notRead(state, 'a choice of the user'));
    runUnread('the choice', node, state, wayOf(node.body));
  },
  Coproc: (node, state) =>
    runUnread('the coprocess', node, state, (within) => runCommands(statementsOf(node.body), within)),
};

const wayOf =
  ({ commands }: CompoundList): Way =>
  (state) =>
    runCommands(commands, state);

/** `a && b || c`: what stands after a command that may fail is run, unless it cannot be known. */
function runAndOr({ commands, operators }: AndOr, state: State): void {
  const [first, ...rest] = commands;
  const start = state.run.calls.length;
  if (first !== undefined) asCondition(state, () => runNode(first, state));
  for (const [at, next] of rest.entries()) {
    if (state.flow !== undefined) {
      passOverNode(next, endsBefore(state, commands[at]?.pos ?? next.pos), state);
      continue;
    }
    const isAnd = operators[at] === '&&';
    const run: Way = (within) => {
      if (at < rest.length - 1) asCondition(within, () => runNode(next, within));
      else {
        runNode(next, within);
        endAtFailure(next, within);
      }
    };
    const status = settle(state, !isAnd, run);
    if (typeof status === 'boolean') {
      if (status === isAnd) followed(state, () => run(state));
      else if (typeof state.status === 'boolean') passOverNode(next, NOT_MET, state);
    } else if (isAnd && status.of === 'command') {
      const isLook = state.run.calls.slice(start).every(({ method }) => method === 'GET');
      run(state);
      if (isLook) goOn(status, state);
    } else {
      runInDoubt(status, state, [run]);
      state.status = status;
    }
  }
}

/** What follows `curl … && return`, which looks whether there is something to do. `curl … && break` waits, and a write succeeds. */
function goOn(doubt: Doubt, state: State): void {
  if (state.flow === 'break') return;
  leaveOpen(doubt, [state], state);
  state.flow = undefined;
}

function passOverNode(command: PipelineNode | AndOr, why: string, state: State): void {
  const { pos, end } = command;
  passOver([{ type: 'Statement', pos, end, command, background: undefined }], why, state);
}

const NOT_MET = 'it is never made: the condition before it is certain';

function endsBefore(state: State, pos: number): string {
  return `it is never made: line ${lineOf(state, pos)} ends the script, function or loop before it`;
}

/** Each command gets the output of the one before it, and runs in a copy. */
function runPipeline({ commands, prefixes }: Pipeline, state: State): void {
  let { stdin } = state;
  for (const [at, command] of commands.entries()) {
    const isLast = at === commands.length - 1;
    const within = commands.length === 1 ? state : fork(state, { stdin, out: '', loops: 0 });
    runNode(command, within);
    if (within !== state) {
      if (isLast) state.out += within.out;
      state.status = within.status;
      stdin = { text: within.out };
    }
  }
  const isNegated = prefixes.some(({ type }) => type === 'Negation');
  if (!isNegated) return;
  const status = negate(state.status);
  state.status = typeof status === 'boolean' ? status : { ...status, of: 'test' };
}

/** What a command resulted in. Where that is assumed to be `result`, the calls of the other way are named. */
function settle(state: State, result: boolean, other: (state: State) => void): Status {
  const { status } = state;
  if (typeof status === 'boolean' || status.assumed === undefined) return status;
  if (status.assumed === result) {
    const why = `whether it is made depends on ${status.why}`;
    const doubt = state.doubt ?? { why, needsRecording: status.needsRecording };
    const within = fork(state, { doubt, flow: undefined });
    other(within);
    state.run.tracer.take(within.out);
  }
  return status.assumed;
}

/** Takes a way. One that is only assumed does not end the script: a variable that has a value would let it go on. */
function followed(state: State, way: () => void): void {
  const isAssumed = typeof state.status !== 'boolean';
  way();
  if (isAssumed && (state.flow === 'exit' || state.flow === 'return')) state.flow = undefined;
}

function runIf(
  branches: readonly { readonly clause: CompoundList; readonly then: CompoundList }[],
  otherwise: CompoundList | undefined,
  state: State,
): void {
  const [first, ...rest] = branches;
  if (first === undefined) {
    state.status = true;
    if (otherwise !== undefined) runCommands(otherwise.commands, state);
    return;
  }
  asCondition(state, () => runCommands(first.clause.commands, state));
  if (state.flow !== undefined) return;
  settle(state, false, wayOf(first.then));
  const status = settle(state, true, (within) => runIf(rest, otherwise, within));
  if (typeof state.status === 'boolean') {
    if (!state.status) passOver(first.then.commands, NOT_MET, state);
    else
      for (const one of [...rest.map(({ then }) => then), otherwise])
        passOver(one?.commands ?? [], NOT_MET, state);
  }
  if (status === true) followed(state, () => runCommands(first.then.commands, state));
  else if (status === false) followed(state, () => runIf(rest, otherwise, state));
  else runInDoubt(status, state, [wayOf(first.then), (within) => runIf(rest, otherwise, within)]);
}

function runCase({ word, items, pos }: Case, state: State): void {
  const text = expandText(word, state);
  for (const one of items.flatMap(({ pattern }) => pattern)) state.run.tracer.take(one.text);
  const reason = state.run.reasons.find(text);
  const isUnknown = reason !== undefined || placeholdersIn(text).length > 0;
  const results = isUnknown
    ? []
    : items.map(({ pattern }) => pattern.map((one) => matchesPattern(text, one, state)));
  const first = results.flat().find((one) => one !== false);
  const doubt = typeof first === 'object' ? first : reason;
  if (isUnknown || typeof first === 'object') {
    const why = `${doubt?.why ?? 'the value of a variable that is not set here'}, in the case of line ${lineOf(state, pos)}`;
    const ways = items.map(({ body }) => wayOf(body));
    runInDoubt({ ...doubt, why, of: 'test' }, state, ways);
    return;
  }
  // `;&` goes on with the next commands, `;;&` with the next patterns.
  let next: 'pattern' | 'commands' | 'end' = 'pattern';
  state.status = true;
  for (const [at, { body, terminator }] of items.entries()) {
    const isMet = next === 'commands' || (next === 'pattern' && results[at]?.includes(true) === true);
    if (!isMet || state.flow !== undefined) passOver(body.commands, NOT_MET, state);
    else {
      runCommands(body.commands, state);
      next = terminator === ';&' ? 'commands' : terminator === ';;&' ? 'pattern' : 'end';
    }
  }
}
