import { join } from 'node:path';
import type { Document, SecretVariable } from '../../declare/declared.ts';
import type { Layout } from '../../declare/declared.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import type { LiveState } from '../../model/state.ts';
import type { Host } from '../host.ts';
import type { LiveSource } from '../live/live-source.ts';
import { readConsistently } from '../live/read-consistently.ts';
import { gatewayProblem } from '../live/read-live.ts';
import { readTemplates } from '../live/snapshot.ts';
import type { Wanted } from '../live/wanted.ts';
import type { Workspace } from '../project/workspace.ts';
import { draftFiles, schemaFinder } from './draft-files.ts';
import { findUnmatched } from './export-problems.ts';
import { makeBeside, refuseToOverwrite, writeAll, type NewFolder } from './new-folder.ts';

export type ExportOptions = NewFolder & {
  /** Files that tell which fields hold secrets because variables fill them; default: those of the project. */
  readonly paths?: readonly string[];
  readonly layout?: Layout | undefined;
  readonly userMappings?: boolean | undefined;
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
  workspace: Workspace,
  source: LiveSource,
  wanted: Wanted,
  options: ExportOptions,
): Promise<Exported> {
  await refuseToOverwrite(host, options, 'export');
  const nothing = {
    documents: [],
    variables: [],
    written: [],
    files: 0,
    unavailable: new Map<string, string>(),
  };
  const { value: desired, problems: faults } = await readTemplates(host, workspace, options.paths ?? []);
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
  const drafted = draftFiles(live, workspace, {
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
  const beside = makeBeside(source.url, found, live, wanted.globs, options);
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
