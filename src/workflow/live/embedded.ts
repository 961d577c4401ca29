import type { LoadOperations } from '../../emulator/memory.ts';
import { excess } from '../../model/json/extent.ts';
import { hasInfinite } from '../../model/json/numbers.ts';
import { catalog } from '../../schema/kinds/index.ts';
import type { Host } from '../host.ts';
import { pathFrom } from '../project/find-project.ts';
import { RequestError } from '../request-error.ts';
import { reasonOf } from '../system-error.ts';
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
