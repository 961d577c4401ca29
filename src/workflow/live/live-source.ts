import type { Clock } from '../../apply/events.ts';
import type { ReadableGateway } from '../../gateway/gateway.ts';
import type { Kind } from '../../model/kind.ts';
import type { DesiredState, LiveState } from '../../model/state.ts';
import type { Listed } from '../../plan/checks/unlisted-values.ts';
import type { LiveSnapshot, SnapshotAge } from '../../plan/saved/live-snapshot.ts';
import { restoreListed, restoreSealed, restoreSnapshot } from '../../plan/saved/restore-snapshot.ts';
import { withDigests } from '../digests.ts';
import type { Host } from '../host.ts';
import type { Workspace } from '../project/workspace.ts';
import { readGateway, readListed } from './read-live.ts';
import { snapshotAge } from './snapshot.ts';

/** Where live state is read from. A snapshot needs `desired` to recognise secrets again. */
export type LiveSource = {
  readonly url: string;
  readonly read: (desired: DesiredState) => Promise<LiveState>;
  /** The names that it lists of kinds that files cannot declare; a list that it does not have is left out. */
  readonly listNames: (kinds: readonly Kind[]) => Promise<Listed>;
  /** The gateway, if it is one. */
  readonly gateway?: Pick<ReadableGateway, 'list'>;
  /** How long one of its calls has taken so far, in milliseconds. */
  readonly latencyMs?: () => number | undefined;
  /** Of a snapshot. */
  readonly age?: SnapshotAge;
  /** The state of a snapshot with a mark in the place of each secret, and these marks. */
  readonly readSealed?: () => ReturnType<typeof restoreSealed>;
};

/** With a clock, it tells how fast the gateway is. */
export function gatewaySource(
  workspace: Workspace,
  gateway: Pick<ReadableGateway, 'url' | 'list'>,
  clock?: Clock,
): LiveSource {
  const measured = clock === undefined ? undefined : measureLatency(gateway, clock);
  const reader = measured?.gateway ?? gateway;
  return {
    url: gateway.url,
    gateway,
    read: () => readGateway(workspace, reader),
    listNames: (kinds) => readListed(reader, kinds),
    ...(measured === undefined ? {} : { latencyMs: measured.latencyMs }),
  };
}

/** A snapshot in place of a gateway; `project` should leave its variables open, since a secret may be missing here. */
export function snapshotSource(host: Host, { catalog }: Workspace, snapshot: LiveSnapshot): LiveSource {
  return {
    url: snapshot.gateway,
    read: (desired) =>
      withDigests(host, snapshot.salt, (slow) => restoreSnapshot(snapshot, desired, catalog.kinds, slow)),
    listNames: () => Promise.resolve(restoreListed(snapshot)),
    age: snapshotAge(host, snapshot),
    readSealed: () => restoreSealed(snapshot, catalog.kinds),
  };
}

/** The same gateway, and the median of the time that its lists have taken, in milliseconds. */
export function measureLatency<G extends Pick<ReadableGateway, 'list'>>(
  gateway: G,
  clock: Clock,
): { readonly gateway: G; readonly latencyMs: () => number | undefined } {
  const taken: number[] = [];
  return {
    gateway: {
      ...gateway,
      list: async (kind) => {
        const start = clock.now();
        const listed = await gateway.list(kind);
        taken.push(clock.now() - start);
        return listed;
      },
    },
    latencyMs: () => taken.sort((one, other) => one - other)[Math.floor(taken.length / 2)],
  };
}
