import { groupBy } from '../../model/collect.ts';
import { addDefaults } from '../../model/defaults.ts';
import type { Kind, KindSet, SurveyProblem } from '../../model/kind.ts';
import { withDefaults, referencesOf } from '../../model/normal/normal-form.ts';
import { judge, type Judged, type Problem } from '../../model/problem.ts';
import {
  isSound,
  kindOf,
  type Address,
  type Examined,
  type Parsed,
  type Resource,
} from '../../model/resource.ts';
import { asWritten } from '../../model/secrets/secrets.ts';
import { placeOf } from '../../model/state.ts';
import { list } from '../../model/text/list.ts';
import { afterOf, type DraftChange } from '../change/change.ts';
import type { PlannedWorld } from './world.ts';

/** The rules of the kinds across declared resources; with `live`, also across what only the gateway has, and keeps. */
export function* surveyKinds({
  desired,
  declared = desired,
  kinds,
  live,
  changes,
}: Pick<PlannedWorld, 'desired' | 'declared' | 'kinds'> &
  Partial<Pick<PlannedWorld, 'live' | 'changes'>>): Generator<Problem> {
  const found = new Map<Address, Resource | undefined>();
  const lookUp = (address: Address): Resource | undefined => {
    if (!found.has(address)) {
      const declared = desired.get(address);
      const kept = changes?.get(address)?.action === 'delete' ? undefined : live?.resources.get(address);
      const resource = declared === undefined ? kept : asWritten(declared);
      found.set(address, fillDefaults(resource, address, kinds));
    }
    return found.get(address);
  };
  const written = [...declared.values()].flatMap((one): readonly (readonly [Address, Examined])[] => {
    const { address, templates } = one;
    if (kinds.get(kindOf(address))?.survey === undefined) return [];
    return [[address, templates === undefined ? one : ({ ...one, resource: asWritten(one) } as Examined)]];
  });
  for (const { also, on = 'value', ...finding } of survey(written, kinds, live !== undefined, lookUp)) {
    const at = declared.get(finding.address);
    const other = also === undefined ? undefined : declared.get(also.address);
    if (at === undefined) continue;
    yield {
      ...finding,
      at: placeOf(at, finding.path, on),
      ...(also === undefined || other === undefined ? {} : { also: placeOf(other, also.path) }),
    };
  }
}

/**
 * Changes that the gateway would refuse in the state that this run gives it: live, with the changes that are selected.
 * What the declared resources break among themselves `surveyKinds` reports.
 */
export function* surveyChanges(world: PlannedWorld): Generator<Problem> {
  const { desired, kinds, live, changes, isSelected } = world;
  const isDeclared = ({ action, address }: DraftChange): boolean =>
    action === 'delete' || desired.has(address);
  // Then the files have said it all.
  if ([...desired.keys()].every(isSelected) && [...changes.values()].every(isDeclared)) return;
  const afterAt = (address: Address): Resource | undefined => {
    const change = changes.get(address);
    return change === undefined ? live.resources.get(address) : afterOf(change);
  };
  const made = [...changes.values()].flatMap((change): readonly (readonly [Address, Examined])[] => {
    const resource = afterOf(change);
    return resource === undefined ? [] : [[change.address, { resource }]];
  });
  const found = [...survey(made, kinds, true, (address) => fillDefaults(afterAt(address), address, kinds))];
  const errors = found.filter(({ severity }) => severity === 'error');
  if (errors.length === 0) return;
  const keyOf = ({ code, address, path }: Problem): string => `${code} ${address ?? ''} ${path ?? ''}`;
  const known = new Set([...surveyKinds(world)].map(keyOf));
  for (const { also: _, on = 'value', ...finding } of errors) {
    if (known.has(keyOf(finding))) continue;
    const { address, path } = finding;
    const declared = desired.get(address);
    const kind = kinds.get(kindOf(address));
    const after = afterAt(address);
    const needed = kind === undefined || after === undefined ? [] : referencesOf(after, kind);
    const left = [...new Set(needed.map(({ to }) => to))].filter((to) => desired.has(to) && !isSelected(to));
    const message = `${finding.message}; the files change ${list(left)}, which this run leaves out`;
    const targets = left.map((to) => `--target ${to}`).join(' ');
    const hint = `select ${left.length === 1 ? 'it' : 'them'} too: ${targets}`;
    yield {
      ...finding,
      ...(left.length === 0 ? {} : { message, hint }),
      ...(declared === undefined ? {} : { at: placeOf(declared, path, on) }),
    };
  }
}

/** What the rules of the kinds find in these resources; `get` looks up others, and `complete` says that it has them all. */
function* survey(
  resources: readonly (readonly [Address, Examined])[],
  kinds: KindSet,
  complete: boolean,
  get: (address: Address) => Resource | undefined,
): Generator<Judged<SurveyProblem>> {
  for (const [name, own] of groupBy(resources, ([address]) => kindOf(address))) {
    const kind = kinds.get(name);
    if (kind?.survey === undefined) continue;
    const { reads, find } = kind.survey;
    const mine = own.flatMap(([address, examined]): readonly (readonly [Address, Resource])[] =>
      // The fields that it reads are valid.
      isSound(examined, reads) ? [[address, filled(kind, examined) as Resource]] : [],
    );
    yield* find(new Map(mine), { complete, get }).map(judge);
  }
}

function filled(kind: Kind, { resource, faults }: Examined): Parsed {
  return faults === undefined
    ? withDefaults(kind, resource)
    : (addDefaults(resource, kind.defaultTree) as Parsed); // adds to a map
}

function fillDefaults(
  resource: Resource | undefined,
  address: Address,
  kinds: KindSet,
): Resource | undefined {
  const kind = kinds.get(kindOf(address));
  return resource === undefined || kind === undefined ? resource : withDefaults(kind, resource);
}
