import { join } from 'node:path';
import { memoryGateway } from '../../emulator/memory.ts';
import { persistentGateway } from '../../emulator/persistent.ts';
import type { Connection } from '../../gateway/connection.ts';
import { GatewayError, readOnly, type Gateway, type ReadableGateway } from '../../gateway/gateway.ts';
import { httpGateway } from '../../gateway/http/http.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { identify } from '../../model/identity.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { judge } from '../../model/severity.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { defaultCredentials, hostNotAllowed } from './credentials.ts';
import { millisecondsOf } from './duration.ts';
import { problemOf } from '../input.ts';
import { EXIT, ProblemsError, UsageError, type FailureCode, type Io } from '../io.ts';
import { withoutKnown } from '../known-secrets.ts';
import type { OpenProject } from '../project.ts';
import { isTrue, settingsFrom, type ConnectionArgs, type Settings } from './settings.ts';
import { TOOL } from '../version.ts';

const EMBEDDED = 'embedded:';

/** A gateway, and what is odd about the way to it. */
export type Connected<G = Gateway> = { readonly gateway: G; readonly warnings: readonly Problem[] };

/**
 * The gateway that flags, GWCONF_* or CDK_* variables or the project file name, in this order; nothing is asked of it
 * yet. Throws a UsageError when none does, and a ProblemsError for one that must not be called.
 */
export async function connect(args: ConnectionArgs, io: Io, project: OpenProject): Promise<Connected> {
  if (hasErrors(project.problems)) throw new ProblemsError(project.problems);
  const settings = await settingsFrom(args, io, project.connection);
  const url = settings.url.value;
  refuse(settings.url.problem);
  if (url === undefined || url === '') {
    const inProject =
      project.folder !== undefined && project.environment === undefined
        ? 'choose an environment of gwconf.yaml with --env NAME'
        : 'write gateway.url for an environment in gwconf.yaml';
    throw new UsageError(
      `no gateway is named: give --url URL, or set GWCONF_URL (or CDK_GATEWAY_BASE_URL), or ${inProject}; --url embedded:state.json is a gateway to practise on`,
    );
  }
  const folder = settings.url.origin === 'gwconf.yaml' ? project.connection?.folder : undefined;
  if (url.startsWith(EMBEDDED))
    return { gateway: discreet(withLog(await embedded(url, folder, io), io), io), warnings: [] };
  refuse(...Object.values(settings).map(({ problem }) => problem));
  const elsewhere = hostNotAllowed(settings, io);
  if (elsewhere !== undefined) throw new ProblemsError([elsewhere], EXIT.blocked);
  const warnings = judge([defaultCredentials(settings) ?? []].flat(), project.lint);
  if (hasErrors(warnings)) throw new ProblemsError(warnings);
  const { trace } = io.log;
  const connection = {
    ...connectionOf(url, settings, args, io),
    ...(trace === undefined
      ? {}
      : { trace: (event: JsonObject) => trace(withoutKnown(event, project.secrets, io.masker), 'gateway') }),
  };
  for (const secret of secretsOf(connection)) io.masker.learn(secret);
  return { gateway: discreet(withLog(httpGateway(connection), io), io), warnings };
}

/** A file that is not there is wrong usage; what else is wrong with a setting is wrong in the project file. */
function refuse(...found: readonly (Problem | undefined)[]): void {
  const problems = found.filter((problem) => problem !== undefined);
  const gone = problems.find(({ code }) => code === 'unreadable-file');
  if (gone !== undefined) throw new UsageError(gone.message);
  if (problems.length > 0) throw new ProblemsError(problems);
}

