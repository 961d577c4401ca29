import type { LoadOperations } from '../../emulator/memory.ts';
import { GatewayError } from '../../gateway/gateway.ts';
import { excess, hasDuplicateKeys } from '../../model/json/extent.ts';
import { readJson } from '../../model/json/json-text.ts';
import { catalog as builtIn } from '../../schema/kinds/index.ts';
import type { Host } from '../host.ts';
import { describeHolder, takeLock, type Unlock } from '../lock-file.ts';
import { pathFrom } from '../project/find-project.ts';
import { RequestError, isSystemError, reasonOf, tellUnreadable } from '../system-error.ts';
import { aroundCalls, type OpenGateway } from './around-calls.ts';

/** How the URL of an embedded gateway begins. */
export const EMBEDDED = 'embedded:';

export type EmbeddedOptions = {
  /** The folder that the state file lies in. Default: any. */
  readonly stateRoot?: string | undefined;
  /** Makes the operations of v1, which the gateway has if its version has it. */
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

/** `embedded:FILE` is a gateway in this process that keeps its state in the file; `embedded:` one that forgets it. */
export async function openEmbedded(
  host: Host,
  url: string,
  { stateRoot: root, loadV1 }: EmbeddedOptions,
): Promise<OpenGateway> {
  const { openMemoryGateway } = await import('../../emulator/memory.ts');
  const { persistentGateway } = await import('../../emulator/persistent.ts');
  const { makeSigner } = await import('../../emulator/signer.ts');
  const path = url.slice(EMBEDDED.length);
  const userPool = { now: () => host.now().getTime(), sign: makeSigner(host.random()) };
  if (path === '') return { ...(await openMemoryGateway(builtIn.kinds, { userPool }, loadV1)), url };
  const open = async (text: string | undefined): Promise<OpenGateway> => {
    const state = text === undefined ? {} : { state: parseState(path, text) };
    const memory = await openMemoryGateway(builtIn.kinds, { ...state, userPool }, loadV1).catch(
      nameFile(path),
    );
    return persistentGateway(memory, async (saved) => {
      await host.writeFile(path, saved, { root });
      known = saved;
    });
  };
  const before = await readStateText(host, path, root);
  let known = before;
  const gateway = await open(before);
  // Another run may have changed the file before this one got its lock; the first call comes after that.
  const reopen = async (): Promise<OpenGateway> => {
    known = await readStateText(host, path, root);
    return known === before ? gateway : open(known);
  };
  let opened: Promise<OpenGateway> | undefined;
  const atFirstCall = (): Promise<OpenGateway> => (opened ??= reopen());
  // What is in memory is saved as a whole, so no other process may write meanwhile, nor have written since it was read.
  const whileLocked = shareLock(() => lockState(host, path, { root, isUnchanged: (text) => text === known }));
  return {
    ...aroundCalls(gateway, async (call, name) => {
      const to = await atFirstCall();
      return name === 'put' || name === 'remove'
        ? whileLocked(() => call(to)).catch(nameUnwritable(path))
        : call(to);
    }),
    url,
    // A write that could not be saved was told of when it was made.
    close: () =>
      opened
        ?.then((one) => one.close())
        .catch((error: unknown) => {
          if (!isSystemError(error)) throw error;
        }) ?? Promise.resolve(),
  };
}

/** Says which file it is that is not the state of a gateway. */
function nameFile(path: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof GatewayError)) throw error;
    const { code, message, hint } = error;
    throw new GatewayError(code, `${path} is not the state of an embedded gateway: ${message}`, { hint });
  };
}

/** Says which file it is that cannot be written. */
function nameUnwritable(path: string): (error: unknown) => never {
  return (error) => {
    if (!isSystemError(error)) throw error;
    throw new GatewayError('conflict', `the state file ${path} cannot be written: ${reasonOf(error)}`);
  };
}

/** Does work under a lock, which is held for as long as any is in progress. */
function shareLock(take: () => Promise<Unlock>): <T>(work: () => Promise<T>) => Promise<T> {
  let lock: Promise<Unlock> | undefined;
  let free = Promise.resolve();
  let working = 0;
  const release = async (held: Promise<Unlock> | undefined): Promise<void> => {
    const unlock = await held?.catch(() => undefined); // the work that needed it has said why
    await unlock?.();
  };
  return async (work) => {
    working += 1;
    try {
      await (lock ??= free.then(take));
      return await work();
    } finally {
      working -= 1;
      if (working === 0) {
        free = release(lock);
        lock = undefined;
        await free;
      }
    }
  };
}

type LockOptions = {
  readonly root?: string | undefined;
  /** Whether the file still has the text that was read. Default: it may have any. */
  readonly isUnchanged?: (text: string | undefined) => boolean;
};

/**
 * Keeps other processes from writing a state file until the lock is removed. Throws a GatewayError if one has the file, or has written
 * it since it was read, and if it cannot be written.
 */
export async function lockState(
  host: Host,
  path: string,
  { root, isUnchanged = () => true }: LockOptions = {},
): Promise<Unlock> {
  const lockPath = `${path}.lock`;
  const taken = await takeLock(host, lockPath, { root }).catch(nameUnwritable(path));
  if (typeof taken !== 'function') {
    const hint = `wait until it has ended; if that process is gone, delete ${lockPath}`;
    throw notWritten(`another process writes the state file ${path}: ${describeHolder(taken)}`, hint);
  }
  if (isUnchanged(await readStateText(host, path, root))) return taken;
  await taken();
  throw notWritten(
    `another process has written the state file ${path} since it was read`,
    'plan and apply again',
  );
}

function notWritten(message: string, hint: string): GatewayError {
  return new GatewayError('conflict', `${message}; nothing was saved`, { status: 409, hint });
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
    throw new RequestError(tellUnreadable(`the state file ${path}`, error), { cause: error });
  }
}

function parseState(path: string, text: string): unknown {
  const much = excess(text);
  if (much !== undefined) throw new RequestError(`the state file ${path} ${much}`);
  const value = readJson(text);
  if (value === undefined)
    throw new RequestError(`${path} is not the state of an embedded gateway: it is not JSON`);
  // Of equal keys the last would win, where another reader of the file takes the first.
  if (hasDuplicateKeys(text, value))
    throw new RequestError(`the state file ${path} has a map with two equal keys`);
  return value;
}
