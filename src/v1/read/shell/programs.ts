import { posix } from 'node:path';
import { BUILTINS } from './builtins.ts';
import { curlRequests } from './curl.ts';
import { httpieRequests } from './httpie.ts';
import { readBeside } from './files.ts';
import { runSource, scriptOf } from './source.ts';
import { hasUnknown } from '../unknown.ts';
import { sendAll, type Sent } from './send.ts';
import { TEXT_PROGRAMS } from './text-programs.ts';
import { deeper, fork, spend, unknownOutput, write, type FunctionDefinition, type State } from './state.ts';
import { wgetRequests } from './wget.ts';

/** Runs a command as far as it can be known: functions, what the shell does itself, programs that only print, and HTTP calls. */
export function runWords(words: readonly string[], state: State, line: number): void {
  const [name, ...args] = words;
  if (name === undefined) return;
  spend(
    state,
    words.reduce((sum, word) => sum + word.length, 0),
  );
  const definition = state.functions.get(name);
  if (definition !== undefined) {
    callFunction(definition, args, state);
    return;
  }
  const program = posix.basename(name);
  const builtin = own(BUILTINS, name) ?? own(TEXT_PROGRAMS, program);
  if (builtin !== undefined) {
    builtin(args, state);
    return;
  }
  const client = own(CLIENTS, program);
  if (client !== undefined) {
    sendAll(client(args, state), state, line);
    return;
  }
  if (isShell(program)) {
    runShell(args, state, line);
    return;
  }
  if (name === 'source' || name === '.') {
    source(args, state);
    return;
  }
  if (name === 'eval') {
    runText(args.join(' '), state, line);
    return;
  }
  if (program === 'xargs') {
    runXargs(args, state, line);
    return;
  }
  const within = findCommand(args);
  if (within !== undefined) {
    deeper(state, () => runWords(args.slice(within), state, line));
    return;
  }
  if (/\.(?:sh|bash)$/.test(name)) {
    runFile(name, args, state);
    return;
  }
  write(state, unknownOutput(state, name, [...args, state.stdin?.text ?? '']));
  state.status = { why: `the result of ${/^[\w./-]{1,40}$/.test(name) ? name : 'a command'}`, of: 'command' };
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

type Client = (args: readonly string[], state: State) => Sent;
const CLIENTS: Readonly<Record<string, Client>> = {
  curl: curlRequests,
  wget: wgetRequests,
  http: httpieRequests,
  https: httpieRequests,
  xh: httpieRequests,
};

function isShell(program: string): boolean {
  return /^(?:ba|da|k|z)?sh$/.test(program);
}

/** The place of a client or shell among the arguments: `docker exec x curl …`, `sudo -E sh -c …`, `retry 5 ./call.sh`. */
function findCommand(args: readonly string[]): number | undefined {
  const at = args.findIndex((arg, index) => {
    const program = posix.basename(arg);
    if (program === 'curl' || program === 'wget') return index < args.length - 1;
    return (isShell(program) && index < args.length - 1) || /^(?:\.{0,2}\/)?[\w./-]+\.sh$/.test(arg);
  });
  return at === -1 ? undefined : at;
}

function callFunction({ node, script }: FunctionDefinition, args: readonly string[], state: State): void {
  const before = { args: state.args, script: state.script, hidden: state.hidden, line: state.line };
  state.run.called.add(node);
  const hidden = new Map<string, State['args'] | string>();
  Object.assign(state, { args, script, hidden, line: script === before.script ? before.line : undefined });
  const { body } = node;
  deeper(state, () => {
    const commands =
      body.type === 'CompoundList' || body.type === 'BraceGroup'
        ? body.type === 'BraceGroup'
          ? body.body.commands
          : body.commands
        : undefined;
    if (commands !== undefined) state.runCommands(commands, state);
    else
      state.runCommands(
        [{ type: 'Statement', pos: body.pos, end: body.end, command: body as never, background: undefined }],
        state,
      );
  });
  for (const [name, value] of hidden) {
    if (value === undefined) state.variables.delete(name);
    else state.variables.set(name, value);
  }
  Object.assign(state, before);
  if (state.flow === 'return') state.flow = undefined;
}

/** `sh -c TEXT NAME ARGS…` or `sh FILE ARGS…`. */
function runShell(args: readonly string[], state: State, line: number): void {
  const command = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const within = fork(state);
  if (command !== -1) {
    within.args = args.slice(command + 3);
    runText(args[command + 1] ?? '', within, line);
  } else {
    const file = args.findIndex((arg) => !arg.startsWith('-'));
    if (file !== -1) runFile(args[file] ?? '', args.slice(file + 1), within);
    else runText(within.stdin?.text ?? '', within, line);
  }
  state.out = within.out;
  state.status = within.status;
}

function runText(text: string, state: State, line: number): void {
  const before = state.line;
  state.line = line;
  runSource({ path: state.script.path, text, lineAt: state.script.lineAt }, state);
  state.line = before;
}

/** Runs another script with its arguments, as a program of its own. */
function runFile(name: string, args: readonly string[], state: State): void {
  const within = fork(state, { args, flow: undefined });
  include(name, within);
  state.out = within.out;
  state.status = within.status;
}

/** Runs another script in this one. */
function source(args: readonly string[], state: State): void {
  const [name = '', ...more] = args;
  const before = state.args;
  if (more.length > 0) state.args = more;
  include(name, state);
  state.args = before;
  if (state.flow === 'return') state.flow = undefined;
}

function include(name: string, state: State): void {
  const found = hasUnknown(name) ? undefined : readBeside(name, state);
  if (found === undefined || hasUnknown(found.text)) {
    state.status = { why: 'a script that is not among the files', of: 'command' };
    return;
  }
  const { script, line } = state;
  state.line = undefined;
  runSource(scriptOf(found), state);
  Object.assign(state, { script, line });
}

/** `xargs curl …` for each line or word of the input. */
function runXargs(args: readonly string[], state: State, line: number): void {
  const at = args.findIndex((arg) => /^(?:.*\/)?(?:curl|wget|bash|sh)$/.test(arg));
  const input = state.stdin?.text;
  if (at === -1) {
    write(
      state,
      input === undefined ? unknownOutput(state, 'xargs', []) : `${input.trim().split(/\s+/).join(' ')}\n`,
    );
    return;
  }
  const flags = args.slice(0, at);
  const mark = flags.flatMap((flag, index) =>
    flag === '-I' ? [flags[index + 1] ?? '{}'] : /^-I./.test(flag) ? [flag.slice(2)] : [],
  )[0];
  const text = input ?? unknownOutput(state, 'xargs', []);
  const items = text.split(mark === undefined ? /\s+/ : '\n').filter((item) => item !== '');
  for (const item of items) {
    const words = args.slice(at);
    runWords(
      mark === undefined ? [...words, item] : words.map((word) => word.replaceAll(mark, () => item)),
      state,
      line,
    );
  }
}
