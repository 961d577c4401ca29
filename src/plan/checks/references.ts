import { addTo } from '../../model/collect.ts';
import { referencesOf } from '../../model/normal/references-of.ts';
import type { KindSet, Reference } from '../../model/kind.ts';
import type { Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import type { ExternalRule } from '../../model/rules.ts';
import { placeOf, type Declared, type DesiredState } from '../../model/state.ts';
import { suggest } from '../../model/text/suggest.ts';
import { makeGlobMatcher, isBuiltIn } from '../change/select.ts';

/**
 * References to what is not there. Offline (`live` is undefined) the gateway may still have it, so each is a warning,
 * unless others look after it; with the addresses that the gateway will have, each is an error.
 */
export function checkReferences(
  desired: DesiredState,
  kinds: KindSet,
  live?: { has(address: Address): boolean; readonly addresses: Iterable<Address> },
  external: readonly ExternalRule[] = [],
): readonly Problem[] {
  const problems: Problem[] = [];
  const externals = live === undefined ? external.map(({ address }) => makeGlobMatcher(address)) : [];
  const known = onceAsked(() => byKind([...desired.keys(), ...(live?.addresses ?? [])]));
  for (const declared of desired.values()) {
    const kind = kinds.get(kindOf(declared.address));
    for (const { to, path } of kind === undefined ? [] : referencesOf(declared.resource, kind)) {
      if (desired.has(to) || isBuiltIn(to, kinds) || live?.has(to) === true) continue;
      if (externals.some((matches) => matches(to))) continue;
      // A name is looked for where somebody may read it, not for each of ten thousand.
      const near = problems.length < 50 ? suggest(to, known().get(kindOf(to)) ?? []) : undefined;
      problems.push(dangling(declared, to, path, live === undefined, near));
    }
  }
  return problems;
}

function dangling(
  declared: Declared,
  to: Address,
  path: Reference['path'],
  offline: boolean,
  near: string | undefined,
): Problem {
  return {
    code: 'dangling-reference',
    severity: offline ? 'warning' : 'error',
    message: `${declared.address} refers to ${to}, which no file declares${offline ? '' : ' and the gateway does not have'}`,
    at: placeOf(declared, path),
    address: declared.address,
    path,
    hint: `declare ${to}${near === undefined ? '' : `; or did you mean ${near}?`}`,
  };
}

function byKind(addresses: readonly Address[]): ReadonlyMap<string, readonly Address[]> {
  const kinds = new Map<string, Address[]>();
  for (const address of addresses) {
    addTo(kinds, kindOf(address), address);
  }
  return kinds;
}

function onceAsked<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
