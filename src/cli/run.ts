import { CommanderError } from 'commander';
import { GatewayError } from '../gateway/gateway.ts';
import { onOneLine } from '../report/escape.ts';
import { isOfSystem } from './host/files.ts';
import { EXIT, ProblemsError, UsageError, VERDICTS, type ExitCode, type Io } from './io.ts';
import { makeProgram } from './program.ts';
import { withTwoDashes } from './terraform-habits.ts';

/** Runs one command line, `args` without node and script, and gives its exit code. The one place that catches all. */
export async function run(args: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = makeProgram(io, (ended) => {
    code = ended;
  });
  const said: string[] = [];
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeOut: io.out, writeErr: (text) => said.push(text) });
  }
  try {
    await program.parseAsync(withTwoDashes(args), { from: 'user' });
    return code;
  } catch (error) {
    const exit = await explain(error, said.join(''), io);
    if (exit === EXIT.ok) return exit;
    const { conclude } = await import('./present/output.ts');
    await conclude(VERDICTS[exit], io).catch(() => undefined); // what could not be written may have been just this
    return exit;
  }
}

/** `said` is what commander has to say of it, with words of the command line in it. */
async function explain(
  error: unknown,
  said: string,
  io: Io,
): Promise<typeof EXIT.ok | keyof typeof VERDICTS> {
  if (error instanceof CommanderError && error.exitCode === 0) return EXIT.ok;
  if (error instanceof CommanderError) {
    io.err(said.split('\n').map(onOneLine).join('\n'));
    return EXIT.usage;
  }
  if (error instanceof ProblemsError) {
    const { locateProblems } = await import('../schema/load/locate.ts');
    const { renderProblems } = await import('../report/text/problems-text.ts');
    io.err(renderProblems(locateProblems(error.problems), io.errPaint));
    return error.exit;
  }
  if (error instanceof UsageError) {
    io.err(`gwconf: ${onOneLine(error.message)}\n`);
    return EXIT.usage;
  }
  const { mask } = io.masker;
  if (error instanceof GatewayError) {
    const hint = error.hint === undefined ? '' : `; ${onOneLine(error.hint)}`;
    io.err(mask(`gwconf: ${onOneLine(error.message)}${hint}\n`));
    return EXIT.failed;
  }
  if (isOfSystem(error)) {
    io.err(mask(`gwconf: ${onOneLine(error.message)}\n`));
    return EXIT.failed;
  }
  io.err(mask((await import('./host/crash.ts')).crashText(error)));
  return EXIT.bug;
}
