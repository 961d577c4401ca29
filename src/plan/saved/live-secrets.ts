import {
  canonicalText,
  changeAt,
  parsePointer,
  placesOf,
  valueAt,
  type Json,
  type Pointer,
} from '../../model/json/json.ts';
import type { Checked, Problem } from '../../model/problem.ts';
import type { Address, Resource } from '../../model/resource.ts';
import { makeFinder, slowDigester, type Digester } from './digest.ts';
import type { SavedChange, SavedPlan, SecretSource } from './saved-plan.ts';

/** Restores secrets that are only on the gateway, recognised by their digests. A missing one is a problem. */
export function restoreLiveSecrets(
  { changes, salt }: Pick<SavedPlan, 'changes' | 'salt'>,
  live: ReadonlyMap<Address, Resource>,
  slow: Digester = slowDigester(salt),
): Checked<readonly SavedChange[]> {
  const problems: Problem[] = [];
  const value = changes.map((change): SavedChange => {
    if (change.action === 'delete' || change.secrets === undefined) return change;
    const now = live.get(change.address);
    const finders = new Map<string, ReturnType<typeof makeFinder<Json>>>();
    let after: Json = change.after;
    for (const [pointer, { live: shape, digest }] of Object.entries(change.secrets) as [
      Pointer,
      SecretSource,
    ][]) {
      if (shape === undefined) continue;
      let find = finders.get(shape);
      if (find === undefined) {
        const places = now === undefined ? [] : placesOf(now, parsePointer(shape));
        find = makeFinder(
          places.map(({ value }) => value),
          canonicalText,
          slow,
        );
        finders.set(shape, find);
      }
      const found = find(digest, valueAt(now, pointer));
      if (found === undefined) problems.push(missing(change.address, pointer));
      else after = changeAt(after, parsePointer(pointer), () => found);
    }
    return { ...change, after: after as Resource }; // only secrets have come back
  });
  return { value, problems };
}

function missing(address: Address, path: Pointer): Problem {
  return {
    code: 'secret-unavailable',
    severity: 'error',
    message: `the secret at ${path} of ${address} is no longer on the gateway`,
    address,
    path,
    hint: 'plan again',
  };
}
