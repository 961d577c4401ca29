import { join } from 'node:path';
import {
  type Document,
  type Layout,
  type SecretVariable,
  safeName,
  placeholdersIn,
  withVariables,
} from '../../declare/declared.ts';
import type { EmbeddedGateway } from '../../emulator/memory.ts';
import { addAll, present } from '../../model/collect.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { makeMigrateReport, type MigrateReport } from '../../outcome/migrate.ts';
import type { Told } from '../../outcome/outcome.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { locateProblems } from '../../schema/load/locate.ts';
import { draftFiles } from '../../workflow/files/draft-files.ts';
import { findSchema } from '../../workflow/files/find-schema.ts';
import {
  makeBeside,
  refuseToOverwrite,
  writeNewFiles,
  type NewFolder,
} from '../../workflow/files/new-folder.ts';
import type { FolderFile, Host } from '../../workflow/host.ts';
import type { NotOpened } from '../../workflow/live/read-live.ts';
import type { Workspace } from '../../workflow/project/workspace.ts';
import { RequestError } from '../../workflow/system-error.ts';
import { TOOL } from '../../workflow/tool.ts';
import type { Call, UnreadCall } from '../read/request.ts';
import type { Translated, TranslatedCall, TranslatedGateway } from '../translate/ledger.ts';
import type { SecretsFile } from '../../workflow/write-file.ts';
import { translate } from '../translate/translate.ts';
import { readScripts } from './read-scripts.ts';
import { TRIAL, tryFiles } from './try-files.ts';

export type MigrateOptions = NewFolder & {
  readonly layout?: Layout | undefined;
  /** Only calls of these gateways; default: of all. */
  readonly gateways?: readonly string[] | undefined;
  /** For calls of files: hides their credentials. */
  readonly mask?: (text: string) => string;
  /** What else must hold of a gateway that has taken the files. */
  readonly prove?: (translated: TranslatedGateway, trial: EmbeddedGateway) => Promise<readonly Problem[]>;
  readonly tell?: (doing: string) => void;
};

type MigratedGateway = {
  readonly gateway: string;
  /** The folder of its files. */
  readonly folder: string;
  readonly documents: readonly Document[];
  readonly files: number;
};

export type Migrated = {
  /** With an error, nothing was written; so it is without gateways, where no call left anything to declare. */
  readonly result: 'ok' | 'error';
  readonly calls: readonly TranslatedCall[];
  readonly gateways: readonly MigratedGateway[];
  readonly secrets: readonly SecretVariable[];
  /** Variables of scripts that the files use. */
  readonly open: readonly string[];
  /** How many clients were compared on a gateway that was read. */
  readonly clients?: number;
  readonly problems: readonly Problem[];
};

/** What came of a migration, with what there is to say beside it. */
export type ToldMigration = Told<MigrateReport> & { readonly migrated?: Migrated };

/** Makes the outcome of a migration, or of a failure before there was one. */
export function tellMigration(
  migrated: Migrated | NotOpened,
  others: readonly Problem[] = [],
): ToldMigration {
  const made = 'calls' in migrated ? migrated : undefined;
  const { calls, gateways, secrets, open } = made ?? NOTHING;
  const isWhole = calls.every(({ outcome }) => outcome !== 'cannot');
  const result = migrated.result === 'ok' && !isWhole ? 'not-converted' : migrated.result;
  const variables = [
    ...secrets.map(({ name }) => ({ name, secret: true })),
    ...open.map((name) => ({ name, secret: false })),
  ];
  const written = gateways.map(({ documents, ...one }) => ({ ...one, objects: documents.length }));
  const problems = locateProblems([...others, ...migrated.problems]);
  const outcome = makeMigrateReport({ result, calls, gateways: written, variables }, problems);
  return { outcome, problems, ...present({ migrated: made }) };
}

export const NOTHING = { calls: [], gateways: [], secrets: [], open: [], problems: [] };

/** Reads the calls that files make, and writes files that declare what these leave. */
export async function migrateFiles(
  host: Host,
  workspace: Workspace,
  paths: readonly string[],
  options: Omit<MigrateOptions, 'mask'>,
): Promise<ToldMigration> {
  const { calls, problems, skipped, mask } = readScripts(host, workspace, paths);
  if (hasErrors(problems)) return tellMigration({ result: 'error', problems });
  const unread = paths.filter((path) => skipped.includes(path)).map(unreadable);
  return tellMigration(await migrateCalls(host, workspace, calls, { ...options, mask }), [
    ...problems,
    ...unread,
  ]);
}

function unreadable(path: string): Problem {
  return {
    code: 'no-resources',
    severity: 'warning',
    message: `${path} is of no kind of file that gwconf reads calls from`,
    hint: 'name shell scripts, Postman collections, .http files, workflows or recorded calls',
  };
}

/**
 * Writes files that declare what calls leave on their gateways, once an embedded gateway without v1 has taken them; else
 * nothing. Throws a RequestError if something is in the way of the files.
 */
