import { posix } from 'node:path';
import { hasUnknown } from '../unknown.ts';
import { resolvePath } from './shell-files.ts';
import { notRead, setVariable, unknown, write, type Builtin, type State } from './shell-state.ts';
import { testWords } from './test-expression.ts';

/** What the shell does itself, as far as it changes what later commands see. */
export const BUILTINS: Readonly<Record<string, Builtin>> = {
  // Its input is a comment.
  ':': (_, state) => void state.run.tracer.take(state.stdin?.text ?? ''),
  true: () => undefined,
  false: (_, state) => void (state.status = false),
  set(args, state) {
    state.stopsOnFailure = stopsBy(args) ?? state.stopsOnFailure;
    // `set -- a b`, `set a b`
    if (args.includes('--')) state.args = args.slice(args.indexOf('--') + 1);
    else if (/^[^-+]/.test(args[0] ?? '')) state.args = args;
  },
  shopt: () => undefined,
  wait: () => undefined,
  sleep: () => undefined,
  export: declareVariables,
  readonly: declareVariables,
  declare: declareHere,
  typeset: declareHere,
  local: (args, state) => declareVariables(args, state, true),
  unset: (args, { variables }) => args.forEach((name) => variables.delete(name)),
  shift: (args, state) => {
    const count = Number(args[0] ?? 1);
    state.status = !(state.args !== undefined && count > state.args.length);
    state.args = Number.isInteger(count) ? state.args?.slice(count) : undefined;
  },
  cd: changeFolder,
  pushd(args, state) {
    setVariable(state, STACK, [...[state.variables.get(STACK) ?? []].flat(), state.folder]);
    changeFolder(args, state);
  },
  popd(_, state) {
    const stack = [state.variables.get(STACK) ?? []].flat();
    state.folder = stack.pop() ?? state.folder;
    setVariable(state, STACK, stack);
  },
  pwd: (_, state) => write(state, `${state.folder}\n`),
  exit: (args, state) => end('exit', args, state),
  return: (args, state) => end('return', args, state),
  break: (args, state) => leave('break', args, state),
  continue: (args, state) => leave('continue', args, state),
  '[': (args, state) =>
    void (state.status = testWords(args.at(-1) === ']' ? args.slice(0, -1) : args, state)),
  test: (args, state) => void (state.status = testWords(args, state)),
  read: readLine,
  let: forgetAll('let'),
  mapfile: forgetAll('mapfile'),
  readarray: forgetAll('readarray'),
};

/** What options of a shell say of commands that fail: `-eu`, `+e`, `-o errexit`. */
export function stopsBy(args: readonly string[]): boolean | undefined {
  const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  const found = options.findLast(
    (arg, at) => /^[-+][a-zA-Z]*e/.test(arg) || (/^[-+][a-zA-Z]*o$/.test(arg) && args[at + 1] === 'errexit'),
  );
  return found?.startsWith('-');
}

const STACK = 'DIRSTACK';

function changeFolder(args: readonly string[], state: State): void {
  const folder = args.find((arg) => !/^-./.test(arg)) ?? '-';
  // What comes first is often the folder of the repository, as in `$CI_PROJECT_DIR/teams`.
  const known = folder.replace(/^[\uE000\uE002]\w+[\uE001\uE003]\/?/, '');
  if (known !== folder) state.folder = posix.join(state.run.home, known);
  else if (folder !== '-' && !folder.startsWith('~'))
    state.folder = posix.normalize(resolvePath(folder, state));
}

/** For commands that set variables and are not read. */
function forgetAll(command: string): Builtin {
  return (args, state) => {
    for (const arg of args) {
      const [name] = /^[A-Za-z_]\w*/.exec(arg) ?? [];
      if (name !== undefined) setVariable(state, name, notRead(state, `$${name}, set by ${command}`));
    }
  };
}

function end(flow: 'exit' | 'return', args: readonly string[], state: State): void {
  state.flow = flow;
  if (args.length > 0) state.status = args[0] === '0';
}

/** `break 2` leaves two loops, if there are so many. */
function leave(flow: 'break' | 'continue', [count = '1']: readonly string[], state: State): void {
  const leaves = Math.min(state.loops, /^[1-9]\d{0,3}$/.test(count) ? Number(count) : 1);
  if (leaves > 0) Object.assign(state, { flow, leaves });
}

