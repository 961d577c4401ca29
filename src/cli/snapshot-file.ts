import type { Checked } from '../model/problem.ts';
import { decodeLiveSnapshot, type LiveSnapshot } from '../plan/saved/live-snapshot.ts';
import { formatDuration } from '../report/text/phrases.ts';
import type { SnapshotAge } from '../report/view/plan-report.ts';
import { catalog } from '../schema/kinds/index.ts';
import { reasonOf } from './host/files.ts';
import { UsageError, type Io } from './io.ts';

/** Beyond this a plan says more of yesterday than of the gateway. */
const OLD_SECONDS = 24 * 60 * 60;

/** Reads a snapshot, with a warning when it is old. Throws a UsageError when there is no such file. */
export async function readSnapshot(path: string, io: Io): Promise<Checked<LiveSnapshot | undefined>> {
  const read = decodeLiveSnapshot(await textOf(path, io), path, catalog.kinds);
  if (read.value === undefined) return read;
  const { ageSeconds, takenAt } = ageOf(read.value, io);
  if (ageSeconds <= OLD_SECONDS) return read;
  return {
    value: read.value,
    problems: [
      {
        code: 'old-snapshot',
        severity: 'warning',
        message: `${path} was taken ${formatDuration(ageSeconds)} ago, at ${takenAt}; the gateway may have changed since`,
        hint: 'take it again: gwconf snapshot --out FILE',
      },
    ],
  };
}

export function ageOf({ takenAt }: LiveSnapshot, io: Io): SnapshotAge {
  const ms = io.now().getTime() - Date.parse(takenAt);
  return { takenAt, ageSeconds: Math.max(0, Math.floor(ms / 1000)) };
}

async function textOf(path: string, io: Io): Promise<string> {
  try {
    return await io.readFile(path);
  } catch (error) {
    const cure = 'a snapshot is taken with gwconf snapshot --out FILE';
    throw new UsageError(`${path} cannot be read: ${reasonOf(error)}; ${cure}`, { cause: error });
  }
}
