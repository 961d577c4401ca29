import { addTo } from '../../model/collect.ts';
import type { KindSet, World as Lookup } from '../../model/kind.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import type { Problem } from '../../model/problem.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { placeOf, type Declared } from '../../model/state.ts';
import type { PlannedWorld } from './world.ts';

/** The rules of the kinds across declared resources; with `live`, also across what only the gateway has. */
export function surveyKinds({
  desired,
  kinds,
  live,
}: Pick<PlannedWorld, 'desired' | 'kinds'> & Partial<Pick<PlannedWorld, 'live'>>): readonly Problem[] {
  const byKind = new Map<string, Declared[]>();
  for (const declared of desired.values()) addTo(byKind, kindOf(declared.address), declared);
  const found = new Map<Address, Resource | undefined>();
  const lookup: Lookup = {
    complete: live !== undefined,
    get: (address) => {
      if (!found.has(address)) {
        const resource = desired.get(address)?.resource ?? live?.resources.get(address);
        found.set(address, fillDefaults(resource, address, kinds));
      }
      return found.get(address);
    },
  };
  return [...byKind].flatMap(([name, declared]): readonly Problem[] => {
    const kind = kinds.get(name);
    if (kind?.survey === undefined) return [];
    const mine = new Map(declared.map(({ address, resource }) => [address, withDefaults(kind, resource)]));
    return kind.survey(mine, lookup).flatMap(({ also, on = 'value', ...finding }): readonly Problem[] => {
      const at = desired.get(finding.address);
      const other = also === undefined ? undefined : desired.get(also.address);
      if (at === undefined) return [];
      return [
        {
          ...finding,
          at: placeOf(at, finding.path, on),
          ...(also === undefined || other === undefined ? {} : { also: placeOf(other, also.path) }),
        },
      ];
    });
  });
}

function fillDefaults(
  resource: Resource | undefined,
  address: Address,
  kinds: KindSet,
): Resource | undefined {
  const kind = kinds.get(kindOf(address));
  return resource === undefined || kind === undefined ? resource : withDefaults(kind, resource);
}
