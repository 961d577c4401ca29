import { dirname, join, relative } from 'node:path';
import type { Document, SecretVariable } from '../../declare/declared.ts';
import type { Layout } from '../../declare/layouts.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import type { LiveState } from '../../model/state.ts';
import type { Host } from '../host.ts';
import type { LiveSource } from '../live/live-source.ts';
import { readConsistently } from '../live/read-consistently.ts';
import { gatewayProblem } from '../live/read-live.ts';
import { readTemplates } from '../live/snapshot.ts';
import type { Wanted } from '../live/wanted.ts';
import { PROJECT_FILE } from '../project/find-project.ts';
import type { OpenProject } from '../project/project.ts';
import { RequestError } from '../request-error.ts';
import { hintOf, isSystemError, reasonOf } from '../system-error.ts';
import { draftFiles, schemaFinder, type DraftedFile } from './draft-files.ts';
import { findUnmatched } from './export-problems.ts';
import { findExternal, manageExported, printProject, urlFrom } from './project-file.ts';
import { checkSecretsFile, printSecretsFile } from './secrets-file.ts';

export type ExportOptions = {
  /** The folder to make. */
  readonly out: string;
  /** Files that tell which fields hold secrets because variables fill them; default: those of the project. */
  readonly paths?: readonly string[];
  readonly layout?: Layout | undefined;
  readonly userMappings?: boolean | undefined;
  /** The environment of a gwconf.yaml beside the folder, and the user of its gateway; absent: none is made. */
  readonly project?: { readonly name: string; readonly user: string | undefined } | undefined;
  /** The file that gets the values of secrets. */
  readonly secretsEnv?: string | undefined;
  readonly tell?: (doing: string) => void;
};

export type Exported = {
  /** `nothing`: there is no object to export. With an error, nothing was written. */
  readonly result: 'ok' | 'nothing' | 'error';
  readonly documents: readonly Document[];
  readonly variables: readonly SecretVariable[];
  /** The files that were written, by path. */
  readonly written: readonly string[];
  /** How many of them declare objects. */
  readonly files: number;
  /** Kinds that the gateway does not serve, with its message. */
  readonly unavailable: ReadonlyMap<string, string>;
  readonly problems: readonly Problem[];
};

/**
 * Writes files that declare what is live, once a plan of them against it is empty; else nothing. Throws a RequestError, before
 * anything is read, if something is in the way of the files.
 */
export async function exportLive(
  host: Host,
  project: OpenProject,
  source: LiveSource,
  wanted: Wanted,
  options: ExportOptions,
): Promise<Exported> {
  await refuseToOverwrite(host, options);
  const nothing = {
    documents: [],
    variables: [],
    written: [],
    files: 0,
    unavailable: new Map<string, string>(),
  };
  const { value: desired, problems: faults } = await readTemplates(host, project, options.paths ?? []);
  if (hasErrors(faults)) return { ...nothing, result: 'error', problems: [...faults, UNKNOWN_SECRETS] };
  let read: Awaited<ReturnType<typeof readState>>;
  try {
    options.tell?.('reading');
    read = await readState(source);
  } catch (error) {
    return { ...nothing, result: 'error', problems: [gatewayProblem(error)] };
  }
  const { live, sealed } = read;
  const { out, layout, userMappings, tell } = options;
  const drafted = draftFiles(live, project, {
    url: source.url,
    schemaFor: schemaFinder(host, out),
    layout,
    userMappings,
    desired,
    isSelected: (address) => wanted.match(address).isWanted,
    isSealed: sealed === undefined ? undefined : (text) => sealed.has(text),
    tell,
  });
  const { documents, variables, files } = drafted;
  const problems = [...drafted.problems, ...findUnmatched(documents, live, wanted)];
  const found = { ...nothing, documents, variables, unavailable: live.unavailable, problems };
  if (hasErrors(problems)) return { ...found, result: 'error' };
  if (documents.length === 0) return { ...found, result: 'nothing' };
  tell?.('writing files');
  const beside = makeBeside(source.url, found, live, wanted, options);
  const unwritten = await writeAll(host, out, files, beside);
  if (unwritten !== undefined) return { ...found, result: 'error', problems: [...problems, unwritten] };
  const written = [...files.map(({ path }) => join(out, path)), ...beside.map(({ path }) => path)];
  const warnings = beside.flatMap((one) => one.warnings);
  return { ...found, result: 'ok', written, files: files.length, problems: [...problems, ...warnings] };
}

