import type { Document } from '../../declare/declared.ts';
import type { Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import type { LiveState } from '../../model/state.ts';
import { suggest } from '../../model/text/suggest.ts';
import { catalog } from '../../schema/kinds/index.ts';
import type { Term, Wanted } from '../live/wanted.ts';

/** What was asked for and is not exported, with the reason. */
export function findUnmatched(
  documents: readonly Document[],
  { resources, unavailable }: LiveState,
  { terms, match }: Wanted,
): readonly Problem[] {
  const matched = new Set<Term>();
  for (const { address } of documents) for (const term of match(address).by) matched.add(term);
  const builtIn = [...catalog.kinds.values()].flatMap(({ name, builtIn: names }) =>
    names.map((one) => `${name}/${one}` as Address),
  );
  return terms
    .filter((term) => !matched.has(term))
    .map((term, at): Problem => {
      const { written, kind, isExact } = term;
      const severity = isExact || matched.size === 0 ? 'error' : 'warning';
      if (kind !== undefined && kind.removal === undefined)
        return {
          code: 'read-only-kind',
          severity,
          message: `${written} is not exported: only the gateway creates a ${kind.name}`,
          hint: `gwconf get ${kind.name} lists them`,
        };
      if (builtIn.some((address) => match(address).by.includes(term)))
        return {
          code: 'reserved-name',
          severity,
          message: `${written} is not exported: it always exists, and no file can declare it`,
          hint: 'leave it out',
        };
      const refused = kind === undefined ? undefined : unavailable.get(kind.name);
      if (kind !== undefined && refused !== undefined)
        return {
          code: 'kind-unavailable',
          severity: 'error',
          message: `the gateway does not serve ${kind.name}: ${refused}`,
          hint: 'check the version and security mode of the gateway',
        };
      const near = at < MOST_SUGGESTIONS ? suggest(written, resources.keys()) : undefined;
      return {
        code: 'unmatched-target',
        severity,
        message: `nothing on the gateway matches ${written}`,
        hint: near === undefined ? 'gwconf get -o name lists all addresses' : `did you mean ${near}?`,
      };
    });
}

/** A search for a similar address takes time, and the first few are enough. */
const MOST_SUGGESTIONS = 10;
