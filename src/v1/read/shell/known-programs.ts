import { posix } from 'node:path';
import { makePlaceholder } from '../../../declare/declared.ts';
import { BUILTINS, stopsBy } from './builtins.ts';
import { curlRequests, openRequest, sendAll } from './curl.ts';
import { readBeside, resolvePath, runScript, scriptOf, showPath, writeFile } from './shell-files.ts';
import { credentialsInArguments } from '../credentials.ts';
import { openCall, readUrl, type UnreadCall } from '../request.ts';
import { hasUnknown } from '../unknown.ts';
import { TEXT_PROGRAMS } from './text-programs.ts';
import {
  deeper,
  fork,
  notRead,
  restore,
  runApart,
  settleDoubt,
  spend,
  statementsOf,
  unknownOutput,
  write,
  type FunctionDefinition,
  type State,
} from './shell-state.ts';

/** Runs a command as far as it can be known: functions, what the shell does itself, programs that only print, and HTTP calls. */
export function runWords(
  words: readonly string[],
  state: State,
  line: number,
  functions = state.functions,
): void {
  const [written, ...args] = words;
  if (written === undefined) return;
  const { show, take } = state.run.tracer;
  // A name with blanks is a command that something else reads, as in a service of Compose: its calls stay to be named.
  const name = /\s/.test(written) ? show(written) : take(written);
  spend(
    state,
    words.reduce((sum, word) => sum + word.length, 0),
  );
  const program = programOf(name);
  const definition = functions.get(name);
  const builtin = own(BUILTINS, name) ?? own(TEXT_PROGRAMS, program);
  const [action = ''] = args;
  const isTool = TOOLS.test(program) || TOOLS.test(`${program} ${action}`);
  const within = isTool ? undefined : findCommand(args.map(show));
  if (definition !== undefined) callFunction(definition, args, state);
  else if (builtin !== undefined) builtin(args, state);
  else if (program === 'curl') sendAll(curlRequests(args, state), state, line);
  else if (isShell(program)) runShell(args, state, line);
  else if (name === 'source' || name === '.') source(args, state, line);
  else if (name === 'eval') runText(args.join(' '), state, line);
  else if (name === 'trap') nameTrap(args, state, line);
  else if (OTHER_CLIENTS.test(program)) nameCalls(program, args, state, line);
  else if (within !== undefined)
    deeper(state, () =>
      runWords(args.slice(within), state, line, PAST_FUNCTIONS.test(name) ? NO_FUNCTIONS : state.functions),
    );
  else if (/\.(?:sh|bash)$/.test(name)) runFile(name, args, state, line);
  else {
    // What `sed` and `awk` print can be a script.
    if (isTool && !/^g?(?:sed|awk)$/.test(program)) args.forEach(take);
    else if (!isTool) nameUses(program, [...args, ...textsFor(words, state)], state, line);
    const file = INTERPRETERS.test(program)
      ? args.find((arg) => PROGRAM_FILE.test(arg))
      : IN_FOLDER.exec(name)?.[0];
    if (file !== undefined) nameIfMissing(file, state, line);
    if (args.some((arg) => IN_PLACE.test(arg))) changeFiles(program, args, state);
    write(state, unknownOutput(state, name, [...args, state.stdin?.text ?? '']));
    const why = `the result of ${/^[\w./-]{1,40}$/.test(name) ? name : 'a command'}`;
    state.status = { why, of: QUESTIONS.test(program) ? 'test' : 'command' };
  }
  // The program takes the place of the shell.
  if (name === 'exec' && args.length > 0) state.flow = 'exit';
}

