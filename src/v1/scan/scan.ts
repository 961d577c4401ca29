import { AREAS, type Area, type AreaName } from './areas.ts';
import { findUses } from './find-uses.ts';
import { addTo } from '../../model/collect.ts';
import type { Position, Problem } from '../../model/problem.ts';
import { positionAt } from '../../schema/yaml/lines.ts';
import type { Host } from '../../workflow/host.ts';

/** A part of the API that a version removes, and the uses of its endpoints. */
type UsedArea = Area & { readonly uses: readonly FoundUse[] };
type FoundUse = Position & { readonly text: string };

export type Scanned = {
  readonly areas: readonly UsedArea[];
  /** How many files were read. */
  readonly files: number;
  readonly skipped: readonly { readonly path: string; readonly why: string }[];
  readonly problems: readonly Problem[];
};

/** Larger files are data. */
const MOST_BYTES = 5_000_000;

/** Finds the uses of v1 in files and folders. One file at a time is in memory. */
export function scanFiles(host: Host, paths: readonly string[]): Scanned {
  const uses = new Map<AreaName, FoundUse[]>();
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
      addTo(uses, area, { ...positionAt(file, offset), text });
  }
  const areas = (Object.keys(AREAS) as readonly AreaName[]).flatMap((name) => {
    const found = uses.get(name);
    return found === undefined ? [] : [{ ...AREAS[name], uses: found }];
  });
  return { areas, files, skipped, problems };
}

function unreadable(path: string, why: string): Problem {
  const message = `${path} cannot be read: ${why}`;
  return { code: 'unreadable-file', severity: 'error', message, hint: 'check the path and its permissions' };
}
