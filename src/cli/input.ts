import { catalog, GatewayError, load, type Checked, type DesiredState, type Problem } from '../index.ts';
import { UsageError, type Io } from './io.ts';

export type InputArgs = {
  readonly file?: readonly string[];
  readonly allowEmpty?: boolean;
};

/** What `-f` and positional paths declare. Throws a UsageError when there is neither. */
export async function loadInput(
  positional: readonly string[],
  args: InputArgs,
  io: Io,
): Promise<Checked<DesiredState>> {
  const paths = [...(args.file ?? []), ...positional];
  if (paths.length === 0)
    throw new UsageError('nothing to read: name files or folders, or - for stdin, with -f PATH');
  const sources = await io.readSources(paths);
  const loaded = load(sources.value, catalog, io.env);
  io.log.info({ files: sources.value.length, resources: loaded.value.size }, 'loaded');
  const problems = [...sources.problems, ...loaded.problems];
  if (
    loaded.value.size > 0 ||
    args.allowEmpty === true ||
    problems.some(({ severity }) => severity === 'error')
  ) {
    return { value: loaded.value, problems };
  }
  return { value: loaded.value, problems: [...problems, emptyInput(paths)] };
}

function emptyInput(paths: readonly string[]): Problem {
  return {
    code: 'no-resources',
    severity: 'error',
    message: `no resource is declared in ${paths.join(', ')}`,
    hint: 'check the path; or say that it is meant with --allow-empty',
  };
}

/** What the world refused, as a problem like the others; anything else is thrown on. */
export function problemOf(error: unknown): Problem {
  if (!(error instanceof GatewayError)) throw error;
  const reached = error.status !== undefined || error.code === 'not-understood';
  return {
    code: reached ? 'gateway-error' : 'connection-error',
    severity: 'error',
    message: error.message,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  };
}