function own<T>(table: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

/** What runs a program though a function has its name: `curl() { command curl -s "$@"; }`. */
const PAST_FUNCTIONS = /^(?:command|env|exec|sudo|timeout)$/;
const NO_FUNCTIONS: State['functions'] = new Map();

/** Programs that make HTTP calls, or run others that do, and that are not read. */
const OTHER_CLIENTS = /^(?:curlie|https?|parallel|wget|xargs|xhs?)$/;

/** Programs that run a file: `python3 delete.py`. */
const INTERPRETERS = /^(?:node|perl|php|python|ruby)[\d.]*$/;
const PROGRAM_FILE = /\.(?:[cm]?js|php|pl|py|rb)$/;
/** What a script runs by its path: `./delete`. */
const IN_FOLDER = /^\.{1,2}\/.*/s;

/** The option of `sed`, `perl`, `yq` and others that change files: `-i.bak`, `-pi`. */
const IN_PLACE = /^-(?:[a-zA-Z]{0,3}i|-in-?place)(?:$|[.=])/;

/** What is in the files that a program changes is not known any more. */
function changeFiles(program: string, args: readonly string[], state: State): void {
  for (const arg of args)
    if (!arg.startsWith('-') && !hasUnknown(arg) && readBeside(arg, state) !== undefined)
      writeFile(arg, notRead(state, `a file that ${program} changes`), false, state);
}

/** Programs whose arguments may be paths of v1 or scripts, and that make no calls and run none. */
const TOOLS =
  /^(?:kubectl (?:annotate|label)|mailx?|mutt|sendmail|notify-send|wall|[ef]?grep|rg|g?sed|g?awk|cut|sort|head|tail|wc|diff|logger|git|ls|stat|file|rm|touch|mkdir|ch(?:mod|own)|readlink|realpath|sh(?:ellcheck|fmt)|scp|rsync|tar|zip|\w+sum)$/;

/** Programs that fail where the answer is no: `grep -q prod conf && vc=prod`. */
const QUESTIONS = /^(?:[efz]?grep|rg|diff|cmp|ls|stat|pgrep|getent|id)$/;

/** Calls that are not read are named. */
function nameCalls(program: string, args: readonly string[], state: State, line: number): void {
  const { calls, credentials } = state.run;
  for (const one of credentialsInArguments(args)) credentials.add(one);
  const before = calls.length;
  const unread = nameUses(program, [...args, ...textsFor(args, state)], state, line);
  const runsClient = args.some((arg) => /(?:^|[\s/])curl(?:\s|$)/.test(arg));
  if (calls.length === before && runsClient) calls.push(unread);
  write(state, unknownOutput(state, program, [...args, state.stdin?.text ?? '']));
  state.status = { why: `the result of ${program}`, of: 'command' };
}

/** What a program reads: its input, and files that the script has written. */
function textsFor(args: readonly string[], state: State): readonly string[] {
  const { written } = state.run;
  const files = args.flatMap((arg) => written.get(resolvePath(arg, state)) ?? []);
  return [state.stdin?.text ?? '', ...files];
}

/** Names what a program gets that is the URL of a call, or text with such a URL in it. */
function nameUses(program: string, args: readonly string[], state: State, line: number): UnreadCall {
  const { run, script } = state;
  const name = /^[\w.-]{1,40}$/.test(program) ? program : 'a command';
  const why = `it is made by ${name}, which gwconf does not read`;
  const unread = { file: script.path, line, why, needsRecording: true };
  const { show, take } = run.tracer;
  const words = args.flatMap((arg) => arg.split(/["'`\s(),]+/));
  const paths = words.flatMap((word) => {
    const path = readUrl(show(word))?.path;
    if (path !== undefined) take(word);
    return path ?? [];
  });
  const request = openRequest([program, ...words.map(show)]);
  const open = request && openCall({ ...request, file: script.path, line });
  if (open !== undefined) run.missing.set(`${script.path}:${line}`, open);
  for (const path of paths)
    if (!path.startsWith('/health')) run.calls.push({ ...unread, ...(!hasUnknown(path) && { path }) });
  return unread;
}

/** The image `curlimages/curl:8.5.0` runs curl. */
function programOf(word: string): string {
  return posix.basename(word).replace(/^curl[:@]\S{1,100}$/, 'curl');
}

function isShell(program: string): boolean {
  return /^(?:ba|da|k|z)?sh$/.test(program);
}

/** The place of a client or shell among the arguments: `docker exec x curl …`, `sudo -E sh -c …`, `retry 5 ./call.sh`. */
function findCommand(args: readonly string[]): number | undefined {
  const at = args.findIndex((arg, index) => {
    const program = programOf(arg);
    if (program === 'curl' || program === 'wget' || isShell(program)) return index < args.length - 1;
    return /^(?:\.{0,2}\/)?[\w./-]+\.sh$/.test(arg);
  });
  return at === -1 ? undefined : at;
}

function callFunction({ node, script }: FunctionDefinition, args: readonly string[], state: State): void {
  const { script: caller, hidden: outer, line, loops, doubt, open } = state;
  const before = { args: state.args, script: caller, hidden: outer, line, loops };
  state.run.called.add(node);
  const hidden = new Map<string, State['args'] | string>();
  Object.assign(state, { args, script, hidden, line: script === caller ? line : undefined, loops: 0 });
  state.open = undefined;
  deeper(state, () => state.runCommands(statementsOf(node.body), state));
  restore(state, hidden);
  Object.assign(state, before);
  settleDoubt(state, { doubt, open: undefined }, 'continue', 'break', 'return');
  state.open = open;
  if (state.flow === 'return') state.flow = undefined;
}

/** `sh -c TEXT NAME ARGS…` or `sh FILE ARGS…`. */
function runShell(args: readonly string[], state: State, line: number): void {
  const command = args.findIndex((arg) => /^-[a-z]*c$/.test(arg));
  const end = command === -1 ? args.findIndex((arg) => !arg.startsWith('-')) : command + 1;
  const stopsOnFailure = stopsBy(end === -1 ? args : args.slice(0, end)) ?? false;
  const work = (within: State): void => {
    if (command !== -1) {
      within.args = args.slice(command + 3);
      runText(args[command + 1] ?? '', within, line);
      return;
    }
    if (end !== -1) include(args[end] ?? '', Object.assign(within, { args: args.slice(end + 1) }), line);
    else runText(within.stdin?.text ?? '', within, line);
  };
  runApart(state, work, { stopsOnFailure });
}

/** All of a text is not known, or in a variable that is not set here. */
const ALL_UNKNOWN = /^\s*(?:\uE000\w+\uE001|\uE002\d+\uE003)\s*$/;

function runText(text: string, state: State, line: number): void {
  if (ALL_UNKNOWN.test(text)) nameUnread('a text that is not known', state, line);
  const before = state.line;
  state.line = line;
  runScript({ path: state.script.path, text, lineAt: state.script.lineAt }, state);
  state.line = before;
}

/** Calls that a signal or the end of the script makes are named. */
function nameTrap(args: readonly string[], state: State, line: number): void {
  const why = 'it is made in a trap, which gwconf does not run';
  const doubt = state.doubt ?? { why, needsRecording: true };
  const text = args.find((arg) => arg !== '--') ?? '';
  const within = fork(state, { doubt, out: '', repeats: true });
  runText(/^-/.test(text) ? '' : text, within, line);
  state.run.tracer.take(within.out);
}

/** Runs another script with its arguments, as a program of its own. */
function runFile(name: string, args: readonly string[], state: State, line: number): void {
  runApart(state, (within) => include(name, within, line), { args, flow: undefined, stopsOnFailure: false });
}

/** Runs another script in this one. */
function source(args: readonly string[], state: State, line: number): void {
  const [name = '', ...more] = args;
  const { args: before, doubt, open } = state;
  if (more.length > 0) state.args = more;
  include(name, state, line);
  state.args = before;
  settleDoubt(state, { doubt, open }, 'return');
  if (state.flow === 'return') state.flow = undefined;
}

/** What a script runs, and gwconf cannot read. */
function nameUnread(what: string, { run, script }: State, line: number): void {
  const why = `it runs ${what}: what that calls or sets is not known`;
  run.missing.set(`${script.path}:${line}`, { file: script.path, line, why, needsRecording: true });
}

/** A script of the machine, such as /etc/profile, of Kafka, or that builds a program has nothing to do with the API of a gateway. */
function nameMissing(name: string, state: State, line: number): void {
  if (
    /^[/~]|(?:^|\/)(?:kafka-[\w-]+\.sh|gradlew|mvnw)$/.test(name) ||
    name.startsWith(makePlaceholder('HOME'))
  )
    return;
  const what = hasUnknown(name)
    ? 'a script whose name is not known'
    : `${showPath(name)}, which is not among the files`;
  nameUnread(what, state, line);
}

/** A program of another language is searched for paths of v1 where it is among the files. */
function nameIfMissing(name: string, state: State, line: number): void {
  if (hasUnknown(name) || readBeside(name, state) === undefined) nameMissing(name, state, line);
}

function include(name: string, state: State, line: number): void {
  const found = hasUnknown(name) ? undefined : readBeside(name, state);
  if (found === undefined || hasUnknown(found.text)) {
    state.status = { why: 'a script that is not among the files', of: 'command' };
    nameMissing(name, state, line);
    return;
  }
  const { script, line: before } = state;
  state.line = undefined;
  runScript(scriptOf(found), state);
  Object.assign(state, { script, line: before });
}
