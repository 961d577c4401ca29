import { posix } from 'node:path';
import { addAll } from '../../../model/collect.ts';
import type { ReadPart, UnreadCall } from '../request.ts';
import { makeReasons } from '../unknown.ts';
import { makeTracer } from '../uses.ts';
import { runScript } from './shell-files.ts';
import { runCommands } from './run-commands.ts';
import {
  learnVariable,
  LimitError,
  NOTHING_SPENT,
  runPrinting,
  statementsOf,
  type FilesBeside,
  type Run,
  type Script,
  type State,
  type Value,
} from './shell-state.ts';

/** The calls that a shell script makes, in its order. Nothing is run. */
export function readShell(
  script: Script,
  files: FilesBeside,
  variables: ReadonlyMap<string, Value> = new Map(),
): ReadPart {
  const tracer = makeTracer();
  const run: Run = {
    reasons: makeReasons(),
    tracer,
    files,
    home: posix.dirname(script.path),
    written: new Map(),
    calls: [],
    others: 0,
    credentials: new Set(),
    sourced: new Set(),
    missing: new Map(),
    called: new Set(),
    defined: new Map(),
    ran: new Set(),
    passedOver: new Map(),
    limits: { ...NOTHING_SPENT },
  };
  const marked = (value: Value): Value =>
    typeof value === 'string'
      ? tracer.markValue(value, script.path)
      : value.map((one) => tracer.markValue(one, script.path));
  for (const [name, value] of variables) if (typeof value === 'string') learnVariable(name, value, run);
  const state: State = {
    run,
    runCommands,
    variables: new Map(Array.from(variables, ([name, value]) => [name, marked(value)])),
    functions: new Map(),
    script,
    folder: run.home,
    out: '',
    status: true,
    stopsOnFailure: /^#!.*\s-[a-z]*e/.test(script.text),
    repeats: false,
    loops: 0,
    leaves: 0,
  };
  withinLimits(script, run, () => runScript(script, state));
  tracer.take(state.out);
  addAll(run.calls, callsPassedOver(script, run));
  withinLimits(script, run, () => runUncalled(script, state));
  run.sourced.delete(script.path);
  // Other scripts have nothing to do with a gateway, as far as is known.
  if (run.calls.length > 0) addAll(run.calls, [...run.missing.values()]);
  const calls = run.calls.map((call) => ({ ...call, part: script.path }));
  const credentials = Array.from(run.credentials, tracer.show);
  return { calls, others: run.others, credentials, included: run.sourced, uses: tracer.uses };
}

/** The calls of commands that are certainly not reached. What another script of these calls is read with that script. */
function callsPassedOver(script: Script, run: Run): readonly UnreadCall[] {
  const calls: UnreadCall[] = [];
  const apart: Run = {
    ...run,
    calls,
    sourced: new Set(run.sourced),
    written: new Map(run.written),
    limits: { ...NOTHING_SPENT },
  };
  withinLimits(script, apart, () => {
    // What another round of a loop skips, or another call of a function, is made all the same.
    for (const [command, look] of run.passedOver) if (!run.ran.has(command)) look(apart);
  });
  const placeOf = (call: (typeof run.calls)[number]): string => `${call.line} ${call.path ?? ''}`;
  const made = new Set(run.calls.map(placeOf));
  return calls.filter((call) => call.file === script.path && !made.has(placeOf(call)));
}

/** Functions that the script does not call: their calls are named, too. */
function runUncalled(script: Script, state: State): void {
  for (const { node, script: home } of state.run.defined.values()) {
    if (state.run.called.has(node) || home !== script) continue;
    const name = /^[\w:-]{1,60}$/.test(node.name.value) ? node.name.value : '';
    const doubt = { why: `it is in the function ${name}, which the script does not call` };
    state.run.limits.depth = 0;
    state.run.called.add(node);
    const within = { ...state, doubt, flow: undefined, script: home, repeats: true };
    runPrinting(statementsOf(node.body), within);
  }
}

function withinLimits(script: Script, run: Run, work: () => void): void {
  try {
    work();
  } catch (error) {
    // The parser and this reader are recursive: what nests too deeply for the stack is refused like any other excess.
    if (!(error instanceof LimitError || error instanceof RangeError)) throw error;
    const why = error instanceof LimitError ? error.message : 'the script is nested too deeply';
    run.calls.push({
      file: script.path,
      line: 1,
      why: `${why}; calls from there on are not read`,
      needsRecording: true,
    });
  }
}
