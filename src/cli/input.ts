import {
  catalog,
  GatewayError,
  hasErrors,
  judge,
  load,
  type Checked,
  type Context,
  type DesiredState,
  type Problem,
  type SourceFile,
} from '../index.ts';
import { UsageError, type Io } from './io.ts';
import type { OpenProject } from './project.ts';

export type InputArgs = {
  readonly file?: readonly string[];
  readonly allowEmpty?: boolean;
};

/** What files declare, and those files. */
export type Input = Checked<DesiredState> & { readonly files: readonly SourceFile[] };

/**
 * What `-f` and positional paths declare, or the files of the environment where neither is given. Throws a UsageError
 * when there is nothing to read.
 */
export async function loadInput(
  positional: readonly string[],
  args: InputArgs,
  project: OpenProject,
  io: Io,
): Promise<Input> {
  const named = [...(args.file ?? []), ...positional];
  const paths = named.length > 0 ? named : project.files;
  if (paths.length === 0) {
    if (hasErrors(project.problems)) return { value: new Map(), problems: project.problems, files: [] };
    throw new UsageError(nothingToRead(project));
  }
  const sources = await io.readSources(paths, project.folder);
  const loaded = load(sources.value, catalog, project.variables, contextOf(project));
  io.log.info({ files: sources.value.length, resources: loaded.value.size }, 'loaded');
  const files = sources.value;
  const problems = judge([...project.problems, ...sources.problems, ...loaded.problems], project.lint);
  if (loaded.value.size > 0 || args.allowEmpty === true || hasErrors(problems)) {
    return { value: loaded.value, problems, files };
  }
  return { value: loaded.value, problems: [...problems, emptyInput(paths)], files };
}

function contextOf({ environment }: OpenProject): Context {
  const { version, security } = environment ?? {};
  return { ...(version === undefined ? {} : { version }), ...(security === undefined ? {} : { security }) };
}

function nothingToRead({ folder, environment }: OpenProject): string {
  const named = 'name files or folders, or - for stdin, with -f PATH';
  if (folder === undefined) return `nothing to read: ${named}`;
  const cure =
    environment === undefined
      ? 'choose an environment with --env'
      : `give ${environment.name} files in gwconf.yaml`;
  return `nothing to read: ${named}; or ${cure}`;
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
