import { addTo } from '../../model/collect.ts';
import type { KindSet, World } from '../../model/kind.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import type { Problem } from '../../model/problem.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { placeOf, type Declared, type DesiredState, type LiveState } from '../../model/state.ts';

/** What the forms say of declared resources together; with `live`, also of what only the gateway has. */
export function survey(desired: DesiredState, kinds: KindSet, live?: LiveState): readonly Problem[] {
  const byKind = new Map<string, Declared[]>();
  for (const declared of desired.values()) addTo(byKind, kindOf(declared.address), declared);
  const asked = new Map<Address, Resource | undefined>();
  const world: World = {
    complete: live !== undefined,
    get: (address) => {
      if (!asked.has(address)) {
        const found = desired.get(address)?.resource ?? live?.resources.get(address);
        asked.set(address, filled(found, address, kinds));
      }
      return asked.get(address);
    },
  };
  return [...byKind].flatMap(([name, declared]): readonly Problem[] => {
    const kind = kinds.get(name);
    if (kind?.survey === undefined) return [];
    const mine = new Map(declared.map(({ address, resource }) => [address, withDefaults(kind, resource)]));
    return kind.survey(mine, world).flatMap(({ also, on = 'value', ...finding }): readonly Problem[] => {
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

function filled(resource: Resource | undefined, address: Address, kinds: KindSet): Resource | undefined {
  const kind = kinds.get(kindOf(address));
  return resource === undefined || kind === undefined ? resource : withDefaults(kind, resource);
}
