import type { ReadableGateway } from '../../gateway/gateway.ts';
import type { Problem } from '../../model/problem.ts';
import { gatewaySource, snapshotSource, type LiveSource } from '../../workflow/live/live-source.ts';
import type { NotOpened } from '../../workflow/live/opened.ts';
import { openSnapshot } from '../../workflow/live/snapshot.ts';
import { leaveSecretsOpen, type Workspace } from '../../workflow/project/workspace.ts';
import { UsageError, type Io } from '../io.ts';
import { tryConnectToRead, type Connected } from './connect.ts';
import { FLAGS } from './settings.ts';
import { flagOf } from '../table/flag.ts';
import type { ConnectionArgs } from '../table/flags.ts';

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

export async function openGatewaySource(
  args: ConnectionArgs,
  workspace: Workspace,
  io: Io,
): Promise<OpenSource> {
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
export async function openSnapshotSource(
  path: string,
  args: ConnectionArgs,
  workspace: Workspace,
  io: Io,
): Promise<OpenSource> {
  refuseConnectionFlags(args);
  const opened = await openSnapshot(io, workspace, path);
  if ('failed' in opened) return { problems: opened.problems, result: opened.failed };
  return {
    source: snapshotSource(io, workspace, opened.value),
    workspace: leaveSecretsOpen(io, workspace),
    warnings: opened.problems,
    close: () => Promise.resolve(),
  };
}

function refuseConnectionFlags(args: ConnectionArgs): void {
  const given = [...FLAGS, 'header' as const].find((flag) => args[flag] !== undefined);
  if (given === undefined) return;
  throw new UsageError(`a snapshot replaces the gateway, and nothing is called: leave out ${flagOf(given)}`);
}
