import { once } from 'node:events';
import { catalog } from '../../schema/kinds/index.ts';
import { openMemoryGateway } from '../../emulator/memory.ts';
import { makeSaver } from '../../emulator/persistent.ts';
import { DEFAULT_USER, serveGateway, type User } from '../../emulator/server.ts';
import { makeSigner } from '../../emulator/signer.ts';
import type { SecurityMode } from '../../emulator/embedded-state.ts';
import { present } from '../../model/collect.ts';
import { isLoopback } from '../../model/text/url.ts';
import { SECURITY_MODES } from '../../schema/project/project-schema.ts';
import { lockState, readState } from '../../workflow/live/embedded.ts';
import { loadV1Operations } from '../../v1/door.ts';
import { unreadableSetting } from '../connect/settings.ts';
import type { Run } from '../given.ts';
import { readGiven, UsageError, type Io } from '../io.ts';
import type { Args } from '../table/commands.ts';

type GatewayArgs = Args<'gateway'>;

/** Serves an embedded gateway over HTTP until it is interrupted. */
export const run: Run<'gateway'> = async ({ args, io }) => {
  io.expectMuch();
  const user =
    args.user === undefined && args.passwordFile === undefined ? DEFAULT_USER : await userOf(args, io);
  if (!isLoopback(args.host) && isDefault(user) && args.allowDefaultLogin !== true)
    throw new UsageError(
      `other machines can reach ${args.host}, and the default login is public: use --password-file, or --allow-default-login`,
    );
  const path = args.state;
  const unlock = path === undefined ? undefined : await lockState(io, path);
  try {
    await serve(args, io, user);
  } finally {
    await unlock?.();
  }
  return undefined;
};

async function serve(args: GatewayArgs, io: Io, user: User): Promise<void> {
  const path = args.state;
  const state = path === undefined ? undefined : await readState(io, path);
  const options = {
    ...present({
      version: args.gatewayVersion,
      security: args.security === undefined ? undefined : securityOf(args.security),
      topics: args.topic && topicsOf(args.topic),
      physicalClusters: args.physicalCluster && ['main', ...args.physicalCluster],
      described: args.kinds === undefined ? undefined : await readGiven(args.kinds, io),
      state,
    }),
    oauth: args.oauth === true,
    mtls: args.mtls === true,
    userPool: { now: () => io.now().getTime(), sign: makeSigner(io.random()) },
  };
  const memory = await openMemoryGateway(catalog.kinds, options, loadV1Operations);
  const server = await serveGateway(memory, {
    port: portOf(args.port),
    host: args.host,
    ...(args.allowedHost === undefined ? {} : { allowedHosts: args.allowedHost }),
    users: [user, ...(await readOnlyUsers(args, io))],
    ...(path === undefined ? {} : { saved: makeSaver(memory, (text) => io.writeFile(path, text)) }),
  });
  const login = isDefault(user) ? ` (user ${user.username}, password ${user.password})` : '';
  const interrupted = io.interrupted.aborted ? undefined : once(io.interrupted, 'abort'); // a signal that comes as soon as the text below is read counts
  io.out(`Embedded gateway ${memory.version} at ${server.url}${login}\n`);
  io.err('Ctrl-C ends it.\n');
  await interrupted;
  await server.close();
}

function isDefault({ username, password }: User): boolean {
  return username === DEFAULT_USER.username && password === DEFAULT_USER.password;
}

async function userOf({ user = 'admin', passwordFile }: GatewayArgs, io: Io): Promise<User> {
  if (passwordFile === undefined) throw new UsageError('--user needs --password-file');
  return { username: user, password: await readPassword(passwordFile, '--password-file', io), admin: true };
}

async function readOnlyUsers(
  { readOnlyUser, readOnlyPasswordFile }: GatewayArgs,
  io: Io,
): Promise<readonly User[]> {
  if (readOnlyUser === undefined && readOnlyPasswordFile === undefined) return [];
  if (readOnlyUser === undefined || readOnlyPasswordFile === undefined)
    throw new UsageError('--read-only-user and --read-only-password-file need each other');
  const password = await readPassword(readOnlyPasswordFile, '--read-only-password-file', io);
  return [{ username: readOnlyUser, password, admin: false }];
}

async function readPassword(path: string, flag: string, io: Io): Promise<string> {
  const text = await io.readNamedFile(path).catch((error: unknown) => {
    throw new UsageError(unreadableSetting(path, flag, error).message);
  });
  const password = text.replace(/\r?\n$/, '');
  if (password === '') throw new UsageError(`${path} has no password in it`);
  return password;
}

function securityOf(text: string): SecurityMode {
  const mode = SECURITY_MODES.find((one) => one === text.toUpperCase());
  if (mode === undefined) {
    const modes = new Intl.ListFormat('en', { type: 'disjunction' }).format(SECURITY_MODES);
    throw new UsageError(`expected --security ${modes}; found ${text}`);
  }
  return mode;
}

function portOf(text: string): number {
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
