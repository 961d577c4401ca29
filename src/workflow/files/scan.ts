import { AREAS, type AreaName } from '../../migrate/scan/areas.ts';
import { findUses } from '../../migrate/scan/find-uses.ts';
import type { Position, Problem } from '../../model/problem.ts';
import { positionAt } from '../../schema/yaml/lines.ts';
import type { Host } from '../host.ts';

/** A use of an endpoint that a version removes. */
export type FoundUse = { readonly area: AreaName; readonly at: Position; readonly text: string };

export type Scanned = {
  readonly uses: readonly FoundUse[];
  /** How many files were read. */
  readonly files: number;
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
  readonly problems: readonly Problem[];
};

/** Larger files are data. */
const MOST_BYTES = 5_000_000;

/** Finds the uses of v1 in files and folders. One file at a time is in memory. */
export function scanFiles(host: Host, paths: readonly string[]): Scanned {
  const uses: FoundUse[] = [];
  const skipped: Scanned['skipped'][number][] = [];
  const problems: Problem[] = [];
  let files = 0;
  for (const file of host.walkFiles(paths, MOST_BYTES)) {
    if ('skipped' in file && file.isUnreadable === true) {
      problems.push(unreadable(file.path, file.skipped));
      continue;
    }
    if ('skipped' in file) {
      skipped.push({ path: file.path, why: file.skipped });
      continue;
    }
    files += 1;
    for (const { area, offset, text } of findUses(file))
      uses.push({ area, at: positionAt(file, offset), text });
  }
  const order = Object.keys(AREAS);
  const rank = ({ area }: FoundUse): number => order.indexOf(area);
  return { uses: uses.sort((one, other) => rank(one) - rank(other)), files, skipped, problems };
}

function unreadable(path: string, why: string): Problem {
  const message = `${path} cannot be read: ${why}`;
  return { code: 'unreadable-file', severity: 'error', message, hint: 'check the path and its permissions' };
}
