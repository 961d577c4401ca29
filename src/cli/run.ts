import { CommanderError } from 'commander';
import { ForgeError } from '../forge/forge.ts';
import { GatewayError } from '../gateway/gateway.ts';
import { codeAfterLoss, EXIT, exitCodeOf, type ExitCode, type Result } from '../outcome/verdict.ts';
import { forOutput, onOneLine } from '../report/escape.ts';
import { RequestError, type RequestCode, hintOf, isSystemError } from '../workflow/system-error.ts';
import { drive } from './driver.ts';
import { ProblemsError, UsageError, type Io } from './io.ts';
import { makeProgram } from './program.ts';

/** Runs one command line, `args` without node and script, and returns its exit code. Every error is caught here. */
export async function run(args: readonly string[], world: Io): Promise<ExitCode> {
  const io = withEscapes(world);
  if (args[0] === '__complete') {
    const { complete } = await import('./complete.ts');
    await complete(args.slice(1), io);
    return EXIT.ok;
  }
  let code: ExitCode = EXIT.ok;
  const messages: string[] = [];
  const words = args.length === 0 ? ['--help'] : withCommand(withTwoDashes(args));
  const program = makeProgram(
    async (line) => {
      code = await drive(line, io, words, run);
    },
    io.out,
    (text) => messages.push(text),
    words[0],
  );
  try {
    await program.parseAsync(words, { from: 'user' });
  } catch (error) {
    const result = await printError(error, messages.join(''), io);
    if (result !== undefined) {
      const { printResult } = await import('./present/finish.ts');
      await printResult(result, io);
      return exitCodeOf(result);
    }
  }
  return checkOutput(code, io);
}

/** The same, where nothing leaves with a known secret, or characters that act on a terminal or a build server. */
function withEscapes(io: Io): Io {
  const last = (text: string): string => forOutput(io.masker.net(text));
  return {
    ...io,
    out: (text) => io.out(last(text)),
    err: (text) => io.err(last(text)),
    ask: (question) => io.ask(last(question)),
  };
}

/** The exit code of a command that has ended, unless output was lost that it has not reported. */
async function checkOutput(code: ExitCode, io: Io): Promise<ExitCode> {
  const out = await io.flush('out');
  const err = await io.flush('err');
  if (out === undefined && err === undefined) return code;
  // Any other code is that of a command which has told its result.
  if (code === EXIT.ok) {
    const { printResult } = await import('./present/finish.ts');
    const unwritten = out === undefined ? [] : [{ to: 'stdout', error: out }];
    await printResult('unwritten', io, { unwritten });
  }
  return codeAfterLoss(code);
}

/** Prints an error and returns the result that it means. `messages` are commander's own, and quote the command line. */
async function printError(error: unknown, messages: string, io: Io): Promise<Result | undefined> {
  if (error instanceof CommanderError && error.exitCode === 0) return undefined;
  if (error instanceof CommanderError) {
    io.err(messages.split('\n').map(onOneLine).join('\n'));
    return 'wrong-usage';
  }
  if (error instanceof ProblemsError) {
    const { locateProblems } = await import('../schema/load/locate.ts');
    const { tellProblems } = await import('./present/finish.ts');
    io.err(tellProblems(locateProblems(error.problems), true, io));
    return error.result;
  }
  const line = (message: string, hint: string | undefined): string =>
    `gwconf: ${onOneLine(message)}${hint === undefined ? '' : `; ${hint}`}\n`;
  if (error instanceof UsageError || error instanceof RequestError) {
    const { code } = error instanceof RequestError ? error : {};
    io.err(line(error.message, code && HINTS[code]));
    return 'wrong-usage';
  }
  const { mask } = io.masker;
  if (error instanceof GatewayError || error instanceof ForgeError) {
    const { message, hint } = error;
    io.err(mask(line(message, hint && onOneLine(hint))));
    return 'error';
  }
  if (isSystemError(error)) {
    io.err(mask(line(error.message, hintOf(error))));
    return 'error';
  }
  io.err(mask((await import('./host/crash.ts')).crashText(error)));
  return 'bug';
}

const HINTS: Readonly<Record<RequestCode, string>> = {
  'no-input': 'name files or folders, or - for stdin, with -f PATH',
  'no-journal': 'leave out --journal none',
  'unreadable-plan':
    'a saved plan is made with gwconf plan --out FILE; files and folders of resources are named with -f',
  'unreadable-snapshot': 'a snapshot is taken with gwconf snapshot --out FILE',
  'unknown-run': 'gwconf journal lists the runs',
};

const WELL_KNOWN = [
  'out',
  'target',
  'exclude',
  'detailed-exitcode',
  'auto-approve',
  'no-color',
  'parallelism',
  'chdir',
];

/**
 * Terraform's single-dash spelling of its well-known flags, as gwconf spells them: `-out=p` is `--out=p`, `-json` is
 * `-o json`. Done before parsing, since `-o` is a flag of its own. What comes after `--` is left alone.
 */
function withTwoDashes(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  const flags = end === -1 ? args : args.slice(0, end);
  const rest = end === -1 ? [] : args.slice(end);
  return [...flags.flatMap(translate), ...rest];
}

/** `--version` alone says no more; with a format, it is the command. */
function withCommand(words: readonly string[]): readonly string[] {
  const [first = '', ...rest] = words;
  return rest.length > 0 && ['--version', '-V'].includes(first) ? ['version', ...rest] : words;
}

function translate(arg: string): readonly string[] {
  if (arg === '-json' || arg === '--json') return ['-o', 'json'];
  if (['--non-zero-exit-code', '--fail-on-changes', '--expect-no-changes'].includes(arg))
    return ['--detailed-exitcode'];
  const name = /^-([a-z-]+)(?:=|$)/.exec(arg)?.[1];
  return name !== undefined && WELL_KNOWN.includes(name) ? [`-${arg}`] : [arg];
}
