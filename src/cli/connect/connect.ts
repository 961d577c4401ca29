import type { Connection } from '../../gateway/connection.ts';
import {
  type Examinable,
  type ReadingOperations,
  readOnly,
  type ReadableGateway,
} from '../../gateway/gateway.ts';
import { addAll, present } from '../../model/collect.ts';
import { hasErrors, type Problem, applyLint } from '../../model/problem.ts';
import { isLoopback, parseUrl } from '../../model/text/url.ts';
import { onOneLine } from '../../report/escape.ts';
import { loadV1Operations } from '../../v1/door.ts';
import type { OpenGateway } from '../../workflow/live/around-calls.ts';
import { openGateway } from '../../workflow/live/connection.ts';
import { isEmbedded, resolveEmbedded } from '../../workflow/live/embedded.ts';
import { type Opened, type NotOpened, gatewayProblem } from '../../workflow/live/read-live.ts';
import { type Workspace, leaveSecretsOpen } from '../../workflow/project/workspace.ts';
import { ProblemsError, UsageError, type Io } from '../io.ts';
import { flagOf } from '../table/flag.ts';
import type { ConnectionArgs } from '../table/flags.ts';
import { checkDefaultCredentials, checkHostAllowed, checkPlainHttp } from './credentials.ts';
import { millisecondsOf } from './read-flags.ts';
import { isTrue, readSettings, refuseConnection, type Settings, unreadableSetting } from './settings.ts';
import {
  gatewaySource,
  snapshotSource,
  type LiveSource,
  openSnapshot,
} from '../../workflow/live/live-source.ts';

export type Connected<G = OpenGateway> = { readonly gateway: G; readonly warnings: readonly Problem[] };

/**
 * The gateway that flags, GWCONF_* or CDK_* variables or the project file name, in this order; nothing is asked of it
 * yet. Throws a UsageError when none does, and a ProblemsError for one that must not be called.
 */
async function connect(args: ConnectionArgs, io: Io, workspace: Workspace): Promise<Connected> {
  if (hasErrors(workspace.problems)) throw new ProblemsError(workspace.problems);
  const settings = await readSettings(args, io, workspace.gateway);
  const url = settings.url.value;
  refuseInvalid(settings.url.problem);
  if (url === undefined || url === '') throw noGateway(workspace);
  const notAllowed = checkHostAllowed(settings, io);
  if (notAllowed !== undefined) throw new ProblemsError([notAllowed]);
  if (isEmbedded(url)) {
    const { gateway: connection } = workspace;
    const isOfProject = settings.url.origin === 'gwconf.yaml' && connection !== undefined;
    const resolved = isOfProject ? resolveEmbedded(url, connection.folder) : url;
    const stateRoot = isOfProject ? connection.root : undefined;
    const gateway = await openGateway(io, workspace, { url: resolved, stateRoot, loadV1: loadV1Operations });
    return { gateway: { ...gateway, url }, warnings: [] };
  }
  refuseInvalid(...Object.values(settings).map(({ problem }) => problem));
  const headers = await readHeaders(args.header ?? [], io);
  const plainHttp = checkPlainHttp(settings, headers, io);
  if (plainHttp?.severity === 'error') throw new ProblemsError([plainHttp]);
  const found = [plainHttp, checkDefaultCredentials(settings)].filter((problem) => problem !== undefined);
  const warnings = applyLint(found, workspace.project.lint);
  if (hasErrors(warnings)) throw new ProblemsError(warnings);
  const connection = connectionOf(url, settings, headers, io);
  const gateway = await openGateway(io, workspace, {
    ...connection,
    onFirstRetry: (why) => io.err(`${onOneLine(why)}: reading again, with fewer calls at once.\n`),
  });
  return { gateway, warnings };
}

function noGateway({ project: { filesByEnvironment, folder }, environment }: Workspace): UsageError {
  const inProject =
    environment === undefined && filesByEnvironment.size > 0
      ? `choose an environment of gwconf.yaml with --env: ${[...filesByEnvironment.keys()].join(', ')}`
      : folder === undefined
        ? 'make a project with gwconf init'
        : 'write gateway.url for an environment in gwconf.yaml';
  return new UsageError(
    `no gateway URL: use --url URL, or set GWCONF_URL, or ${inProject}; for practice, use --url embedded:state.json`,
  );
}

/** A file that is missing is invalid usage; any other fault of a setting is one of the project file. */
function refuseInvalid(...found: readonly (Problem | undefined)[]): void {
  const problems = found.filter((problem) => problem !== undefined);
  const missing = problems.find(({ code }) => code === 'unreadable-file');
  if (missing !== undefined) throw new UsageError(missing.message);
  if (problems.length > 0) throw new ProblemsError(problems);
}

function connectionOf(
  url: string,
  settings: Settings,
  headers: Readonly<Record<string, string>>,
  io: Io,
): Omit<Connection, 'userAgent'> {
  const secure = url.toLowerCase().startsWith('https:');
  const insecure = isTrue(settings.insecure.value);
  if (insecure && secure) io.err('warning: the certificate of the gateway is not verified\n');
  const { origin } = settings.url;
  return {
    url,
    urlName:
      origin === flagOf('url') ? undefined : origin === 'gwconf.yaml' ? 'gateway.url of gwconf.yaml' : origin,
    user: settings.user.value,
    password: settings.password.value,
    origins: originsOf(settings),
    ca: settings.ca.value,
    cert: settings.cert.value,
    key: settings.key.value,
    insecure,
    proxy: settings.proxy.value ?? proxyFor(url, io),
    noProxy: io.env('NO_PROXY') ?? io.env('no_proxy'),
    headers,
    timeoutMs: millisecondsOf(settings.timeout.value, settings.timeout.origin),
  };
}

