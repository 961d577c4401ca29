import type { For, While } from 'unbash';
import { runInDoubt, runRepeated, runUnread, type Way } from './open-ways.ts';
import { lineOf, setVariable, settleDoubt, spend, unknown, type State, type Status } from './shell-state.ts';
import { expandFields, readVariable } from './words.ts';

/** Runs the body for each item; once, if the items are not known. */
export function runFor({ name: { value: name }, wordlist, pos }: For, state: State, body: Way): void {
  const items = wordlist?.flatMap((word) => expandFields(word, state)) ?? [readVariable('@', state)].flat();
  const { doubt, open } = state;
  state.status = true;
  for (const item of items) {
    const reason = state.run.reasons.find(item);
    if (reason === undefined) {
      setVariable(state, name, item);
      body(state);
    } else {
      const why = `$${name} of the loop in line ${lineOf(state, pos)}, from ${reason.why}`;
      setVariable(state, name, unknown(state, why, reason));
      runRepeated(state, () => body(state));
    }
    if (endsLoop(state, { doubt, open })) return;
  }
}

/** `while read` is run for each line of its input. How often other loops run is not known. */
export function runWhile({ kind, clause, pos }: While, state: State, condition: Way, body: Way): void {
  const isReading = clause.commands.every(({ command }) => {
    // `read -r x || [ -n "$x" ]`: also a last line without an end
    const first = command.type === 'AndOr' ? command.commands[0] : command;
    return first?.type === 'Command' && first.name?.value === 'read';
  });
  const { doubt, open } = state;
  let result: Status = true;
  for (;;) {
    spend(state);
    condition(state);
    if (state.flow !== undefined) return;
    const { status } = state;
    if (!isReading || kind !== 'while') {
      runUnread('the loop', { pos }, state, body);
      return;
    }
    if (typeof status !== 'boolean') {
      // A body that reads unknown lines says so itself.
      const doubt = { ...status, isAnswer: true };
      runRepeated(state, () => runInDoubt(doubt, state, [body]));
      return;
    }
    if (!status) {
      state.status = result;
      return;
    }
    body(state);
    if (endsLoop(state, { doubt, open })) return;
    result = state.status;
  }
}

/** A `break` goes no further than the outermost loop. */
export function inLoop(state: State, run: () => void): void {
  const { doubt, open } = state;
  state.loops += 1;
  run();
  state.loops -= 1;
  settleDoubt(state, { doubt, open }, 'continue', 'break');
  if (state.loops === 0 && (state.flow === 'break' || state.flow === 'continue')) state.flow = undefined;
}

/** Whether a `break`, a `continue` of a loop around this one or the end of a function ends a loop; a `continue` of its own is over. */
function endsLoop(state: State, before: Pick<State, 'doubt' | 'open'>): boolean {
  settleDoubt(state, before, 'continue');
  const { flow } = state;
  if (flow !== 'break' && flow !== 'continue') return flow !== undefined;
  state.leaves -= 1;
  if (state.leaves > 0) return true;
  state.flow = undefined;
  return flow === 'break';
}
