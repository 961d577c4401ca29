import { addTo } from '../../model/collect.ts';
import type { KindSet, World as Lookup } from '../../model/kind.ts';
import { withDefaults } from '../../model/normal/normal-form.ts';
import type { Problem } from '../../model/problem.ts';
import { referencesOf } from '../../model/normal/references-of.ts';
import { kindOf, type Address, type Resource } from '../../model/resource.ts';
import { placeOf, type Declared } from '../../model/state.ts';
import { list } from '../../model/text/list.ts';
import { afterOf, type DraftChange } from '../change/draft-change.ts';
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

/**
 * Changes that the gateway would refuse in the state that this run gives it: live, with the changes that are selected.
 * What the declared resources break among themselves `surveyKinds` reports.
 */
export function surveyChanges(world: PlannedWorld): readonly Problem[] {
  const { desired, kinds, live, changes, isSelected } = world;
  const isWhole = [...desired.keys()].every(isSelected);
  if (
    isWhole &&
    [...changes.values()].every(({ action, address }) => action === 'delete' || desired.has(address))
  )
    return []; // then the files have said it all
  const byKind = new Map<string, DraftChange[]>();
  for (const change of changes.values()) addTo(byKind, kindOf(change.address), change);
  const lookup: Lookup = {
    complete: true,
    get: (address) => {
      const change = changes.get(address);
      const resource = change === undefined ? live.resources.get(address) : afterOf(change);
      return fillDefaults(resource, address, kinds);
    },
  };
  const found = [...byKind].flatMap(([name, own]) => {
    const kind = kinds.get(name);
    if (kind?.survey === undefined) return [];
    const mine = own.flatMap((change): readonly [Address, Resource][] => {
      const after = afterOf(change);
      return after === undefined ? [] : [[change.address, withDefaults(kind, after)]];
    });
    return kind.survey(new Map(mine), lookup).filter(({ severity }) => severity === 'error');
  });
  if (found.length === 0) return [];
  const known = new Set(surveyKinds(world).map(({ code, address, path }) => `${code} ${address} ${path}`));
  return found.flatMap(({ also: _, on = 'value', ...finding }): readonly Problem[] => {
    const { code, address, path } = finding;
    if (known.has(`${code} ${address} ${path}`)) return [];
    const declared = desired.get(address);
    const kind = kinds.get(kindOf(address));
    const change = changes.get(address);
    const after = change && afterOf(change);
    const needed = kind === undefined || after === undefined ? [] : referencesOf(after, kind);
    const left = [...new Set(needed.map(({ to }) => to))].filter((to) => desired.has(to) && !isSelected(to));
    const cure = left.map((to) => `--target ${to}`).join(' ');
    return [
      {
        ...finding,
        ...(left.length === 0
          ? {}
          : {
              message: `${finding.message}; the files change ${list(left)}, which this run leaves out`,
              hint: `select ${left.length === 1 ? 'it' : 'them'} too: ${cure}`,
            }),
        ...(declared === undefined ? {} : { at: placeOf(declared, path, on) }),
      },
    ];
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
