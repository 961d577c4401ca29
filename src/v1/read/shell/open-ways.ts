import type { Call, UnreadCall } from '../request.ts';
import {
  fork,
  lineOf,
  spend,
  unknown,
  unknownValue,
  type Doubt,
  type Flow,
  type State,
  type Value,
} from './shell-state.ts';

/** One of the ways that commands can go. */
export type Way = (state: State) => void;

/**
 * Runs each of several ways that commands can go, of which one is taken. What depends on an answer of the gateway is run as if it
 * were known, because scripts look there whether an object exists before they create it.
 */
export function runInDoubt(doubt: Doubt, state: State, ways: readonly Way[]): void {
  const why = dependsOn(doubt.why);
  const { run, args, folder, functions, out } = state;
  const before = { variables: new Map(state.variables), written: new Map(run.written) };
  spend(state, (run.written.size + functions.size) * 10);
  const after: State[] = [];
  const variables: ReadonlyMap<string, Value>[] = [];
  const written: ReadonlyMap<string, string>[] = [];
  const starts: number[] = [];
  for (const way of ways) {
    starts.push(run.calls.length);
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
  if (doubt.isAnswer === true) tellChoice(doubt, starts, state);
  leaveOpen(doubt, after, state);
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

/**
 * A way that ends the commands, or may have ended them, leaves open whether others follow. After an answer of the gateway they are taken to.
 * A way that fails is an error, and not expected.
 */
export function leaveOpen(doubt: Doubt, ways: readonly State[], state: State): void {
  const { open: before } = state;
  for (const { flow, leaves, status, open, choice } of ways) {
    if ((flow === 'exit' || flow === 'return') && status === false) continue;
    if (flow === 'exit' && doubt.isAnswer !== true) state.choice ??= doubt.why;
    state.choice ??= choice;
    if (flow === 'exit') continue;
    const found = flow === undefined ? open : { end: leaves > 1 ? ('return' as const) : flow, doubt };
    if (found === undefined || found === before) continue;
    const { why, needsRecording, isAnswer } = found.doubt;
    if (isAnswer !== true) state.doubt ??= { why: dependsOn(why), needsRecording };
    if (WIDTHS.indexOf(found.end) > WIDTHS.indexOf(state.open?.end)) state.open = found;
  }
}

const WIDTHS: readonly (Flow | undefined)[] = [undefined, 'continue', 'break', 'return'];

const dependsOn = (why: string): string => `whether it is made depends on ${why}`;

/** Where several ways write to the gateway, only one of them does. */
function tellChoice({ why }: Doubt, starts: readonly number[], { run: { calls } }: State): void {
  const made = starts.map((start, at) => calls.slice(start, starts[at + 1]));
  const isWritten = (call: Call | UnreadCall): boolean => call.method !== 'GET';
  if (made.filter((one) => one.some(isWritten)).length < 2) return;
  for (const [at, call] of calls.entries())
    if (at >= (starts[0] ?? 0) && 'gateway' in call) calls[at] = { ...call, choice: call.choice ?? why };
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

/** Runs a body that is repeated an unknown number of times once. */
export function runRepeated(state: State, body: () => void): void {
  const { repeats } = state;
  state.repeats = true;
  body();
  state.repeats = repeats;
}

/** Commands of which it is not known whether and how often they run: their calls are named. */
export function runUnread(what: string, { pos }: { readonly pos: number }, state: State, way: Way): void {
  const doubt = doubtOf(what, state, pos);
  runRepeated(state, () => runInDoubt(doubt, state, [way]));
}

export function doubtOf(what: string, state: State, pos: number): Doubt {
  const why = `${what} in line ${lineOf(state, pos)}, which gwconf does not read`;
  return { why, needsRecording: true, of: 'test' };
}
