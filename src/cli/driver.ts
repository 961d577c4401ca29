import { join } from 'node:path';
import { EXIT, type ExitCode } from '../outcome/verdict.ts';
import type { RunLine } from './given.ts';
import type { Io } from './io.ts';
import { FLEET_FILE, perform } from './perform.ts';
import type { Ending } from './present/finish.ts';
import { typedLine } from './present/command-line.ts';
import { parseOutput, type Output } from './present/parse-output.ts';
import type { Line } from './program.ts';
import { entryOf } from './table/commands.ts';

/** Runs a command, for one environment or for several, and ends it as it says. */
export async function drive(
  line: Line,
  io: Io,
  words: readonly string[],
  runLine: RunLine,
): Promise<ExitCode> {
  const { name, args } = line;
  const { formats, takesSeveral = false } = entryOf(name);
  const output: Output =
    formats === undefined
      ? { stdout: 'human', files: [] }
      : { ...parseOutput(name, formats, args, io), command: typedLine(words) };
  const print = async (ending: Ending): Promise<ExitCode> => {
    const { finish } = await import('./present/finish.ts');
    return finish(ending, io, output, args['detailedExitcode'] === true);
  };
  const stage = { io, output, print, runLine };
  const ending = await (takesSeveral && mayBeSeveral(line, io) ? performEach : perform)(line, stage);
  return ending === undefined ? EXIT.ok : print(ending);
}

/** Whether a command line may be about several environments: by a list or a glob, or by what was done for several before. */
function mayBeSeveral({ name, operand, args }: Line, io: Io): boolean {
  const wanted = args['env'] ?? io.env('GWCONF_ENV') ?? '';
  if (typeof wanted === 'string' && /[,*]|^!/.test(wanted)) return true;
  if (name !== 'apply') return false;
  return (
    args['resume'] !== undefined || (typeof operand === 'string' && io.exists(join(operand, FLEET_FILE)))
  );
}

/** Loaded on demand: most command lines are about one. */
const performEach: typeof perform = async (...args) =>
  (await import('./fleet/fleet.ts')).performEach(...args);
