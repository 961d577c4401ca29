import type { AndOr, Case, CompoundList, For, Pipeline, PipelineNode, Statement, While } from 'unbash';
import { placeholdersIn } from '../../../declare/declared.ts';
import { runSimple, withRedirects } from './simple.ts';
import { matchesPattern, negate, testExpression } from './test-expression.ts';
import { expandFields, expandText, forgetCalculated, readVariable } from './words.ts';
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
  unknown,
  unknownValue,
  type Doubt,
  type State,
  type Status,
  type Value,
} from './shell-state.ts';

/** Runs commands in their order, as far as they can be known; nothing of the machine is run. */
export function runCommands(commands: readonly Statement[], state: State): void {
  for (const [at, { command, pos }] of commands.entries()) {
    runNode(command, state);
    if (state.flow === undefined) continue;
    passOver(commands, endsBefore(state, pos), state, at + 1);
    return;
  }
}

type Node = PipelineNode | AndOr;

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
  For: (node, state) => inLoop(state, () => runFor(node, state)),
  While: (node, state) => inLoop(state, () => runWhile(node, state)),
  Case: runCase,
  BraceGroup: ({ body }, state) => runCommands(body.commands, state),
  Subshell: ({ body }, state) => runApart(state, (within) => runCommands(body.commands, within)),
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
    runUnread('the loop', node, node.body.commands, state);
  },
  Select(node, state) {
    setVariable(state, node.name.value, notRead(state, 'a choice of the user'));
    runUnread('the choice', node, node.body.commands, state);
  },
  Coproc: (node, state) => runUnread('the coprocess', node, statementsOf(node.body), state),
};

/** Commands of which it is not known whether and how often they run: their calls are named. */
function runUnread(
  what: string,
  { pos }: { readonly pos: number },
  commands: readonly Statement[],
  state: State,
): void {
  const doubt = doubtOf(what, state, pos);
  runRepeated(state, () => runInDoubt(doubt, state, [(within) => runCommands(commands, within)]));
}

function doubtOf(what: string, state: State, pos: number): Doubt {
  const why = `${what} in line ${lineOf(state, pos)}, which gwconf does not read`;
  return { why, needsRecording: true, of: 'test' };
}

