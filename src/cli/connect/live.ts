import type { ReadableGateway } from '../../gateway/gateway.ts';
import { readLive } from '../../gateway/read-live.ts';
import { hasErrors, type Problem } from '../../model/problem.ts';
import { judge } from '../../model/severity.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import { restoreSnapshot } from '../../plan/saved/restore-snapshot.ts';
import type { SnapshotAge } from '../../report/view/plan-report.ts';
import { catalog } from '../../schema/kinds/index.ts';
import { tryConnectToRead } from './connect.ts';
import { EXIT, UsageError, type FailureCode, type Io } from '../io.ts';
import { leavingOpen, type OpenProject } from '../project.ts';
import type { ConnectionArgs } from './settings.ts';
import { ageOf, readSnapshot } from '../snapshot-file.ts';
import { wrongSnapshot } from '../target.ts';

/** Where the live state is read from: what is `desired` says which secrets of a snapshot can be known again. */
export type LiveSource = {
  readonly url: string;
  readonly read: (desired: DesiredState) => Promise<LiveState>;
};

/** A source of live state for a command that only looks, or why there is none and the exit code for that. */
export type Opened =
  | {
      readonly source: LiveSource;
      /** The project as this source lets it be read: without a gateway, variables may be missing. */
      readonly project: OpenProject;
      readonly snapshot?: SnapshotAge;
      readonly warnings: readonly Problem[];
      close(): Promise<void>;
    }
  | { readonly problems: readonly Problem[]; readonly exit: FailureCode };

export function liveOn(gateway: Pick<ReadableGateway, 'url' | 'list'>): LiveSource {
  return { url: gateway.url, read: () => readLive(gateway, [...catalog.kinds.values()]) };
}

export async function openGateway(args: ConnectionArgs, project: OpenProject, io: Io): Promise<Opened> {
  const tried = await tryConnectToRead(args, io, project);
  if ('problems' in tried) return tried;
  const { gateway, warnings } = tried;
  return { source: liveOn(gateway), project, warnings, close: () => gateway.close() };
}

/** A snapshot in place of a gateway: no setting of a connection is read, and nobody is called. */
export async function openSnapshot(
  path: string,
  args: ConnectionArgs,
  project: OpenProject,
  io: Io,
): Promise<Opened> {
  refuseConnection(args);
  const { value: snapshot, problems } = await readSnapshot(path, io);
  if (snapshot === undefined) return { problems, exit: EXIT.failed };
  const elsewhere = wrongSnapshot(snapshot, project);
  if (elsewhere !== undefined) return { problems: [elsewhere], exit: EXIT.stale };
  if (hasErrors(project.problems)) return { problems: project.problems, exit: EXIT.failed };
  return {
    source: {
      url: snapshot.gateway,
      read: (desired) => Promise.resolve(restoreSnapshot(snapshot, desired, catalog.kinds)),
    },
    project: leavingOpen(project),
    snapshot: ageOf(snapshot, io),
    warnings: judge(problems, project.lint),
    close: () => Promise.resolve(),
  };
}

function refuseConnection(args: ConnectionArgs): void {
  const { url, user, passwordFile, header, caCert, clientCert, clientKey, proxy, timeout } = args;
  const { insecureSkipVerify } = args;
  const named = { url, user, passwordFile, header, caCert, clientCert, clientKey, proxy, timeout };
  const flags = { ...named, insecureSkipVerify };
  const [given] = Object.entries(flags).filter(([, value]) => value !== undefined);
  if (given === undefined) return;
  const flag = given[0].replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  throw new UsageError(
    `a snapshot stands in place of the gateway, and nobody is called: leave out --${flag}`,
  );
}
