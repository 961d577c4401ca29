import { memoryGateway } from '../../emulator/memory.ts';
import { makeSaver } from '../../emulator/persistent.ts';
import { serveGateway, makeSigner } from '../../emulator/server.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { readState } from '../../workflow/live/open-gateway.ts';
import { reasonOf } from '../../workflow/system-error.ts';
import { EXIT, UsageError, type ExitCode, type Io } from '../io.ts';

export type GatewayArgs = {
  readonly port?: string;
  readonly host?: string;
  readonly state?: string;
  readonly user?: string;
  readonly passwordFile?: string;
  readonly gatewayVersion?: string;
  readonly security?: string;
  readonly topic?: readonly string[];
  readonly physicalCluster?: readonly string[];
};

/** Serves an embedded gateway over HTTP until it is interrupted. */
export async function gateway(args: GatewayArgs, io: Io): Promise<ExitCode> {
  const path = args.state;
  const state = path === undefined ? undefined : await readState(io, path);
  const security = args.security?.toUpperCase();
  if (security !== undefined && security !== 'GATEWAY_MANAGED' && security !== 'PLAINTEXT') {
    throw new UsageError(`expected --security GATEWAY_MANAGED or PLAINTEXT; found ${security}`);
  }
  const memory = memoryGateway(catalog.kinds, {
    ...(args.gatewayVersion === undefined ? {} : { version: args.gatewayVersion }),
    ...(security === undefined ? {} : { security }),
    ...(args.topic === undefined ? {} : { topics: topicsOf(args.topic) }),
    ...(args.physicalCluster === undefined ? {} : { physicalClusters: ['main', ...args.physicalCluster] }),
    ...(state === undefined ? {} : { state }),
    userPool: { now: () => io.now().getTime(), sign: makeSigner(io.random()) },
  });
  const users =
    args.user === undefined && args.passwordFile === undefined ? {} : { users: [await userOf(args, io)] };
  const server = await serveGateway(memory, {
    port: portOf(args.port),
    ...(args.host === undefined ? {} : { host: args.host }),
    ...users,
    ...(path === undefined ? {} : { saved: makeSaver(memory, (text) => io.writeFile(path, text)) }),
  });
  const login =
    args.passwordFile === undefined && args.user === undefined ? ' (user admin, password conduktor)' : '';
  const interrupted = untilAborted(io.interrupted); // a signal that comes as soon as the text below is read counts
  io.out(`Embedded gateway ${memory.version} at ${server.url}${login}\n`);
  io.err('Ctrl-C ends it.\n');
  await interrupted;
  await server.close();
  return EXIT.ok;
}

async function userOf(
  { user = 'admin', passwordFile }: GatewayArgs,
  io: Io,
): Promise<{ username: string; password: string; admin: boolean }> {
  if (passwordFile === undefined) throw new UsageError('--user needs --password-file');
  try {
    const password = (await io.readNamedFile(passwordFile)).replace(/\r?\n$/, '');
    return { username: user, password, admin: true };
  } catch (error) {
    throw new UsageError(`${passwordFile} cannot be read: ${reasonOf(error)}`);
  }
}

function portOf(text = '8888'): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new UsageError(`expected a port; found ${text}`);
  return port;
}

function topicsOf(topics: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    topics.map((topic): [string, string] => {
      const [name = '', policy = 'delete'] = topic.split(':', 2);
      return [name, policy];
    }),
  );
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
