import type { CallListener, Connection } from '../../gateway/connection.ts';
import { GatewayError } from '../../gateway/gateway.ts';
import { mapTexts, type Json } from '../../model/json/json.ts';
import { HIDDEN } from '../../model/secrets/hidden.ts';
import { type Masker, makeMasker } from '../../plan/secrets/masker.ts';
import type { Host } from '../host.ts';
import type { KnownKinds } from '../project/known-kinds.ts';
import type { MemoryBudget } from '../project/memory-budget.ts';
import type { Secrets } from '../project/secrets.ts';
import { TOOL } from '../tool.ts';
import { aroundCalls, type OpenGateway } from './around-calls.ts';
import { isEmbedded, openEmbedded, type EmbeddedOptions } from './embedded.ts';
import { makeRetryReads } from './retry-reads.ts';
import { decodeUri } from '../../model/text/escape.ts';

/** How a gateway is reached: over HTTP, or `embedded:FILE` in this process. */
export type ConnectionOptions = Omit<Connection, 'userAgent'> &
  EmbeddedOptions & {
    /** Told why a read is made again, once for a connection. */
    readonly onFirstRetry?: ((why: string) => void) | undefined;
  };

/**
 * What outlives a workspace: open sockets, how many calls the gateway takes at once, and whether it has answered yet. A program that
 * looks at its files every minute keeps it, and opens a workspace and a gateway each time.
 */
export type GatewayConnection = {
  readonly url: string;
  /**
   * The gateway for one workspace: its lists count for the memory of the workspace, and what it says comes back without secrets that
   * the workspace has met. To close it is to close the connection.
   */
  readonly gatewayFor: (workspace: Learning) => OpenGateway;
  readonly close: () => Promise<void>;
};

/** What of a workspace learns from its gateway. */
type Learning = {
  readonly secrets: Secrets;
  readonly memory: MemoryBudget;
  /** Where it can ask for kinds that it does not know. */
  readonly catalog?: KnownKinds;
};

/** Opens the gateway of a connection that one workspace uses, and nobody after it. */
export async function openGateway(
  host: Host,
  workspace: Learning,
  options: ConnectionOptions,
): Promise<OpenGateway> {
  return (await connectGateway(host, options)).gatewayFor(workspace);
}

/** Nothing is asked of the gateway yet. Reads of one that is not embedded are retried. */
export async function connectGateway(
  host: Host,
  { stateRoot, loadV1, onFirstRetry, ...given }: ConnectionOptions,
): Promise<GatewayConnection> {
  const { url } = given;
  if (isEmbedded(url)) {
    const gateway = logCalls(await openEmbedded(host, url, { stateRoot, loadV1 }), host);
    return {
      url: gateway.url,
      gatewayFor: ({ secrets, catalog }) => {
        const masked = maskErrors(gateway, secrets.masker);
        catalog?.askBy(masked);
        return masked;
      },
      close: () => gateway.close(),
    };
  }
  host.expectMuch(); // the parser of the HTTP client is compiled
  const { connectHttp } = await import('../../gateway/http/http.ts');
  const connection: Connection = { ...given, userAgent: TOOL.replace(' ', '/') };
  const http = connectHttp(connection);
  const retryReads = makeRetryReads(host.clock);
  return {
    url: http.url,
    gatewayFor: (workspace) => {
      const { masker } = workspace.secrets;
      for (const secret of secretsOf(connection)) masker.learn(secret);
      const gateway = http.gatewayFor(listenerFor(host, workspace, url));
      const retrying = retryReads(gateway, (why) => onFirstRetry?.(masker.mask(why)));
      const masked = maskErrors(logCalls(retrying, host), masker);
      workspace.catalog?.askBy(masked);
      return masked;
    },
    close: http.close,
  };
}

function listenerFor(
  { log: { trace } }: Host,
  { secrets: { masker, values, filled }, memory }: Learning,
  url: string,
): CallListener {
  const checkSize: CallListener['checkSize'] = (path, bytes, count) =>
    memory.note('list', `${url}${path}`, bytes, count);
  if (trace === undefined) return { checkSize };
  return {
    checkSize,
    filled: (address) => filled.get(address),
    trace: (event) => trace(hideSecrets(event, values, masker), 'gateway'),
  };
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
  return [password ?? '', key ?? '', ...inUrls.map(decodeUri), ...inUrls, ...values, ...words];
}

/** The same gateway, whose errors repeat no secret that was met. */
function maskErrors(gateway: OpenGateway, { mask }: Masker): OpenGateway {
  return aroundCalls(gateway, (call) =>
    call(gateway).catch((error: unknown) => {
      throw error instanceof GatewayError ? error.mapText(mask) : error;
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

/** Within a longer text only secrets of this length are searched for: shorter ones are in words by chance. */
const SHORTEST = 8;

/** A value without any of these secrets, as whole texts or within longer ones, and without what the masker hides. */
export function hideSecrets<T extends Json>(
  value: T,
  secrets: ReadonlySet<string>,
  { mask }: Pick<Masker, 'mask'>,
): T {
  const within = makeMasker(SHORTEST);
  within.learn(() => secrets);
  const hide = (text: string): string =>
    secrets.has(text) && text !== '' ? HIDDEN : mask(within.mask(text));
  return mapTexts(value, hide, hide) as T; // texts stay texts
}
