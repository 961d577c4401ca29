import { placesOf, printPointer, valueAt, type Pointer } from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import type { Checked, Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { placeOf, type Declaration, type Declared, type DesiredState } from '../../model/state.ts';
import type { Candidate } from './expand.ts';

export type Resolved = Checked<DesiredState> & {
  /** All that is declared, also what is no valid resource. */
  readonly declared: ReadonlyMap<Address, Declaration>;
};

/** Puts the declared resources under their addresses; whatever two of them cannot both have is a problem. */
export function resolve(candidates: readonly Candidate[], kinds: KindSet): Resolved {
  const state = new Map<Address, Declared>();
  const declared = new Map<Address, Declaration>();
  const holders = new Map<string, Declaration>();
  const problems: Problem[] = [];
  for (const candidate of candidates) {
    const one = candidate.declared;
    const kind = kinds.get(kindOf(one.address));
    if (kind === undefined) continue;
    const first = declared.get(one.address);
    if (first !== undefined) {
      problems.push(duplicate(first, one));
      continue;
    }
    declared.set(one.address, one);
    if (candidate.isValid) state.set(one.address, candidate.declared);
    problems.push(...reservedName(kind, one), ...sharedValues(kind, one, holders));
  }
  return { value: state, declared, problems };
}

const NAME: Pointer = '/metadata/name';

function duplicate(first: Declaration, second: Declaration): Problem {
  return {
    code: 'duplicate-resource',
    severity: 'error',
    message: `${second.address} is declared twice`,
    at: placeOf(second, NAME),
    also: placeOf(first, NAME),
    address: second.address,
    path: NAME,
    hint: isLater(second, first)
      ? 'write overlay: true to change the first, or keep one of the two'
      : 'keep one of the two',
  };
}

function isLater({ document: one }: Declaration, { document: other }: Declaration): boolean {
  return (one.file.layer ?? 0) > (other.file.layer ?? 0);
}

function reservedName(kind: Kind, declared: Declaration): readonly Problem[] {
  const name = valueAt(declared.resource, NAME);
  if (!kind.builtIn.some((known) => known === name)) return [];
  return [
    {
      code: 'reserved-name',
      severity: 'error',
      message: `${declared.address} always exists and cannot be declared`,
      at: placeOf(declared, NAME),
      address: declared.address,
      path: NAME,
      hint: 'take the document out, or choose another name',
    },
  ];
}

function sharedValues(
  kind: Kind,
  declared: Declaration,
  holders: Map<string, Declaration>,
): readonly Problem[] {
  const problems: Problem[] = [];
  for (const tokens of kind.unique) {
    for (const { pointer, value } of placesOf(declared.resource, tokens)) {
      const key = `${kind.name}${printPointer(tokens)} ${JSON.stringify(value)}`;
      const first = holders.get(key);
      if (first === undefined) {
        holders.set(key, declared);
      } else if (first !== declared) {
        problems.push({
          code: 'duplicate-value',
          severity: 'error',
          message: `${declared.address} and ${first.address} both have the same value at ${pointer}, and only one may`,
          at: placeOf(declared, pointer),
          also: placeOf(first, firstPlace(first, tokens, value) ?? pointer),
          address: declared.address,
          path: pointer,
          hint: `take it from one of the two`,
        });
      }
    }
  }
  return problems;
}

function firstPlace(
  { resource }: Declaration,
  tokens: readonly string[],
  wanted: unknown,
): Pointer | undefined {
  for (const { pointer, value } of placesOf(resource, tokens)) if (value === wanted) return pointer;
  return undefined;
}
