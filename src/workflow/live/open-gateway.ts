import type { LoadOperations } from '../../emulator/memory.ts';
import type { Connection } from '../../gateway/connection.ts';
import { GatewayError } from '../../gateway/gateway.ts';
import type { JsonObject } from '../../model/json/json.ts';
import { catalog } from '../../schema/kinds/index.ts';
import type { Host } from '../host.ts';
import { pathFrom } from '../project/path-from.ts';
import type { Workspace } from '../project/workspace.ts';
import { hasInfinite } from '../../model/json/numbers.ts';
import { excess } from '../../model/json/extent.ts';
import { RequestError } from '../request-error.ts';
import { reasonOf } from '../system-error.ts';
import { TOOL } from '../tool.ts';
import { aroundCalls, type OpenGateway } from './around-calls.ts';
import { hideSecrets } from './hide-secrets.ts';
import { retryReads } from './retry-reads.ts';

/** How the URL of an embedded gateway begins. */
export const EMBEDDED = 'embedded:';

/**
 * The gateway of a connection; nothing is asked of it yet. `embedded:FILE` is one in this process that keeps its state
 * in the file, which lies in `stateRoot` if that is given; `embedded:` one that forgets it. Reads of others are retried, which
 * `onFirstRetry` is told with the reason. What the gateway says comes back without the secrets of the project. An embedded
 * gateway has v1 if its version has it and `loadV1` is given.
 */
export async function openGateway(
  host: Host,
  workspace: Workspace,
  { stateRoot, loadV1, ...connection }: Omit<Connection, 'userAgent'> & EmbeddedOptions,
  onFirstRetry?: (why: string) => void,
): Promise<OpenGateway> {
  const { url } = connection;
  const gateway = url.startsWith(EMBEDDED)
    ? await openEmbedded(host, url, { stateRoot, loadV1 })
    : retryReads(
        await openHttp(host, workspace, { ...connection, userAgent: TOOL.replace(' ', '/') }),
        host.clock,
        (why) => onFirstRetry?.(workspace.secrets.masker.mask(why)),
      );
  return maskErrors(logCalls(gateway, host), workspace);
}

type EmbeddedOptions = {
  readonly stateRoot?: string | undefined;
  readonly loadV1?: LoadOperations | undefined;
};

export function isEmbedded(url: string): boolean {
  return url.startsWith(EMBEDDED);
}

/** The same URL, with a file that is named relative to this folder. */
export function resolveEmbedded(url: string, folder: string): string {
  const file = url.slice(EMBEDDED.length);
  return file === '' ? url : `${EMBEDDED}${pathFrom(folder, file)}`;
}

async function openHttp(
  host: Host,
  { secrets: { masker, values: secrets, filled }, memory }: Workspace,
  given: Connection,
): Promise<OpenGateway> {
  const checkSize: Connection['checkSize'] = (path, bytes, values) =>
    memory.note('list', `${given.url}${path}`, bytes, values);
  const connection: Connection = { checkSize, ...given };
  for (const secret of secretsOf(connection)) masker.learn(secret);
  const { httpGateway } = await import('../../gateway/http/http.ts');
  const { trace } = host.log;
  if (trace === undefined) return httpGateway(connection);
  return httpGateway({
    ...connection,
    filled: (address) => filled.get(address),
    trace: (event: JsonObject) => trace(hideSecrets(event, secrets, masker), 'gateway'),
  });
}

/** The secrets in a connection: those of its fields, and those within its URLs and headers. */
function secretsOf({ url, password, key, proxy, headers = {} }: Connection): readonly string[] {
  const inUrls = [url, proxy].flatMap((text) =>
    [...(text ?? '').matchAll(/:\/\/([^/?#]*)@/g)].map(([, login = '']) =>
      login.split(':').slice(1).join(':'),
    ),
  );
  const values = Object.values(headers);
  const words = values.flatMap((value) => value.split(' ')); // the token behind Bearer
  return [password ?? '', key ?? '', ...inUrls.map(decoded), ...inUrls, ...values, ...words];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // it holds a % that encodes nothing
  }
}

/** The same gateway, whose errors repeat no secret that the project has met. */
function maskErrors(gateway: OpenGateway, { secrets: { masker } }: Workspace): OpenGateway {
  return aroundCalls(gateway, (call) =>
    call(gateway).catch((error: unknown) => {
      throw error instanceof GatewayError ? error.mapText(masker.mask) : error;
    }),
  );
}

/** The same gateway, whose calls are logged with how long they took, without bodies. */
function logCalls(gateway: OpenGateway, { log: { debug }, now }: Host): OpenGateway {
  if (debug === undefined) return gateway;
  return aroundCalls(gateway, async (make, call, about) => {
    const start = now().getTime();
    try {
      return await make(gateway);
    } finally {
      debug({ call, about, ms: now().getTime() - start }, 'called the gateway');
    }
  });
}

async function openEmbedded(
  host: Host,
  url: string,
  { stateRoot: root, loadV1 }: EmbeddedOptions,
): Promise<OpenGateway> {
  const { openMemoryGateway } = await import('../../emulator/memory.ts');
  const { persistentGateway } = await import('../../emulator/persistent.ts');
  const { makeSigner } = await import('../../emulator/signer.ts');
  const path = url.slice(EMBEDDED.length);
  const userPool = { now: () => host.now().getTime(), sign: makeSigner(host.random()) };
  if (path === '') return { ...(await openMemoryGateway(catalog.kinds, { userPool }, loadV1)), url };
  const open = async (text: string | undefined): Promise<OpenGateway> => {
    const state = text === undefined ? {} : { state: parseState(path, text) };
    const memory = await openMemoryGateway(catalog.kinds, { ...state, userPool }, loadV1);
    return persistentGateway(memory, (saved) => host.writeFile(path, saved, { root }));
  };
  const before = await readStateText(host, path, root);
  const gateway = await open(before);
  // Another run may have changed the file before this one got its lock; the first call comes after that.
  const reopen = async (): Promise<OpenGateway> => {
    const text = await readStateText(host, path, root);
    return text === before ? gateway : open(text);
  };
  let opened: Promise<OpenGateway> | undefined;
  const atFirstCall = (): Promise<OpenGateway> => (opened ??= reopen());
  return {
    ...aroundCalls(gateway, async (call) => call(await atFirstCall())),
    url,
    close: async () => (await opened)?.close(),
  };
}

/** The state of an embedded gateway; undefined for a file that is not there yet. Throws a RequestError. */
export async function readState(host: Host, path: string): Promise<unknown> {
  const text = await readStateText(host, path);
  return text === undefined ? undefined : parseState(path, text);
}

async function readStateText(host: Host, path: string, root?: string): Promise<string | undefined> {
  try {
    return await (root === undefined ? host.readFile(path) : host.readWithin([root], path));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw new RequestError(`the state file ${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

function parseState(path: string, text: string): unknown {
  const much = excess(text);
  if (much !== undefined) throw new RequestError(`the state file ${path} ${much}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new RequestError(`${path} is not the state of an embedded gateway: it is not JSON`);
  }
  if (hasInfinite(value)) throw new RequestError(`the state file ${path} has a number that is too large`);
  return value;
}