/** In a function, as `local`. */
function declareHere(args: readonly string[], state: State): void {
  declareVariables(args, state, state.hidden !== undefined && !args.some((arg) => /^-[a-zA-Z]*g/.test(arg)));
}

/** Options by which a variable is a number, in one case, or another name for a variable. */
const CHANGES_VALUES = /^-[a-zA-Z]*[ilnu]/;

function declareVariables(args: readonly string[], state: State, isLocal = false): void {
  const isChanged = args.some((arg) => CHANGES_VALUES.test(arg));
  for (const arg of args) {
    const [, name = '', value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (name === '') continue;
    const { hidden, variables } = state;
    if (isLocal && hidden !== undefined && !hidden.has(name)) hidden.set(name, variables.get(name));
    if (isChanged) forgetAll('declare')([name, value ?? ''], state); // with -n, also what it names
    else if (value !== undefined) setVariable(state, name, value);
    else if (isLocal) variables.set(name, '');
  }
}

/** The words of a line, of which the last is the rest; undefined where characters and blanks separate them. */
function wordsOf(line: string, separators: string, count: number): readonly string[] | undefined {
  if (separators === '') return [line];
  const isBlank = separators.trim() === '';
  if (!isBlank && separators.length > 1) return undefined;
  const one = `[${separators.replaceAll(/[\]\\^-]/g, String.raw`\$&`)}]`;
  // Each with what is behind it, in turn.
  const parts = line.split(new RegExp(isBlank ? `(${one}+)` : `(${one})`));
  if (isBlank && parts[0] === '') parts.splice(0, 2);
  if (isBlank && parts.at(-1) === '') parts.splice(-2);
  const rest = parts.splice((count - 1) * 2);
  // A separator at the end is not of a last word, unless there are more.
  if (rest.length === 3 && rest[2] === '') rest.splice(1);
  return [...parts.filter((_, at) => at % 2 === 0), rest.join('')];
}

/** `read a b`: the words of the next line; the last variable gets the rest. With `-d ''`, the one variable gets all lines. */
function readLine(args: readonly string[], state: State): void {
  const names = args.filter(
    (arg, at) => /^[A-Za-z_]\w*$/.test(arg) && !/^-[dnNtpu]$/.test(args[at - 1] ?? ''),
  );
  const { stdin } = state;
  if (stdin !== undefined) stdin.isKnown ??= !hasUnknown(stdin.text);
  if (stdin?.isKnown !== true) {
    const reason = state.run.reasons.find(stdin?.text ?? '');
    const why = reason?.why ?? 'the standard input of the script';
    for (const name of names) setVariable(state, name, unknown(state, `$${name}, read from ${why}`, reason));
    state.status = { why: `lines of ${why}`, isAnswer: true, of: 'command' };
    return;
  }
  if (stdin.text === '') {
    for (const name of names) setVariable(state, name, '');
    state.status = false;
    return;
  }
  const delimiter = args.findIndex((arg) => /^-[a-z]*d/.test(arg));
  const isPart = args.some((arg) => /^-[a-z]*[dnN]/.test(arg));
  const isArray = args.some((arg) => /^-[a-z]*a$/.test(arg));
  const isAll = !isArray && delimiter !== -1 && `${args[delimiter]}${args[delimiter + 1]}`.endsWith('d');
  const isRaw = args.some((arg) => /^-[a-z]*r/.test(arg));
  if (isAll && names.length === 1 && (isRaw || !stdin.text.includes('\\'))) {
    setVariable(state, names[0] ?? '', stdin.text.trim());
    stdin.text = '';
    state.status = false; // it ends before a delimiter comes
    return;
  }
  const [line = ''] = stdin.text.split('\n', 1);
  // A last line without an end is read, and counts as none.
  state.status = line.length < stdin.text.length;
  stdin.text = stdin.text.slice(line.length + 1);
  const separators = [state.variables.get('IFS') ?? ' \t\n'].flat().join('');
  const isEscaped = line.includes('\\') && !isRaw;
  const wanted = names.length === 0 ? ['REPLY'] : names;
  const words = wordsOf(line, separators, wanted.length);
  if (isArray) forgetAll('read -a')(names, state);
  else if (isPart || isEscaped || words === undefined) forgetAll('read')(names, state);
  else for (const [at, name] of wanted.entries()) setVariable(state, name, words[at] ?? '');
}
