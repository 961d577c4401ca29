import type { Catalog } from '../../model/own-kind.ts';
import type { Pointer } from '../../model/json/json.ts';
import type { Address } from '../../model/resource.ts';
import { isStep } from '../../plan/change/change.ts';
import { decodePlan } from '../../plan/saved/decode-plan.ts';
import type { SavedChange } from '../../plan/saved/saved-plan.ts';
import type { Written } from '../base/find-movers.ts';
import type { Host } from '../host.ts';
import { isSystemError } from '../system-error.ts';
import { listRuns, planFile, readRun } from './journal-files.ts';

const MOST_RUNS = 20;

/**
 * How the last runs on a gateway left objects. Runs before one that cannot be read tell nothing, nor does a run that did not end well
 * for an object; nor do journals that somebody else could have made up, as those in git.
 */
export async function findLastWritten(
  host: Host,
  { kinds }: Catalog,
  folder: string,
  gateway: string,
): Promise<ReadonlyMap<Address, Written>> {
  const known = new Set<Address>();
  const found = new Map<Address, Written>();
  try {
    const foreign = await host.findForeign(folder);
    if (foreign !== undefined && foreign.what !== 'writable by everybody') return found;
    for (const run of (await listRuns(host, folder)).slice(0, MOST_RUNS)) {
      const { value: journal } = await readRun(host, folder, run);
      if (journal === undefined) return found;
      if (journal.started.gateway !== gateway) continue;
      const plan = planFile(folder, run);
      const { value: saved } = decodePlan(await host.readFile(plan), plan, kinds);
      if (saved?.digest !== journal.started.plan) return found;
      const changes = new Map(saved.changes.filter((one) => !isStep(one)).map((one) => [one.address, one]));
      for (const [address, state] of journal.written) {
        const change = changes.get(address);
        if (!known.has(address) && state === 'done' && change !== undefined)
          found.set(address, leftBy(change));
        known.add(address);
      }
    }
    return found;
  } catch (error) {
    if (isSystemError(error)) return found;
    throw error;
  }
}

function leftBy(change: SavedChange): Written {
  return {
    resource: change.action === 'delete' ? undefined : change.after,
    secrets: Object.keys(change.secrets ?? {}) as Pointer[], // as the type says
  };
}
