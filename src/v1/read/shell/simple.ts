import type { Assignment, Command, CommandArgument } from 'unbash';
import { expandFields, expandText } from './expand.ts';
import { runWords } from './programs.ts';
import { withRedirects } from './redirect.ts';
import { lineOf, setVariable, type State, type Value } from './state.ts';
import { unknownValue } from './doubt.ts';

/** Runs one command: assignments, or a program with its arguments. */
export function runSimple(command: Command, state: State): void {
  const assignments = command.prefix.filter((one) => one.type === 'Assignment');
  const line = lineOf(state, command.pos);
  withRedirects(command.redirects, state, () => {
    state.status = true;
    if (command.name === undefined) {
      for (const one of assignments) assign(one, state);
      return;
    }
    const hidden = assignments.map(({ name }) => [name, state.variables.get(name)] as const);
    for (const one of assignments) assign(one, state);
    const words = [
      ...expandFields(command.name, state),
      ...command.args.flatMap((one) => argument(one, state)),
    ];
    state.status = true;
    runWords(words, state, line);
    for (const [name, value] of hidden) {
      if (value === undefined) state.variables.delete(name);
      else state.variables.set(name, value);
    }
  });
}

/** `export A=b` is one word, whose value is not split. */
function argument(one: CommandArgument, state: State): readonly string[] {
  if (one.type === 'Word') return expandFields(one, state);
  if (one.value.type !== 'Word') {
    assign(one, state);
    return [one.name];
  }
  return [`${one.name}=${named(one.name, expandText(one.value, state), state)}`];
}

function assign({ name, value, append, index }: Assignment, state: State): void {
  if (value.type === 'Word') {
    const text = named(name, expandText(value, state), state);
    setVariable(
      state,
      name,
      withItem(text, { name, append, index: index && expandText(index, state) }, state),
    );
    return;
  }
  const items = value.elements.flatMap((word) => expandFields(word, state));
  const before = state.variables.get(name);
  setVariable(state, name, append === true && before !== undefined ? [before, items].flat() : items);
}

type Target = {
  readonly name: string;
  readonly append: boolean | undefined;
  readonly index: string | undefined;
};

function withItem(text: string, { name, append, index }: Target, state: State): Value {
  const before = state.variables.get(name);
  if (index !== undefined && /^\d{1,4}$/.test(index)) {
    const items = before === undefined ? [] : [before].flat();
    items[Number(index)] = text;
    return Array.from(items, (item) => (item as string | undefined) ?? '');
  }
  return append === true && typeof before === 'string' ? `${before}${text}` : text;
}

/** The output of a command that is not run is named after the variable that gets it. */
function named(name: string, text: string, state: State): string {
  const reason = /^\uE002\d+\uE003$/.test(text) ? state.run.reasons.find(text) : undefined;
  return reason?.isOutput === true ? unknownValue(name, state) : text;
}
