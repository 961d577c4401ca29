import { addAll } from '../../model/collect.ts';
import { valueAt, type Pointer } from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import { writtenUniqueValues } from '../../model/normal/constrained-values.ts';
import { makeProblem, type Problem, type Checked } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { asWritten, secretPlaces } from '../../model/secrets/secrets.ts';
import { isValid, placeOf, type Declaration, type DesiredState } from '../../model/state.ts';
import { describe } from '../wording.ts';

export type Resolved = Checked<DesiredState> & {
  /** All declared resources, also invalid ones. */
  readonly declared: ReadonlyMap<Address, Declaration>;
};

type Holder = { readonly declared: Declaration; readonly at: Pointer };

/** Collects resources by address; duplicate addresses and unique values are problems. */
export function resolve(candidates: readonly Declaration[], kinds: KindSet): Resolved {
  const declared = new Map<Address, Declaration>();
  const holders = new Map<string, Holder>();
  const problems: Problem[] = [];
  for (const one of candidates) {
    const kind = kinds.get(kindOf(one.address));
    if (kind === undefined) continue;
    const first = declared.get(one.address);
    if (first !== undefined) {
      problems.push(duplicate(first, one));
      continue;
    }
    declared.set(one.address, one);
    addAll(problems, reservedName(kind, one));
    addAll(problems, duplicateValues(kind, one, holders));
  }
  return { value: validAmong(declared), declared, problems };
}

/** The same map where all are valid, as there may be a million. */
function validAmong(declared: ReadonlyMap<Address, Declaration>): DesiredState {
  const invalid = [...declared.values()].filter((one) => !isValid(one));
  if (invalid.length === 0) return declared as DesiredState; // as just seen
  const state = new Map(declared);
  for (const { address } of invalid) state.delete(address);
  return state as DesiredState;
}

const NAME: Pointer = '/metadata/name';

function duplicate(first: Declaration, second: Declaration): Problem {
  return makeProblem({
    code: 'duplicate-resource',
    message: `${second.address} is declared twice`,
    at: placeOf(second, NAME),
    also: placeOf(first, NAME),
    address: second.address,
    path: NAME,
    hint: isLater(second, first)
      ? 'write overlay: true to change the first, or keep one of the two'
      : 'keep one of the two',
  });
}

function isLater({ document: one }: Declaration, { document: other }: Declaration): boolean {
  return (one.file.layer ?? 0) > (other.file.layer ?? 0);
}

function reservedName(kind: Kind, declared: Declaration): readonly Problem[] {
  const name = valueAt(declared.resource, NAME);
  if (!kind.builtIn.some((known) => known === name)) return [];
  return [
    makeProblem({
      code: 'reserved-name',
      message: `${declared.address} always exists and cannot be declared`,
      at: placeOf(declared, NAME),
      address: declared.address,
      path: NAME,
      hint: 'remove the document, or choose another name',
    }),
  ];
}

/** Values of a resource that only one resource of the kind can have, but an earlier one has. */
function duplicateValues(kind: Kind, one: Declaration, holders: Map<string, Holder>): readonly Problem[] {
  return writtenUniqueValues(kind, asWritten(one)).flatMap(
    ({ key, pointer, noun, value }): readonly Problem[] => {
      const { declared: first, at } = holders.get(key) ?? { declared: one, at: pointer };
      if (first === one) {
        holders.set(key, { declared: one, at: pointer });
        return [];
      }
      const isHidden = secretPlaces(kind, one.resource, one.templates).has(pointer);
      const shown = isHidden ? '' : ` ${describe(value)}`;
      return [
        makeProblem({
          code: 'duplicate-value',
          message: `${one.address} and ${first.address} have the same ${noun}${shown}, which must be unique`,
          at: placeOf(one, pointer),
          also: placeOf(first, at),
          address: one.address,
          path: pointer,
          hint: 'remove it from one of them',
        }),
      ];
    },
  );
}
