import type { Assignment, Command, CommandArgument, HereDoc, Redirection } from 'unbash';
import { textOfFile, writeFile } from './shell-files.ts';
import { runWords } from './known-programs.ts';
import {
  lineOf,
  notRead,
  restore,
  setVariable,
  unknownValue,
  type State,
  type Value,
} from './shell-state.ts';
import { expandFields, expandText } from './words.ts';

/** Runs one command: assignments, or a program with its arguments. */
export function runSimple(command: Command, state: State): void {
  const assignments = command.prefix.filter((one) => one.type === 'Assignment');
  const line = lineOf(state, command.pos);
  withRedirects(command.redirects, state, () => {
    if (command.name === undefined) {
      for (const one of assignments) assign(one, state);
      // That of a command in them stays: `x=$(false)`.
      if (!assignments.some(({ text }) => /\$\(|`/.test(text))) state.status = true;
      return;
    }
    // What is assigned for the command alone is not yet in its words.
    const words = [
      ...expandFields(command.name, state),
      ...command.args.flatMap((one) => argument(one, state)),
    ];
    const hidden = assignments.map(({ name }) => [name, state.variables.get(name)] as const);
    for (const one of assignments) assign(one, state);
    state.status = true;
    runWords(words, state, line);
    restore(state, hidden);
  });
}

/** `export A=b` is one word, whose value is not split. */
function argument(one: CommandArgument, state: State): readonly string[] {
  if (one.type === 'Word') return expandFields(one, state);
  if (one.value.type !== 'Word') {
    assign(one, state);
    return [`${one.name}[]`]; // a list, which has its value
  }
  return [`${one.name}=${named(one.name, expandText(one.value, state), state)}`];
}

function assign({ name, value, append, index }: Assignment, state: State): void {
  if (index === undefined) setVariable(state, name, assigned(name, value, append === true, state));
  else setVariable(state, name, notRead(state, `an item of $${name}`));
}

function assigned(name: string, value: Assignment['value'], append: boolean, state: State): Value {
  const before = append ? state.variables.get(name) : undefined;
  if (value.type !== 'Word') {
    const items = value.elements.flatMap((word) => expandFields(word, state));
    // `local -a x` has no items.
    return [before === undefined || before === '' ? [] : before, items].flat();
  }
  const text = named(name, expandText(value, state), state);
  return typeof before === 'string' ? `${before}${text}` : text;
}

/** The output of a command that is not run is named after the variable that gets it. */
function named(name: string, text: string, state: State): string {
  const reason = /^\uE002\d+\uE003$/.test(text) ? state.run.reasons.find(text) : undefined;
  return reason?.isOutput === true ? unknownValue(name, state) : text;
}

/** Runs commands with redirected input and output. Files that are written can be read later. */
export function withRedirects(redirects: readonly Redirection[], state: State, run: () => void): void {
  const { stdin, out } = state;
  const targets: { readonly path: string; readonly appends: boolean }[] = [];
  for (const redirect of redirects) {
    const input = inputOf(redirect, state);
    if (input !== undefined) state.stdin = { text: input };
    else if (
      redirect.type === 'Redirect' &&
      redirect.target !== undefined &&
      isOutput(redirect.operator, redirect.descriptor)
    ) {
      const to = expandText(redirect.target, state);
      // `>&2`: not to the output of the command.
      const path = redirect.operator === '>&' && /^\d$/.test(to) ? `/dev/fd/${to}` : to;
      if (path !== '/dev/fd/1') targets.push({ path, appends: redirect.operator.endsWith('>>') });
    }
  }
  if (targets.length > 0) state.out = '';
  run();
  state.stdin = stdin;
  if (targets.length === 0) return;
  const written = state.out;
  state.out = out;
  for (const { path, appends } of targets) writeFile(path, written, appends, state);
}

/** Output of a command to a file, not its errors. */
function isOutput(
  operator: string,
  descriptor: Extract<Redirection, { type: 'Redirect' }>['descriptor'],
): boolean {
  const isStdout =
    descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 1);
  return isStdout && /^(?:>|>>|>\||>&|&>|&>>)$/.test(operator);
}

function inputOf(redirect: Redirection, state: State): string | undefined {
  if (redirect.type === 'HereDoc') return textOfHereDoc(redirect, state);
  if (redirect.target === undefined) return undefined;
  if (redirect.type === 'HereString') return `${expandText(redirect.target, state)}\n`;
  const isStdin =
    redirect.descriptor === undefined ||
    (redirect.descriptor.type === 'FileDescriptor' && redirect.descriptor.value === 0);
  return redirect.operator === '<' && isStdin
    ? textOfFile(expandText(redirect.target, state), state)
    : undefined;
}

function textOfHereDoc({ body, delimiter, operator }: HereDoc, state: State): string {
  const { pos, end, text, parts } = body;
  const isQuoted = delimiter?.quoted === true;
  // The parser has parts only where something is filled in.
  const value = isQuoted ? text : text.replaceAll(/\\([\\$`\n])/g, (_, one: string) => one.trim());
  const whole =
    isQuoted || parts === undefined
      ? value
      : expandText(
          {
            type: 'Word',
            text,
            value,
            pos,
            end,
            parts: [{ type: 'DoubleQuoted', pos, end, text, parts: parts as never }],
          },
          state,
        );
  return operator === '<<-' ? whole.replaceAll(/^\t+/gm, '') : whole;
}
