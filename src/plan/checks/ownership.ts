import type { Place, Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import type { Removal } from '../../model/rules.ts';
import { placeOf } from '../../model/state.ts';
import { suggest } from '../../model/text/suggest.ts';
import { makeGlobMatcher, makeMatcher } from '../change/select.ts';
import type { DesiredWorld } from './world.ts';

/** Where files contradict themselves, or the rules of their project. */
export function checkOwnership(world: DesiredWorld): readonly Problem[] {
  return [
    ...findUnmanaged(world),
    ...findExternal(world),
    ...findIgnored(world),
    ...findDeclared(world),
    ...findInvalidMoves(world),
  ];
}

/** What is to be written, by its name, and where. */
function listWritten({ desired, declared = desired, removals }: DesiredWorld): readonly Named[] {
  return [
    ...[...declared.values()].map((one) => ({
      address: one.address,
      verb: 'declared' as const,
      place: placeOf(one, '/metadata/name'),
    })),
    ...removals.map(({ address, place }) => ({ address, verb: 'removed' as const, place })),
  ];
}
type Named = { readonly address: Address; readonly verb: 'declared' | 'removed'; readonly place: Place };

function findUnmanaged(world: DesiredWorld): readonly Problem[] {
  const { manages } = world.rules;
  if (manages === undefined) return [];
  const isManaged = makeMatcher(manages, world.kinds);
  return listWritten(world).flatMap(({ address, verb, place }): readonly Problem[] => {
    if (isManaged(address)) return [];
    return [
      {
        code: 'not-managed',
        severity: 'error',
        message: `${address} is ${verb} but not matched by manages: ${manages.join(', ')}`,
        at: place,
        address,
        hint: 'take it out, or add it to manages in gwconf.yaml',
      },
    ];
  });
}

function findExternal(world: DesiredWorld): readonly Problem[] {
  const rules = (world.rules.external ?? []).map((rule) => ({
    rule,
    matches: makeGlobMatcher(rule.address),
  }));
  if (rules.length === 0) return [];
  return listWritten(world).flatMap(({ address, verb, place }): readonly Problem[] => {
    const found = rules.find(({ matches }) => matches(address));
    if (found === undefined) return [];
    const message = `${address} is ${verb}, and external says that others manage it`;
    return [contradiction(address, message, place, found.rule.place, 'keep one of the two')];
  });
}

function findIgnored({ removals, rules }: DesiredWorld): readonly Problem[] {
  const whole = (rules.ignore ?? []).filter(({ path }) => path === undefined);
  if (whole.length === 0) return [];
  return removals.flatMap(({ address, place }): readonly Problem[] => {
    const rule = whole.find((one) => makeGlobMatcher(one.address)(address));
    if (rule === undefined) return [];
    const message = `${address} is removed, and ignore leaves it alone`;
    return [contradiction(address, message, place, rule.place, 'keep one of the two')];
  });
}

function findDeclared({ desired, declared = desired, removals }: DesiredWorld): readonly Problem[] {
  return removals.flatMap(({ address, to, place }): readonly Problem[] => {
    const found = to === undefined ? declared.get(address) : undefined;
    if (found === undefined) return [];
    const message = `${address} is removed, and declared as well`;
    const where = placeOf(found, '/metadata/name');
    return [contradiction(address, message, place, where, 'remove one of the two')];
  });
}

function contradiction(address: Address, message: string, at: Place, also: Place, hint: string): Problem {
  return { code: 'contradiction', severity: 'error', message, at, also, address, hint };
}

function findInvalidMoves({ desired, declared = desired, removals }: DesiredWorld): readonly Problem[] {
  const ends = new Map<Address, Removal>();
  return removals.flatMap((removal): readonly Problem[] => {
    const { address: from, to, place } = removal;
    if (to === undefined) return [];
    const invalid = (message: string, hint: string, about: Pick<Problem, 'at' | 'also'>): Problem => ({
      code: 'invalid-move',
      severity: 'error',
      message,
      ...about,
      address: from,
      hint,
    });
    const still = declared.get(from);
    const before = ends.get(from);
    ends.set(from, removal);
    return [
      ...(kindOf(from) === kindOf(to.address)
        ? []
        : [
            invalid(`${from} cannot become ${to.address}, which is of another kind`, 'name two of one kind', {
              at: to.place,
            }),
          ]),
      ...(declared.has(to.address)
        ? []
        : [
            invalid(
              `${from} is moved to ${to.address}, which no file declares`,
              nearest(to.address, declared),
              {
                at: to.place,
              },
            ),
          ]),
      ...(still === undefined
        ? []
        : [
            invalid(`${from} is moved to ${to.address}, and still declared`, 'remove its declaration', {
              at: place,
              also: placeOf(still, '/metadata/name'),
            }),
          ]),
      ...(before === undefined
        ? []
        : [invalid(`${from} is moved twice`, 'keep one of the two', { at: place, also: before.place })]),
    ];
  });
}

function nearest(address: Address, declared: ReadonlyMap<Address, unknown>): string {
  const near = suggest(
    address,
    [...declared.keys()].filter((other) => kindOf(other) === kindOf(address)),
  );
  return near === undefined ? `declare ${address}` : `declare ${address}; or did you mean ${near}?`;
}

/** A run that deletes what no file declares, where no rule says what the files are responsible for. */
export function checkPrune({ prune, rules }: DesiredWorld): readonly Problem[] {
  if (prune !== true || rules.manages !== undefined) return [];
  return [
    {
      code: 'prune-without-manages',
      severity: 'error',
      message: 'prune deletes only what manages matches, and manages is not set',
      hint: "add --manages GLOB, for example --manages '*@vCluster=payments*', or manages in gwconf.yaml",
    },
  ];
}

/** Removals that have done their work; each document of them is reported once. */
export function checkExpiredRemovals({ removals, today }: DesiredWorld): readonly Problem[] {
  const seen = new Set<object>();
  return removals.flatMap(({ address, expires, place }): readonly Problem[] => {
    const document = 'document' in place ? place.document : place;
    if (expires === undefined || today === undefined || expires >= today || seen.has(document)) return [];
    seen.add(document);
    return [
      {
        code: 'expired-removal',
        severity: 'warning',
        message: `the removal of ${address} expired after ${expires}`,
        at: 'document' in place ? { ...place, path: '/spec/expires' } : place,
        address,
        hint: 'remove the document',
      },
    ];
  });
}
