import { referencesOf } from '../../model/normal/normal-form.ts';
import { kindOf } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { isBuiltIn } from '../../plan/change/select.ts';
import { catalog } from '../../schema/kinds/index.ts';

/** Reads again if something refers to what no list has, since the lists may be of different moments. */
export async function readConsistently(read: () => Promise<LiveState>): Promise<LiveState> {
  const live = await read();
  return hasDangling(live) ? read() : live;
}

function hasDangling({ resources, unavailable }: LiveState): boolean {
  const { kinds } = catalog;
  return [...resources].some(([address, resource]) => {
    const kind = kinds.get(kindOf(address));
    if (kind === undefined) return false;
    return referencesOf(resource, kind).some(
      ({ to }) => !resources.has(to) && !unavailable.has(kindOf(to)) && !isBuiltIn(to, kinds),
    );
  });
}
