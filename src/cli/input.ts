import { normalize } from 'node:path';
import { GatewayError } from '../gateway/gateway.ts';
import type { Context } from '../model/kind.ts';
import { hasErrors, type Problem, type SourceFile } from '../model/problem.ts';
import { judge } from '../model/severity.ts';
import { secretTexts } from '../plan/secrets/hide-secrets.ts';
import { catalog } from '../schema/kinds/index.ts';
import { load, type Loaded } from '../schema/load/load.ts';
import type { Variables } from '../schema/yaml/interpolate.ts';
import { UsageError, type Io } from './io.ts';
import type { OpenProject } from './project.ts';

export type InputArgs = {
  readonly file?: readonly string[];
  readonly allowEmpty?: boolean;
  /** Whether what is missing would be deleted. */
  readonly prune?: boolean;
};

/** What files ask for, and those files. */
export type Input = Loaded & { readonly files: readonly SourceFile[] };

/** What the placeholders of files may use. */
type VariablesFor = (files: readonly SourceFile[]) => Variables | Promise<Variables>;

/**
 * What `-f` and positional paths declare, or the files of the environment where neither is given. Throws a UsageError
 * when there is nothing to read. Without `variablesFor` no `${file:…}` is read and no `${exec:…}` run.
 */
export async function loadInput(
  positional: readonly string[],
  args: InputArgs,
  project: OpenProject,
  io: Io,
  variablesFor: VariablesFor = () => project.variables,
): Promise<Input> {
  const named = [...(args.file ?? []), ...positional];
  const paths = named.length > 0 ? named : project.files;
  if (paths.length === 0) {
    if (hasErrors(project.problems)) {
      const nothing = {
        value: new Map(),
        declared: new Map(),
        removals: [],
        declaring: new Set<SourceFile>(),
        files: [],
      };
      return { ...nothing, problems: project.problems };
    }
    throw new UsageError(nothingToRead(project));
  }
  const sources = await io.readSources(paths, project.folder);
  const variables = await variablesFor(sources.value);
  const loaded = load(sources.value, catalog, variables, contextOf(project));
  io.masker.learn(() => secretTexts(loaded.declared.values(), catalog.kinds));
  io.log.info({ files: sources.value.length, resources: loaded.declared.size }, 'loaded');
  const files = sources.value;
  const problems = judge([...project.problems, ...sources.problems, ...loaded.problems], project.lint);
  if (args.allowEmpty === true || hasErrors(problems)) return { ...loaded, files, problems };
  const empty = paths.filter((path, layer) => !declares(path, layer, loaded.declaring));
  const isBare = loaded.declared.size === 0 && (loaded.removals.length === 0 || args.prune === true);
  const faults = empty.length > 0 ? empty : isBare ? [paths.join(', ')] : [];
  return { ...loaded, files, problems: [...problems, ...faults.map((path) => emptyInput(path, args))] };
}

/** Whether a path gave anything; what two paths name is read as the first of them. */
function declares(path: string, layer: number, declaring: Loaded['declaring']): boolean {
  const inside = normalize(`${path}/`);
  return [...declaring].some(
    (file) =>
      (file.layer ?? 0) === layer ||
      normalize(path) === normalize(file.path) ||
      inside === './' ||
      normalize(file.path).startsWith(inside),
  );
}

/** The day it is, in UTC: ISO 8601. */
export function todayOf(io: Io): string {
  return io.now().toISOString().slice(0, 10);
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

function emptyInput(paths: string, { prune }: InputArgs): Problem {
  const hint = 'check the path; or say that it is meant with --allow-empty';
  const message = `no resource is declared in ${paths}`;
  return prune === true
    ? {
        code: 'empty-prune',
        severity: 'error',
        message: `${message}, so prune would delete what it held`,
        hint,
      }
    : { code: 'no-resources', severity: 'error', message, hint };
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
