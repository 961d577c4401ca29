import { placesOf, printPointer, valueAt, type JsonObject, type Pointer } from '../../model/json/json.ts';
import type { Kind, KindSet } from '../../model/kind.ts';
import type { Checked, Problem } from '../../model/problem.ts';
import { kindOf, type Address } from '../../model/resource.ts';
import { placeOf, type Declared, type DesiredState } from '../../model/state.ts';

/** Puts the declared resources under their addresses; whatever two of them cannot both have is a problem. */
export function resolve(declared: readonly Declared[], kinds: KindSet): Checked<DesiredState> {
  const state = new Map<Address, Declared>();
  const holders = new Map<string, Declared>();
  const problems: Problem[] = [];
  for (const one of declared) {
    const kind = kinds.get(kindOf(one.address));
    if (kind === undefined) continue;
    const first = state.get(one.address);
    if (first !== undefined) {
      problems.push(duplicate(first, one));
      continue;
    }
    state.set(one.address, one);
    problems.push(...reservedName(kind, one), ...sharedValues(kind, one, holders));
  }
  return { value: state, problems };
}

const NAME: Pointer = '/metadata/name';

function duplicate(first: Declared, second: Declared): Problem {
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

function isLater({ document: one }: Declared, { document: other }: Declared): boolean {
  return (one.file.layer ?? 0) > (other.file.layer ?? 0);
}

function reservedName(kind: Kind, declared: Declared): readonly Problem[] {
  const name = declared.resource.metadata.name;
  if (!kind.builtIn.includes(name)) return [];
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

function sharedValues(kind: Kind, declared: Declared, holders: Map<string, Declared>): readonly Problem[] {
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

function firstPlace(holder: Declared, tokens: readonly string[], wanted: unknown): Pointer | undefined {
  const whole = holder.resource as JsonObject;
  for (const { pointer } of placesOf(whole, tokens)) if (valueAt(whole, pointer) === wanted) return pointer;
  return undefined;
}