/** `a && b || c`: what stands after a command that may fail is run, unless it cannot be known. */
function runAndOr({ commands, operators }: AndOr, state: State): void {
  const [first, ...rest] = commands;
  if (first !== undefined) runNode(first, state);
  for (const [at, next] of rest.entries()) {
    if (state.flow !== undefined) {
      passOverNode(next, endsBefore(state, commands[at]?.pos ?? next.pos), state);
      continue;
    }
    const isAnd = operators[at] === '&&';
    const status = settle(state, !isAnd, (within) => runNode(next, within));
    if (typeof status === 'boolean') {
      if (status === isAnd) followed(state, () => runNode(next, state));
      else if (typeof state.status === 'boolean') passOverNode(next, NOT_MET, state);
    } else if (isAnd && status.of === 'command') {
      runNode(next, state);
    } else {
      runInDoubt(status, state, [(within) => runNode(next, within)]);
      state.status = status;
    }
  }
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
    const within = commands.length === 1 ? state : fork(state, { stdin, out: '' });
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
  runCommands(first.clause.commands, state);
  if (state.flow !== undefined) return;
  settle(state, false, (within) => runCommands(first.then.commands, within));
  const status = settle(state, true, (within) => runIf(rest, otherwise, within));
  if (typeof state.status === 'boolean') {
    if (!state.status) passOver(first.then.commands, NOT_MET, state);
    else
      for (const one of [...rest.map(({ then }) => then), otherwise])
        passOver(one?.commands ?? [], NOT_MET, state);
  }
  if (status === true) followed(state, () => runCommands(first.then.commands, state));
  else if (status === false) followed(state, () => runIf(rest, otherwise, state));
  else
    runInDoubt(status, state, [
      (within) => runCommands(first.then.commands, within),
      (within) => runIf(rest, otherwise, within),
    ]);
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
    const bodies = items.map(({ body }) => body.commands);
    const ways = bodies.map((commands) => (within: State) => runCommands(commands, within));
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

/** Runs the body for each item; once, if the items are not known. */
function runFor({ name: { value: name }, wordlist, body, pos }: For, state: State): void {
  const items = wordlist?.flatMap((word) => expandFields(word, state)) ?? [readVariable('@', state)].flat();
  state.status = true;
  for (const item of items) {
    const reason = state.run.reasons.find(item);
    if (reason === undefined) {
      setVariable(state, name, item);
      runCommands(body.commands, state);
    } else {
      const why = `$${name} of the loop in line ${lineOf(state, pos)}, from ${reason.why}`;
      setVariable(state, name, unknown(state, why, reason));
      runRepeated(state, () => runCommands(body.commands, state));
    }
    if (endsLoop(state)) return;
  }
}

/** `while read` is run for each line of its input. How often other loops run is not known. */
function runWhile({ kind, clause, body, pos }: While, state: State): void {
  const isReading = clause.commands.every(
    ({ command }) => command.type === 'Command' && command.name?.value === 'read',
  );
  let result: Status = true;
  for (;;) {
    spend(state);
    runCommands(clause.commands, state);
    if (state.flow !== undefined) return;
    const { status } = state;
    if (!isReading || kind !== 'while') {
      runUnread('the loop', { pos }, body.commands, state);
      return;
    }
    if (typeof status !== 'boolean') {
      // A body that reads unknown lines says so itself.
      const doubt = { ...status, isAnswer: true };
      runRepeated(state, () => runInDoubt(doubt, state, [(within) => runCommands(body.commands, within)]));
      return;
    }
    if (!status) {
      state.status = result;
      return;
    }
    runCommands(body.commands, state);
    if (endsLoop(state)) return;
    result = state.status;
  }
}

/** Runs a body that is repeated an unknown number of times once. */
function runRepeated(state: State, body: () => void): void {
  const { repeats } = state;
  state.repeats = true;
  body();
  state.repeats = repeats;
}

/** A `break` goes no further than the outermost loop. */
function inLoop(state: State, run: () => void): void {
  state.loops += 1;
  run();
  state.loops -= 1;
  if (state.loops === 0 && (state.flow === 'break' || state.flow === 'continue')) state.flow = undefined;
}

/** Whether a `break`, a `continue` of a loop around this one or the end of a function ends a loop; a `continue` of its own is over. */
function endsLoop(state: State): boolean {
  const { flow } = state;
  if (flow !== 'break' && flow !== 'continue') return flow !== undefined;
  state.leaves -= 1;
  if (state.leaves > 0) return true;
  state.flow = undefined;
  return flow === 'break';
}

/**
 * Runs each of several ways that commands can go, of which one is taken. What depends on an answer of the gateway is run as if it
 * were known, because scripts look there whether an object exists before they create it.
 */
function runInDoubt(doubt: Doubt, state: State, ways: readonly ((state: State) => void)[]): void {
  const why = `whether it is made depends on ${doubt.why}`;
  const { run, args, folder, functions, out } = state;
  const before = { variables: new Map(state.variables), written: new Map(run.written) };
  spend(state, (run.written.size + functions.size) * 10);
  const after: State[] = [];
  const variables: ReadonlyMap<string, Value>[] = [];
  const written: ReadonlyMap<string, string>[] = [];
  for (const way of ways) {
    const within = fork(state, {
      doubt:
        state.doubt ?? (doubt.isAnswer === true ? undefined : { why, needsRecording: doubt.needsRecording }),
      flow: undefined,
    });
    within.variables.clear();
    for (const [name, value] of before.variables) within.variables.set(name, value);
    setAll(run.written, before.written);
    way(within);
    state.out = within.out;
    after.push(within);
    written.push(new Map(run.written));
    // What a way that ends the script has set does not matter.
    if (within.flow === undefined) variables.push(within.variables);
  }
  if (ways.length === 1) {
    variables.push(before.variables);
    written.push(before.written);
  }
  merge(variables, state);
  const open = (): string => unknown(state, doubt.why, doubt);
  mergeFiles(written, run.written, open);
  mergeFunctions([...after.map((one) => one.functions), new Map(functions)], functions);
  // What each way prints comes first, since it may be all that is done with it.
  if (state.out !== out) state.out += open();
  const [first = folder, ...others] = after.map((one) => one.folder);
  const isMoved = others.some((one) => one !== first) || (ways.length === 1 && first !== folder);
  state.folder = isMoved ? open() : first;
  // A way that shifts them is taken or not.
  if (after.some((one) => one.args !== args)) state.args = undefined;
  state.status = doubt;
}

function setAll<T>(map: Map<string, T>, values: ReadonlyMap<string, T>): void {
  map.clear();
  for (const [name, value] of values) map.set(name, value);
}

/** A file that the ways leave differently is not known. */
function mergeFiles(
  ways: readonly ReadonlyMap<string, string>[],
  files: Map<string, string>,
  open: () => string,
): void {
  for (const path of new Set(ways.flatMap((way) => [...way.keys()]))) {
    const [text, ...others] = ways.map((way) => way.get(path));
    files.set(path, text !== undefined && others.every((other) => other === text) ? text : open());
  }
}

/** A function that the ways define differently is none: its calls are named, as those of one that nothing calls. */
function mergeFunctions(ways: readonly State['functions'][], functions: State['functions']): void {
  for (const name of new Set(ways.flatMap((way) => [...way.keys()]))) {
    const [one, ...others] = ways.flatMap((way) => way.get(name) ?? []);
    if (one !== undefined && others.every((other) => other === one)) functions.set(name, one);
    else functions.delete(name);
  }
}

/** Where each way writes the same use of v1. */
function isSameText(one: Value | undefined, other: Value | undefined, { run: { tracer } }: State): boolean {
  if (typeof one !== 'string' || typeof other !== 'string' || tracer.show(one) !== tracer.show(other))
    return false;
  tracer.take(one);
  return true;
}

/** A variable that the ways set differently is not known. */
function merge(ways: readonly ReadonlyMap<string, Value>[], state: State): void {
  const names = new Set(ways.flatMap((way) => [...way.keys()]));
  spend(state, names.size * ways.length);
  for (const name of names) {
    const [value, ...others] = ways.map((way) => way.get(name));
    const isSame = others.every((other) => other === value || isSameText(other, value, state));
    state.variables.set(name, isSame && value !== undefined ? value : unknownValue(name, state));
  }
}