/** What a connection carries that nobody may repeat. */
function secretsOf({ url, password, key, proxy, headers = {} }: Connection): readonly string[] {
  const inUrls = [url, proxy].flatMap((text) => [...(text ?? '').matchAll(/:\/\/[^/?#]*?:([^/?#]*)@/g)]);
  const values = Object.values(headers);
  const words = values.flatMap((value) => value.split(' ')); // the token behind Bearer
  const plain = inUrls.map(([, written = '']) => decoded(written));
  return [
    password ?? '',
    key ?? '',
    ...plain,
    ...inUrls.map(([, written = '']) => written),
    ...values,
    ...words,
  ];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // it holds a % that is none of the encoding
  }
}

/** The same gateway, whose refusals and failures repeat no secret that this run knows. */
function discreet(gateway: Gateway, { masker }: Io): Gateway {
  const hushed = <T>(made: Promise<T>): Promise<T> =>
    made.catch((error: unknown) => {
      throw error instanceof GatewayError ? error.mapText(masker.mask) : error;
    });
  return {
    ...gateway,
    list: (kind) => hushed(gateway.list(kind)),
    put: (kind, resource) => hushed(gateway.put(kind, resource)),
    remove: (kind, resource) => hushed(gateway.remove(kind, resource)),
  };
}

/** The same gateway, whose calls operators can follow; what is sent and answered is not in the log. */
function withLog(gateway: Gateway, { log: { debug }, now }: Io): Gateway {
  if (debug === undefined) return gateway;
  const follow = async <T>(call: string, about: string, made: Promise<T>): Promise<T> => {
    const start = now().getTime();
    try {
      return await made;
    } finally {
      debug({ call, about, ms: now().getTime() - start }, 'called the gateway');
    }
  };
  return {
    ...gateway,
    list: (kind) => follow('list', kind.name, gateway.list(kind)),
    put: (kind, resource) => follow('put', identify(kind, resource), gateway.put(kind, resource)),
    remove: (kind, resource) => follow('remove', identify(kind, resource), gateway.remove(kind, resource)),
  };
}

/** A gateway in this process; its state is kept in the file that the URL names, or nowhere. */
async function embedded(url: string, folder: string | undefined, io: Io): Promise<Gateway> {
  const named = url.slice(EMBEDDED.length);
  if (named === '') return { ...memoryGateway(catalog.kinds), url };
  const path = folder === undefined ? named : join(folder, named);
  const state = await readState(path, io);
  const memory = memoryGateway(catalog.kinds, state === undefined ? {} : { state });
  return { ...persistentGateway(memory, (text) => io.writeFile(path, text)), url };
}

/** The state of an embedded gateway; undefined for a file that is not there yet. */
export async function readState(path: string, io: Io): Promise<unknown> {
  let text: string;
  try {
    text = await io.readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new UsageError(`the state file ${path} cannot be read`, { cause: error });
  }
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new UsageError(`${path} is not the state of an embedded gateway: it is not JSON`);
  }
}

function connectionOf(url: string, settings: Settings, args: ConnectionArgs, io: Io): Connection {
  const secure = url.toLowerCase().startsWith('https:');
  const insecure = isTrue(settings.insecure.value);
  if (insecure && secure) io.err('warning: the certificate of the gateway is not verified\n');
  return {
    url,
    user: settings.user.value,
    password: settings.password.value,
    ca: settings.ca.value,
    cert: settings.cert.value,
    key: settings.key.value,
    insecure,
    proxy: settings.proxy.value ?? proxyFor(secure, io),
    noProxy: io.env('NO_PROXY') ?? io.env('no_proxy'),
    headers: headersOf(args.header ?? []),
    timeoutMs: millisecondsOf(settings.timeout.value),
    userAgent: TOOL.replace(' ', '/'),
  };
}

function proxyFor(secure: boolean, io: Io): string | undefined {
  const names = secure ? ['HTTPS_PROXY', 'https_proxy'] : ['HTTP_PROXY', 'http_proxy'];
  return names.map(io.env).find((value) => value !== undefined && value !== '');
}

function headersOf(headers: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    headers.map((header) => {
      const [, name, value] = /^([^:\s]+)\s*:\s*(.*)$/.exec(header) ?? [];
      if (name === undefined || value === undefined) throw new UsageError('--header takes NAME: VALUE');
      return [name, value];
    }),
  );
}

/** The gateway for commands that only look. */
export async function connectToRead(
  args: ConnectionArgs,
  io: Io,
  project: OpenProject,
): Promise<Connected<ReadableGateway>> {
  const { gateway, warnings } = await connect(args, io, project);
  return { gateway: readOnly(gateway), warnings };
}

/** What there is to talk to, or why there is nothing, for commands whose report must say so. */
type Tried<G> = Connected<G> | { readonly problems: readonly Problem[]; readonly exit: FailureCode };

export async function tryConnectToRead(
  args: ConnectionArgs,
  io: Io,
  project: OpenProject,
): Promise<Tried<ReadableGateway>> {
  const tried = await tryConnect(args, io, project);
  return 'gateway' in tried ? { ...tried, gateway: readOnly(tried.gateway) } : tried;
}

export async function tryConnect(
  args: ConnectionArgs,
  io: Io,
  project: OpenProject,
): Promise<Tried<Gateway>> {
  try {
    return await connect(args, io, project);
  } catch (error) {
    return error instanceof ProblemsError ? error : { problems: [problemOf(error)], exit: EXIT.failed };
  }
}