const UNKNOWN_SECRETS: Problem = {
  code: 'cannot-tell',
  severity: 'error',
  message: 'the files have errors, so it is unknown which fields hold secrets of variables',
  hint: 'correct the files, which gwconf validate checks',
};

async function readState({
  read,
  readSealed,
}: LiveSource): Promise<{ readonly live: LiveState; readonly sealed?: ReadonlySet<string> }> {
  if (readSealed !== undefined) return readSealed();
  return { live: await readConsistently(() => read(new Map())) };
}

/** Everything that is in the way is found before the gateway is read. */
async function refuseToOverwrite(host: Host, { out, project, secretsEnv }: ExportOptions): Promise<void> {
  if ((await host.namesIn(out)).length > 0)
    throw new RequestError(
      `${out} is not empty, and export overwrites nothing: name a new folder with --out`,
    );
  const path = projectPath(out);
  if (project !== undefined && host.exists(path))
    throw new RequestError(
      `${path} already exists: leave out --project, and add ${out} to the files of an environment`,
    );
  if (secretsEnv === undefined) return;
  if (!relative(out, secretsEnv).startsWith('..'))
    throw new RequestError(
      `${secretsEnv} must not be in ${out}, whose files are for git: name another place`,
    );
  await checkSecretsFile(host, secretsEnv);
}

function projectPath(out: string): string {
  return join(dirname(out), PROJECT_FILE);
}

/** A file beside the folder. */
type Beside = {
  readonly path: string;
  readonly text: string;
  readonly isSecret: boolean;
  readonly warnings: readonly Problem[];
};

function makeBeside(
  url: string,
  { documents, variables }: Pick<Exported, 'documents' | 'variables'>,
  live: LiveState,
  { globs }: Wanted,
  { out, project, secretsEnv }: ExportOptions,
): readonly Beside[] {
  const made: Beside[] = [];
  if (secretsEnv !== undefined) {
    made.push({ path: secretsEnv, isSecret: true, ...printSecretsFile(variables) });
  }
  if (project !== undefined) {
    const manages = globs.length > 0 ? globs : manageExported(documents.map(({ address }) => address));
    const files = [relative(dirname(out), out) || '.'];
    const path = projectPath(out);
    const external = findExternal(documents, live);
    const text = printProject({ ...project, url: urlFrom(dirname(path), url), files, manages, external });
    made.push({ path, text, isSecret: false, warnings: [] });
  }
  return made;
}

/** Writes all or nothing: the folder last, because it appears as a whole. */
async function writeAll(
  host: Host,
  out: string,
  files: readonly DraftedFile[],
  beside: readonly Beside[],
): Promise<Problem | undefined> {
  const made: string[] = [];
  let path = out;
  try {
    for (const { path: one, text, isSecret } of beside) {
      path = one;
      if (!isSecret) await host.writeFile(path, text, { isShared: true });
      else if (!(await host.createFile(path, text))) return unwritten(path, 'a file is there');
      made.push(path);
    }
    path = out;
    await host.createFolder(out, files);
    return undefined;
  } catch (error) {
    for (const one of made) await host.removeFile(one);
    if (!isSystemError(error)) throw error;
    return unwritten(path, reasonOf(error), hintOf(error));
  }
}

function unwritten(
  path: string,
  reason: string,
  hint = 'check the path, its permissions, and the space on the disk',
): Problem {
  return {
    code: 'unwritable-file',
    severity: 'error',
    message: `${path} cannot be written, and nothing was: ${reason}`,
    hint,
  };
}
