import {
  canonicalText,
  changeAt,
  parsePointer,
  type Json,
  type Pointer,
  placesOf,
  valueAt,
} from '../../model/json/json.ts';
import { makeProblem, type Checked, type Problem } from '../../model/problem.ts';
import type { Resource, Address } from '../../model/resource.ts';
import { markOf, slowDigester, type Digester, makeFinder } from './digest.ts';
import type { SavedChange, SavedPlan, SecretSource } from './saved-plan.ts';

/** The value of a source in the environment or a file; undefined if it is missing. */
export type ResolveSecret = (source: SecretSource) => Json | undefined;

/**
 * Restores secrets that are not on the gateway, checked against their digests. Missing and changed ones are problems, unless
 * `isTold` says that there already is one.
 */
export function unsealPlan(
  saved: SavedPlan,
  resolve: ResolveSecret,
  isTold: (source: SecretSource) => boolean = () => false,
  slow: Digester,
): Checked<readonly SavedChange[]> {
  const problems: Problem[] = [];
  const value = saved.changes.map((change): SavedChange => {
    if (change.action === 'delete' || change.secrets === undefined) return change;
    let after: Json = change.after;
    for (const [pointer, source] of Object.entries(change.secrets) as [Pointer, SecretSource][]) {
      if (source.live !== undefined) continue; // restoreLiveSecrets restores it
      const secret = resolve(source);
      const same =
        secret !== undefined && slow(canonicalText(secret), markOf(source.digest)) === source.digest;
      if (same) after = changeAt(after, parsePointer(pointer), () => secret);
      else if (secret === undefined && isTold(source)) continue;
      else if (saved.undoes !== undefined && secret !== undefined)
        problems.push(notFormer(change, pointer, source));
      else problems.push(unresolved(saved, change, pointer, source, secret === undefined));
    }
    return { ...change, after: after as Resource }; // only secrets were restored
  });
  return { value, problems };
}

function sourceText({ template, file }: SecretSource): string {
  return template === undefined ? (file ?? 'the gateway') : template.variables.join(', ');
}

const WITHOUT = 'or undo the rest with --keep-going';

function notFormer({ address }: SavedChange, path: Pointer, source: SecretSource): Problem {
  return makeProblem({
    code: 'secret-unavailable',
    message: `the secret at ${path} of ${address} is not the one before that run`,
    address,
    path,
    hint: `restore the former value of ${sourceText(source)}; ${WITHOUT}`,
  });
}

function unresolved(
  { undoes }: SavedPlan,
  change: SavedChange,
  path: Pointer,
  source: SecretSource,
  missing: boolean,
): Problem {
  const from = sourceText(source);
  return makeProblem({
    code: 'secret-unavailable',
    message: missing
      ? `the secret at ${path} of ${change.address} came from ${from}, where it is now missing`
      : `the secret at ${path} of ${change.address} has changed since the plan was made`,
    address: change.address,
    path,
    hint: !missing
      ? 'plan again'
      : undoes === undefined
        ? `make ${from} available to apply, as for plan`
        : `make ${from} available, as for that run; ${WITHOUT}`,
  });
}

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
  return makeProblem({
    code: 'secret-unavailable',
    message: `the secret at ${path} of ${address} is no longer on the gateway`,
    address,
    path,
    hint: 'plan again',
  });
}
