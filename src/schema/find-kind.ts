import type { Kind, KindSet } from '../model/kind.ts';
import { memoize } from '../model/collect.ts';
import { suggest } from '../model/text/suggest.ts';
import { describe } from './wording.ts';

/**
 * The kind with a name as people type it. Case, hyphens and an `s` at the end do not matter, and the name in the URLs of the API is
 * one, too.
 */
export function findKind(written: string, kinds: KindSet): Kind | undefined {
  return kinds.get(written) ?? kindsByName(kinds).get(fold(written));
}

/** Why a name is not that of a kind, and what to write. */
export function unknownKindName(written: string, kinds: KindSet): string {
  const near =
    suggest(written, kinds.keys()) ??
    kindsByName(kinds).get(suggest(fold(written), kindsByName(kinds).keys()) ?? '')?.name;
  const cure = near === undefined ? `use one of ${[...kinds.keys()].join(', ')}` : `did you mean ${near}?`;
  return `unknown kind ${describe(written)}; ${cure}`;
}

const kindsByName = memoize((kinds: KindSet): ReadonlyMap<string, Kind> => {
  const named = [...kinds.values()].flatMap((kind) => {
    const inUrls = kind.collection.split('/').at(-1) ?? '';
    return [kind.name, ...kind.aliases, inUrls].map((name) => [fold(name), kind] as const);
  });
  return new Map(named);
});

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, '').replace(/s$/, '');
}
