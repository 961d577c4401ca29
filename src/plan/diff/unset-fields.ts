import { changeAt, isList, parsePointer, valueOf, type Json, type Pointer } from '../../model/json/json.ts';
import type { Checked, Problem } from '../../model/problem.ts';
import type { Address } from '../../model/resource.ts';
import { placeOf, type Declared, type DesiredState, type LiveState } from '../../model/state.ts';
import { IDENTIFYING } from './diff.ts';

/**
 * What files ask for, in so far as anybody can know it: a field that is open is taken to be what it is on the gateway, and said to be one of which nobody can tell. What the gateway does not have stays as it is written.
 */
export function adoptUnsetFields(desired: DesiredState, live: LiveState): Checked<DesiredState> {
  const waiting = [...desired.values()].filter((declared) => openFields(declared).length > 0);
  if (waiting.length === 0) return { value: desired, problems: [] };
  const settled = new Map<Address, Declared>(desired);
  const problems: Problem[] = [];
  for (const declared of waiting) {
    const open = openFields(declared);
    const there = live.resources.get(declared.address);
    if (there === undefined) continue;
    let resource: Json = declared.resource;
    for (const path of open) {
      const value = counterpart(path, declared.resource, there);
      if (value === undefined) continue;
      resource = changeAt(resource, parsePointer(path), () => value);
      problems.push(untold(declared, path));
    }
    // Fields have other values, and a resource is one still.
    settled.set(declared.address, { ...declared, resource: resource as Declared['resource'] });
  }
  return { value: settled, problems };
}

function openFields({ templates }: Declared): readonly Pointer[] {
  return templates === undefined
    ? []
    : [...templates].flatMap(([path, { open }]) => (open === undefined ? [] : [path]));
}

/** What stands at the same place of another value; an item of a list is found by its name, where it has one. */
function counterpart(path: Pointer, here: Json, there: Json): Json | undefined {
  let pair: { readonly here: Json | undefined; readonly there: Json | undefined } = { here, there };
  for (const token of parsePointer(path)) {
    const child = valueOf(pair.here, token);
    pair = { here: child, there: namesake(child, pair.there) ?? valueOf(pair.there, token) };
  }
  return pair.there;
}

function namesake(item: Json | undefined, list: Json | undefined): Json | undefined {
  const key = IDENTIFYING.find((name) => typeof valueOf(item, name) === 'string');
  if (key === undefined || !isList(list)) return undefined;
  return list.find((other) => valueOf(other, key) === valueOf(item, key));
}

function untold(declared: Declared, path: Pointer): Problem {
  const { address, templates } = declared;
  const open = templates?.get(path)?.open ?? [];
  const names = [...new Set(open)].map((name) => `\${${name}}`).join(', ');
  return {
    code: 'cannot-tell',
    severity: 'info',
    message: `nobody can tell here whether ${path} of ${address} is as declared: ${names} has no value here`,
    at: placeOf(declared, path),
    address,
    path,
    hint: 'give it one where that is to be known',
  };
}
