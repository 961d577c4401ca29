import { makePlaceholder } from '../../../declare/placeholder.ts';
import { fork, spend, unknown, type Doubt, type State, type Value } from './state.ts';

/**
 * Runs each of several ways that commands can go, of which one is taken. What depends on an answer of the gateway is run as if it
 * were known, because scripts look there whether an object exists before they create it.
 */
export function runInDoubt(doubt: Doubt, state: State, ways: readonly ((state: State) => void)[]): void {
  const why = `whether it is made depends on ${doubt.why}`;
  const before = new Map(state.variables);
  const after: ReadonlyMap<string, Value>[] = [];
  for (const way of ways) {
    const within = fork(state, {
      doubt: state.doubt ?? (doubt.isAnswer === true ? undefined : why),
      flow: undefined,
    });
    within.variables.clear();
    for (const [name, value] of before) within.variables.set(name, value);
    way(within);
    for (const [name, definition] of within.functions) state.functions.set(name, definition);
    state.out = within.out;
    state.folder = within.folder;
    // What a way that ends the script has set does not matter.
    if (within.flow === undefined) after.push(within.variables);
  }
  if (ways.length === 1) after.push(before);
  merge(after, state);
  state.status = doubt;
}

/** A variable that the ways set differently is not known. */
function merge(ways: readonly ReadonlyMap<string, Value>[], state: State): void {
  const names = new Set(ways.flatMap((way) => [...way.keys()]));
  spend(state, names.size * ways.length);
  for (const name of names) {
    const [value, ...others] = ways.map((way) => way.get(name));
    const isSame = others.every((other) => other === value);
    state.variables.set(name, isSame && value !== undefined ? value : unknownValue(name, state));
  }
}

/** Stands for the value of a variable that cannot be known: one for a run, or another in each round of a loop. */
export function unknownValue(name: string, state: State): string {
  return state.repeats ? unknown(state, `$${name}, which changes in a loop`) : makePlaceholder(name);
}