export async function migrateCalls(
  host: Host,
  workspace: Workspace,
  calls: readonly (Call | UnreadCall)[],
  options: MigrateOptions,
): Promise<Migrated> {
  const kept = await refuseToOverwrite(host, options, 'migrate');
  const { out, tell = () => undefined } = options;
  const wanted = callsOf(calls, options.gateways);
  tell('translating');
  const { mask } = options;
  const translated = translate(wanted, { catalog, context: { version: TRIAL }, mask });
  if (options.project !== undefined && translated.gateways.length > 1)
    throw new RequestError(
      `--project is for one gateway, and the calls are for ${listNames(translated.gateways)}: choose one with --gateway`,
    );
  const { calls: told } = translated;
  if (translated.gateways.length === 0) return { ...NOTHING, calls: told, result: 'ok' };
  const { files, ...drafted } = await draftAll(host, workspace, translated, options, kept);
  const found = { ...drafted, calls: told };
  const { gateways, secrets, problems } = found;
  if (hasErrors(problems)) return { ...found, result: 'error' };
  tell('writing files');
  const [first] = translated.gateways;
  const documents = gateways.flatMap((one) => one.documents);
  const live = { resources: first?.state.resources ?? new Map() };
  const project = makeBeside(
    catalog,
    urlOf(first?.gateway ?? '', options),
    documents,
    live,
    // Other teams have objects of the same kinds there.
    documents.map(({ address }) => address).sort(),
    options,
  );
  const beside = [...findSchema(host, workspace.catalog, out).files, ...project];
  const faults = await writeNewFiles(host, { out, files, beside, secrets: kept, variables: secrets });
  const result = hasErrors(faults) ? 'error' : 'ok';
  return { ...found, result, problems: [...problems, ...faults] };
}

/** The calls of the wanted gateways. Throws a RequestError for one that no call is for. */
function callsOf(
  calls: readonly (Call | UnreadCall)[],
  wanted: readonly string[] | undefined,
): readonly (Call | UnreadCall)[] {
  if (wanted === undefined || wanted.length === 0) return calls;
  const there = new Set(calls.flatMap((call) => ('gateway' in call ? withVariables(call.gateway) : [])));
  const missing = wanted.find((gateway) => !there.has(gateway));
  if (missing !== undefined)
    throw new RequestError(
      `no call is for ${missing}; there are calls for ${[...there].slice(0, 20).join(', ')}`,
    );
  return calls.filter((call) => 'gateway' in call && wanted.includes(withVariables(call.gateway)));
}

function listNames(gateways: readonly TranslatedGateway[]): string {
  const names = gateways.map(({ gateway }) => withVariables(gateway));
  return names.slice(0, 20).join(', ');
}

/** The URL for a project file. Throws a RequestError if the calls do not tell it. */
function urlOf(gateway: string, { project }: MigrateOptions): string {
  if (project === undefined || /^https?:\/\/[^\uE000\uE001]+$/.test(gateway)) return gateway;
  throw new RequestError(
    `--project needs the URL of the gateway, and the calls are for ${withVariables(gateway)}: leave it out, and run gwconf init`,
  );
}

/** The files of all gateways, each tried on an embedded one. */
async function draftAll(
  host: Host,
  workspace: Workspace,
  { gateways }: Pick<Translated, 'gateways'>,
  { out, layout, secretNames, prove, tell }: MigrateOptions,
  secretsFile: SecretsFile | undefined,
): Promise<Omit<Migrated, 'result' | 'calls'> & { readonly files: readonly FolderFile[] }> {
  const made = { gateways: [] as MigratedGateway[], files: [] as FolderFile[], problems: [] as Problem[] };
  const secrets: SecretVariable[] = [];
  const open = new Set<string>();
  const folders = nameFolders(gateways);
  const { schemaFor } = findSchema(host, workspace.catalog, out);
  for (const translated of gateways) {
    const { gateway, state } = translated;
    const folder = folders.get(gateway) ?? '';
    const written = [...state.resources.values()].map((one) => JSON.stringify(one));
    const names = [...new Set(written.flatMap(placeholdersIn))];
    const drafted = draftFiles(state, workspace, {
      url: withVariables(gateway),
      schemaFor: (path) => schemaFor(join(folder, path)),
      layout,
      secretNames,
      secrets: secretsFile,
      origin: `Migrated from calls to ${withVariables(gateway)} by ${TOOL}`,
      open: { names, taken: new Set(secrets.map(({ name }) => name)) },
      again: 'leave out the calls that make it, and declare it by hand',
      tell,
    });
    const { documents, variables, files } = drafted;
    addAll(made.problems, drafted.problems);
    if (!hasErrors(drafted.problems)) {
      const trial = await tryFiles(files, variables, names);
      const proof = trial.gateway && (await prove?.(translated, trial.gateway));
      addAll(made.problems, [...trial.problems, ...(proof ?? [])]);
    }
    for (const { path, text } of files) made.files.push({ path: join(folder, path), text });
    made.gateways.push({
      gateway: withVariables(gateway),
      folder: join(out, folder),
      documents,
      files: files.length,
    });
    for (const name of names) open.add(name);
    addAll(secrets, variables);
  }
  return { ...made, secrets, open: [...open].sort() };
}

/** A folder for each gateway, unless there is only one. */
function nameFolders(gateways: readonly TranslatedGateway[]): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  const used = new Set<string>();
  if (gateways.length < 2) return folders;
  for (const { gateway } of gateways) {
    const readable = safeName(
      withVariables(gateway)
        .replace(/^https?:\/\//, '')
        .replace(/[^\w.-]+/g, '-'),
    );
    const folder = used.has(readable) ? safeName(gateway) : readable;
    used.add(folder);
    folders.set(gateway, folder);
  }
  return folders;
}
