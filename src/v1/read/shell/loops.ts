import type { ArithmeticFor, For, Select, Statement, While } from 'unbash';
import { evaluate } from './arithmetic.ts';
import { runInDoubt } from './doubt.ts';
import { lineOf, setVariable, spend, unknown, type State, type Value } from './state.ts';

type RunCommands = (commands: readonly Statement[], state: State) => void;
const MOST_ROUNDS = 1_000;

/** Runs the body for each item; once, if the items are not known. */
export function runFor(
  items: readonly string[] | undefined,
  loop: For | Select,
  state: State,
  run: RunCommands,
): void {
  const { reasons } = state.run;
  for (const item of items ?? ['']) {
    const reason = items === undefined ? { why: 'a choice of the user' } : reasons.find(item);
    if (reason === undefined) {
      setVariable(state, loop.name.value, item);
      run(loop.body.commands, state);
    } else {
      const name = loop.name.value;
      const text = unknown(
        state,
        `$${name} of the loop in line ${lineOf(state, loop.pos)}, from ${reason.why}`,
        reason.isAnswer,
      );
      setVariable(state, name, text);
      runRepeated(state, () => run(loop.body.commands, state));
    }
    if (endsLoop(state)) return;
  }
}

/** Runs a body that is repeated an unknown number of times once. */
function runRepeated(state: State, body: () => void): void {
  const { repeats } = state;
  state.repeats = true;
  body();
  state.repeats = repeats;
}

/** Whether a `break` or the end of a function ends a loop; a `continue` is over. */
function endsLoop(state: State): boolean {
  const { flow } = state;
  if (flow === 'break' || flow === 'continue') state.flow = undefined;
  return flow !== undefined && flow !== 'continue';
}

export function runWhile({ kind, clause, body, pos }: While, state: State, run: RunCommands): void {
  for (let round = 0; ; round += 1) {
    spend(state);
    const { changes } = state.run;
    run(clause.commands, state);
    if (state.flow !== undefined) return;
    const { status } = state;
    if (typeof status !== 'boolean') {
      const why = `how often the loop in line ${lineOf(state, pos)} runs: ${status.why}`;
      // A body that reads unknown lines says so itself.
      const doubt = { ...status, why, isAnswer: status.isAnswer === true || status.of === 'command' };
      runRepeated(state, () => runInDoubt(doubt, state, [(within) => run(body.commands, within)]));
      return;
    }
    if (status !== (kind === 'while')) return;
    run(body.commands, state);
    // A loop that changes nothing runs until something outside of the script changes.
    if (endsLoop(state) || state.run.changes === changes) return;
    if (round >= MOST_ROUNDS) {
      tooMany(state, pos);
      return;
    }
  }
}

export function runArithmeticFor(
  loop: ArithmeticFor,
  state: State,
  read: (name: string, state: State) => Value,
  run: RunCommands,
): void {
  const { initialize, test, update, body, pos } = loop;
  if (initialize !== undefined) evaluate(initialize, state, read);
  for (let round = 0; ; round += 1) {
    spend(state);
    const goesOn = test === undefined ? 1 : evaluate(test, state, read);
    if (goesOn === 0) return;
    if (goesOn === undefined) {
      runRepeated(state, () => run(body.commands, state));
      return;
    }
    run(body.commands, state);
    if (endsLoop(state)) return;
    if (update !== undefined) evaluate(update, state, read);
    if (round >= MOST_ROUNDS) {
      tooMany(state, pos);
      return;
    }
  }
}

function tooMany(state: State, pos: number): void {
  const why = `the loop has more than ${MOST_ROUNDS} rounds; the others are not read`;
  state.run.calls.push({ file: state.script.path, line: lineOf(state, pos), why });
}