/** Of a login that is not in the URL. */
function originsOf({ user, password, url }: Settings): Connection['origins'] {
  if (password.value === undefined) return undefined;
  return { user: user.value === undefined ? url.origin : user.origin, password: password.origin };
}

/** As elsewhere, these variables are not for this machine: in plain http the proxy would get the password. */
export function proxyFor(url: string, io: Io): string | undefined {
  const { protocol, hostname } = parseUrl(url) ?? {};
  if (isLoopback(hostname ?? '')) return undefined;
  const names = protocol === 'https:' ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  return names.map(io.env).find((value) => value !== undefined && value !== '');
}

export async function tryConnect(
  args: ConnectionArgs,
  io: Io,
  workspace: Workspace,
): Promise<Opened<OpenGateway>> {
  try {
    return await connect(args, io, workspace);
  } catch (error) {
    if (error instanceof ProblemsError) return error;
    return { problems: [gatewayProblem(error)], result: 'error' };
  }
}

/** The gateway for commands that only read. */
export async function tryConnectToRead(
  args: ConnectionArgs,
  io: Io,
  workspace: Workspace,
): Promise<Opened<ReadableGateway & ReadingOperations & Examinable>> {
  const tried = await tryConnect(args, io, workspace);
  if ('problems' in tried) return tried;
  const { resolveInterceptors, readHealth, readVersion, readConnection, readV1, examine } = tried.gateway;
  const { readDescription } = tried.gateway;
  const operations = {
    resolveInterceptors,
    readHealth,
    readVersion,
    readConnection,
    readV1,
    readDescription,
  };
  return { ...tried, gateway: { ...readOnly(tried.gateway), ...operations, ...present({ examine }) } };
}

/**
 * The headers that `--header` names: `NAME: VALUE`, or `@FILE` with one a line, which keeps values out of the list of
 * processes. Throws a UsageError, which never contains a value.
 */
async function readHeaders(flags: readonly string[], io: Io): Promise<Readonly<Record<string, string>>> {
  const headers: (readonly [name: string, value: string])[] = [];
  for (const flag of flags) {
    if (!flag.startsWith('@')) headers.push(parseHeader(flag, '--header'));
    else addAll(headers, await readHeaderFile(flag.slice('@'.length), io));
  }
  return Object.fromEntries(headers);
}

async function readHeaderFile(path: string, io: Io): Promise<ReturnType<typeof parseHeader>[]> {
  const text = await io.readNamedFile(path).catch((error: unknown) => {
    throw new UsageError(unreadableSetting(path, '--header', error).message);
  });
  return text
    .split(/\r?\n/)
    .flatMap((line, at) => (line.trim() === '' ? [] : [parseHeader(line, `${path}:${at + 1}`)]));
}

function parseHeader(text: string, place: string): readonly [name: string, value: string] {
  const [, name, value] = /^([^:\s]+)\s*:(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(`expected ${place} to be NAME: VALUE${place === '--header' ? ' or @FILE' : ''}`);
  return [name, value.trim()];
}

/** A source of live state for a command that only reads, or why there is none and the result that this means. */
export type OpenSource =
  | {
      readonly source: LiveSource;
      /** The project to plan with: for a snapshot its variables stay open, since secrets may be missing here. */
      readonly workspace: Workspace;
      readonly warnings: readonly Problem[];
      close(): Promise<void>;
    }
  | NotOpened;

/** Opens the gateway, or the snapshot that flags name in its place. */
export function openLive(
  args: ConnectionArgs & { readonly snapshot?: string | undefined },
  workspace: Workspace,
  io: Io,
): Promise<OpenSource> {
  return args.snapshot === undefined
    ? openGatewaySource(args, workspace, io)
    : openSnapshotSource(args.snapshot, args, workspace, io);
}

async function openGatewaySource(args: ConnectionArgs, workspace: Workspace, io: Io): Promise<OpenSource> {
  const tried = await tryConnectToRead(args, io, workspace).catch(deferUsageError);
  if ('problems' in tried) return tried;
  const { gateway, warnings } = tried;
  const source = gatewaySource(workspace, gateway, io.clock);
  return { source, workspace, warnings, close: () => gateway.close() };
}

/** A gateway that rejects with the error when it is read: what is wrong in the files is reported first. */
function deferUsageError(error: unknown): Connected<ReadableGateway> {
  if (!(error instanceof UsageError)) throw error;
  return {
    gateway: { url: '', list: () => Promise.reject(error), close: () => Promise.resolve() },
    warnings: [],
  };
}

/** A snapshot in place of a gateway: no setting of a connection is read, and no network is used. */
async function openSnapshotSource(
  path: string,
  args: ConnectionArgs,
  workspace: Workspace,
  io: Io,
): Promise<OpenSource> {
  refuseConnection(
    args,
    (flag) => `a snapshot replaces the gateway, and nothing is called: leave out ${flag}`,
  );
  const opened = await openSnapshot(io, workspace, path);
  if ('failed' in opened) return { problems: opened.problems, result: opened.failed };
  return {
    source: snapshotSource(io, workspace, opened.value, path),
    workspace: leaveSecretsOpen(io, workspace),
    warnings: opened.problems,
    close: () => Promise.resolve(),
  };
}
